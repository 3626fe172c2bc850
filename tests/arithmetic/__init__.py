"""Tests of the words that operators are written in."""
