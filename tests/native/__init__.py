"""Tests of the native core."""
