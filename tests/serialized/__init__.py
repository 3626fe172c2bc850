"""Tests of serialized graphs."""
