"""Tests of dispatch models."""
