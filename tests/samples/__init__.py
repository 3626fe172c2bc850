"""Tests of the samples."""
