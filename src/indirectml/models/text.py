"""The JSON dialect of dispatch models: comments and trailing commas are allowed."""

from __future__ import annotations

import json
import re
from typing import Any

from indirectml.errors import ModelError

_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")


def parse_json(text: str) -> Any:
    """Return the objects that a model's text describes; what follows the first value is ignored.

    Raises
    ------
    ModelError
        The text is no JSON, or an object has the same key twice. The message has line and column.

    Examples
    --------
    >>> parse_json('{"sizes": [1, 2, /* more */ 3,], } // end')
    {'sizes': [1, 2, 3]}
    """
    # Blanks keep every offset, so that lines and columns of errors are those of the file.
    plain = _COMMENT.sub(_blank, text)
    plain = _TRAILING_COMMA.sub(_blank, plain)
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refused_constant)
    try:
        value, _ = decoder.raw_decode(plain, len(plain) - len(plain.lstrip()))
    except json.JSONDecodeError as error:
        raise ModelError(
            f"line {error.lineno}, column {error.colno}: needs JSON", given=error.msg
        ) from None
    except RecursionError:
        raise ModelError("needs JSON that is nested less deeply") from None
    except ModelError:
        raise
    except ValueError as error:  # a number with more digits than int() takes
        raise ModelError("needs numbers of fewer digits", given=str(error)) from None
    return value


def _blank(match: re.Match[str]) -> str:
    return match[1] or _NOT_LINE_END.sub(" ", match[0])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelError("needs every key once", given=f"{twice!r} twice")
    return members


def _refused_constant(name: str) -> Any:
    raise ModelError("needs JSON", given=name, hint=f'write "{name.lower()}" as a string')
