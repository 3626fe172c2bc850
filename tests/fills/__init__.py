"""Tests of fills."""
