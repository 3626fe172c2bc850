"""The tests of IndirectML."""
