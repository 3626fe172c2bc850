"""What files say, as Python parses it: each file once, for all tests that look into it."""

import ast
import functools


@functools.cache
def nodes_of(path):
    """Return all nodes of a file."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
