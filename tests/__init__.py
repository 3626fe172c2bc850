"""The tests of indirectml."""
