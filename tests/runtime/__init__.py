"""Tests of the object model."""
