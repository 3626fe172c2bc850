"""Measurements of speed, as ratios to limits from the same run: `python -m benchmarks --help`."""
