"""Tests of what looks into models."""
