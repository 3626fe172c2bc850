"""Tests of the native code."""
