"""Tests of descriptors."""
