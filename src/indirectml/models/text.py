"""The JSON dialect of dispatch models, read with the place of every value.

Comments and trailing commas are allowed, and what follows the first value is ignored, as
DxDispatch does. The standard library's reader knows neither, tells no places, and recurses.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from indirectml.core.errors import ModelError
from indirectml.models.problems import Path, Problem

#: Deeper nesting is refused: models need 7, and a reader must not be a way to use up memory.
MAX_DEPTH = 64

#: Longer numbers are refused: every double can be written exactly with 1100 characters.
MAX_NUMBER_CHARACTERS = 1100

#: More objects and arrays are refused, for memory and time: each takes a hundred times the memory
#: of the two characters that it may be written with. Models have a dozen to an operator.
MAX_CONTAINERS = 1 << 18

#: What a text takes in memory, itself and read, is at most so many times its bytes. Arrays of short
#: strings take most; containers, as far as they are allowed, add less than 100 MB.
MEMORY_PER_BYTE = 24

_MAX_SHOWN = 20

#: The characters of a line that are shown of it.
_EXCERPT_WIDTH = 72

# Possessive, so that nothing is ever tried twice: the time is linear for any text. No group that is
# so fails behind what repeats in it: CPython before 3.11.5 would go on from where it failed.
#: What stands between values; of a comment the beginning, and whether it has no end.
_SKIPPED = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|(/\*)(?s:.*?)(?:\*/|(\Z)))*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
#: An element that needs no care, with the comma after it: long arrays are made of them.
_PLAIN_ELEMENT = re.compile(r"[ \t\r\n]*+(-?(?:0|[1-9][0-9]{0,14}+)(\.[0-9]{1,15}+)?)[ \t\r\n]*+,")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(\\.[^"\\\x00-\x1f]*+)*+"')
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[-+\w.]++")
_LITERALS = {"true": True, "false": False, "null": None}
_NOT_JSON = {"nan": "nan", "infinity": "inf", "inf": "inf", "-infinity": "-inf", "-inf": "-inf"}
#: What other languages write, as JSON does.
_OTHER_WORDS = {"True": "true", "False": "false", "None": "null", "NULL": "null", "nullptr": "null"}
_OTHER_NUMBER = re.compile(
    r"([+-]?)(?:(0[xX][0-9a-fA-F]+)|0*([0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?)"
)
_CONTROL = re.compile(r'"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*+([\x00-\x1f])')


class JsonObject(dict[str, Any]):
    """An object that knows where its keys and values are."""

    __slots__ = ("offset", "places")

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset
        # Of key and value in turn, in the order in which a dict keeps its members.
        self.places: array[int] | None = None


class JsonArray(list[Any]):
    """An array that knows where its values are."""

    __slots__ = ("offset", "places")

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset
        self.places: array[int] | None = None


@dataclass(frozen=True)
class Document:
    """A text that has been read.

    Attributes
    ----------
    text : str
        The text itself.
    root : object
        Its first value; None if the text is no JSON.
    problems : list of Problem
        Duplicate keys; or, as the last one, what makes the text no JSON.
    is_complete : bool
        False if the text is no JSON.
    """

    text: str
    root: Any
    problems: list[Problem] = field(default_factory=list)
    is_complete: bool = True

    @cached_property
    def _line_ends(self) -> array[int]:
        return array("q", (match.start() for match in re.finditer("\n", self.text)))

    @cached_property
    def _numbers_of_keys(self) -> dict[int, dict[str, int]]:
        """By the offset of an object: at which place each of its keys stands among them."""
        return {}

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both from 1 up."""
        line = bisect_left(self._line_ends, offset)
        start = self._line_ends[line - 1] + 1 if line else 0
        return line + 1, offset - start + 1

    def excerpt(self, offset: int) -> tuple[str, str]:
        r"""Return the line around an offset, cut where it is long, and a line with a caret below.

        Examples
        --------
        >>> Document('{\n\t"a": tru }', None).excerpt(8)
        (' "a": tru }', '      ^')
        """
        line, column = self.line_and_column(offset)
        start = offset - column + 1
        end = self._line_ends[line - 1] if line <= len(self._line_ends) else len(self.text)
        first = max(start, min(offset - _EXCERPT_WIDTH // 2, end - _EXCERPT_WIDTH))
        last = min(end, first + _EXCERPT_WIDTH)
        before, after = ("..." if first > start else ""), ("..." if last < end else "")
        shown = "".join(c if c.isprintable() else " " for c in self.text[first:last]).rstrip()
        pad = len(before) + sum(map(_columns, shown[: offset - first]))
        return f"{before}{shown}{after}", " " * pad + "^"

    def offset_of(self, path: Path) -> int:
        """Return where the value at a path is, or the innermost one around it that exists."""
        value = self.root
        offset: int = getattr(value, "offset", 0)
        for part in path:
            if isinstance(value, JsonObject) and part in value and value.places is not None:
                numbers = self._numbers_of_keys.get(value.offset)
                if numbers is None:
                    numbers = {key: number for number, key in enumerate(value)}
                    self._numbers_of_keys[value.offset] = numbers
                offset = value.places[2 * numbers[str(part)] + 1]
                value = value[str(part)]
            elif (
                isinstance(value, JsonArray)
                and isinstance(part, int)
                and part < len(value)
                and value.places is not None
            ):
                offset = value.places[part]
                value = value[part]
            else:
                break
        return offset

    def place(self, problem: Problem) -> tuple[int, int]:
        """Return the line and the column of a problem."""
        return self.line_and_column(self.offset_of_problem(problem))

    def offset_of_problem(self, problem: Problem) -> int:
        """Return where a problem is in the text."""
        offset = problem.offset
        return self.offset_of(problem.path) if offset is None else offset


def _columns(character: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def read_json(text: str) -> Document:
    r"""Return the value that a text describes, with all places, and what is wrong with it.

    Examples
    --------
    >>> document = read_json('{"sizes": [1, 2,\n  /* more */ 3,], } // end')
    >>> document.root, document.line_and_column(document.offset_of(("sizes", 2)))
    ({'sizes': [1, 2, 3]}, (2, 14))
    """
    reader = _Reader(text)
    try:
        root = reader.read()
    except _SyntaxError as error:
        problem = Problem(error.reason, offset=error.offset)
        return Document(text, None, [*reader.problems, problem], is_complete=False)
    return Document(text, root, reader.problems)


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
    document = read_json(text)
    for problem in document.problems:
        line, column = document.place(problem)
        raise problem.error.within(f"line {line}, column {column}")
    return document.root


class _SyntaxError(Exception):
    """The text is no JSON; nothing more can be read."""

    def __init__(self, offset: int, reason: ModelError) -> None:
        super().__init__(str(reason))
        self.offset = offset
        self.reason = reason


class _Reader:
    """One pass over a text, without recursion: open objects and arrays are on a stack."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._at = 0
        self._containers = 0
        self._open: list[JsonObject | JsonArray] = []

    def read(self) -> Any:
        self._skip()
        root = self._value()
        while self._open:
            container = self._open[-1]
            closing = "}" if isinstance(container, JsonObject) else "]"
            self._skip()
            if container and not self._is_next(closing):
                self._expect(",", f"',' or '{closing}'")
                self._skip()
            if self._is_next(closing):
                self._at += 1
                self._open.pop()
            elif isinstance(container, JsonObject):
                self._member(container)
            else:
                self._element(container)
        return root

    def _element(self, container: JsonArray) -> None:
        if container.places is None:
            container.places = array("q")
        places = container.places
        plain = _PLAIN_ELEMENT.match(self._text, self._at)
        while plain is not None:
            places.append(plain.start(1))
            container.append(int(plain[1]) if plain[2] is None else float(plain[1]))
            self._at = plain.end()
            plain = _PLAIN_ELEMENT.match(self._text, self._at)
        self._skip()
        if not self._is_next("]"):
            places.append(self._at)
            container.append(self._value())

    def _member(self, container: JsonObject) -> None:
        key_at = self._at
        if not self._is_next('"'):
            self._fail("needs a key in double quotes or '}'")
        key = self._string()
        self._skip()
        self._expect(":", "':' after the key")
        self._skip()
        value_at = self._at
        value = self._value()
        if key in container:
            error = ModelError("needs every key once", given=f"{_cut(repr(key))} twice")
            self.problems.append(Problem(error, offset=key_at))
            return
        if container.places is None:
            container.places = array("q")
        container.places.extend((key_at, value_at))
        container[key] = value

    def _value(self) -> Any:
        """Read a number, string or word; of an object or array only the opening."""
        character = self._text[self._at : self._at + 1]
        if character == '"':
            return self._string()
        if character in {"{", "["}:
            return self._opened(JsonObject if character == "{" else JsonArray)
        number = _NUMBER.match(self._text, self._at)
        if number is not None:
            return self._number(number)
        word = _WORD.match(self._text, self._at)
        if word is None or word[0] not in _LITERALS:
            self._fail("needs a value")
        self._at = word.end()
        return _LITERALS[word[0]]

    def _opened(self, kind: type[JsonObject | JsonArray]) -> JsonObject | JsonArray:
        if len(self._open) == MAX_DEPTH:
            error = ModelError(f"needs at most {MAX_DEPTH} levels of nesting", given="more")
            raise _SyntaxError(self._at, error)
        if self._containers == MAX_CONTAINERS:
            error = ModelError(f"needs at most {MAX_CONTAINERS} objects and arrays", given="more")
            raise _SyntaxError(self._at, error)
        self._containers += 1
        container = kind(self._at)
        self._open.append(container)
        self._at += 1
        return container

    def _number(self, match: re.Match[str]) -> int | float:
        length = match.end() - match.start()
        if length > MAX_NUMBER_CHARACTERS:
            needs = f"needs numbers of at most {MAX_NUMBER_CHARACTERS} characters"
            raise _SyntaxError(self._at, ModelError(needs, given=f"one of {length}"))
        following = _WORD.match(self._text, match.end())
        if following is not None:
            self._fail("needs a value")
        self._at = match.end()
        if match[1] is None and match[2] is None:
            return int(match[0])
        value = float(match[0])
        if math.isinf(value):
            needs = "needs numbers up to 1.79769e+308 in magnitude"
            error = ModelError(needs, given=_cut(match[0]), hint='write "inf" as a string')
            raise _SyntaxError(match.start(), error)
        return value

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            self._fail_in_string()
        try:
            value: str = json.loads(match[0]) if match[1] else match[0][1:-1]
        except json.JSONDecodeError as error:
            reason = ModelError("needs a known escape after '\\'", given=_cut(match[0]))
            raise _SyntaxError(self._at + error.pos, reason) from None
        if _SURROGATE.search(value):
            reason = ModelError("needs whole characters", given="half of a surrogate pair")
            raise _SyntaxError(self._at, reason)
        self._at = match.end()
        return value

    def _skip(self) -> None:
        match = _SKIPPED.match(self._text, self._at)
        assert match is not None  # noqa: S101 (there may be nothing)
        if match[2] is not None:
            raise _SyntaxError(match.start(1), ModelError("needs the end '*/' of this comment"))
        self._at = match.end()

    def _is_next(self, character: str) -> bool:
        return self._text.startswith(character, self._at)

    def _expect(self, character: str, description: str) -> None:
        if not self._is_next(character):
            self._fail(f"needs {description}")
        self._at += 1

    def _fail_in_string(self) -> NoReturn:
        """Raise the error for a string that does not end where it could."""
        control = _CONTROL.match(self._text, self._at)
        if control is None or control[1] in "\r\n":
            needs = "needs a string that ends with '\"', without line ends in it"
            given = "the end of the text" if control is None else "the end of the line"
            raise _SyntaxError(self._at, ModelError(needs, given=given))
        character = control[1]
        written, name = f"\\u{ord(character):04X}", f"character U+{ord(character):04X}"
        if character == "\t":
            written, name = "\\t", "a tab"
        error = ModelError("needs strings without control characters", given=name)
        error.hint = f"write {written} instead"
        raise _SyntaxError(control.start(1), error)

    def _fail(self, needs: str) -> NoReturn:
        """Raise the error for what stands here instead of what is needed."""
        word = _WORD.match(self._text, self._at)
        found = word[0] if word else self._text[self._at : self._at + 1]
        if found:
            given, hint = _cut(repr(found)), _hint(found, needs)
        else:
            given, hint = "the end of the text", self._open_hint()
        raise _SyntaxError(self._at, ModelError(needs, given=given, hint=hint))

    def _open_hint(self) -> str | None:
        if not self._open:
            return None
        container = self._open[-1]
        opening = "{" if isinstance(container, JsonObject) else "["
        line, column = Document(self._text, None).line_and_column(container.offset)
        return f"the '{opening}' at line {line}, column {column} is still open"


def _hint(found: str, needs: str) -> str | None:
    """Return what to write instead of what JSON does not know."""
    if found == "#":
        return "comments begin with //"
    if found == "'":
        return "strings are in double quotes"
    if needs != "needs a value":
        return None
    if (special := _NOT_JSON.get(found.lower())) is not None:
        return f'write "{special}" as a string'
    if found in _OTHER_WORDS:
        return f"write {_OTHER_WORDS[found]}"
    number = _OTHER_NUMBER.fullmatch(found)
    if number is None or not any(character.isdigit() for character in found):
        return None
    sign, hexadecimal, digits, fraction, exponent = (part or "" for part in number.groups())
    if hexadecimal:
        whole, fraction = f"{int(hexadecimal[:20], 16)}", ""
    else:
        whole, fraction = digits or "0", "" if fraction == "." else fraction
    return _cut_hint(f"write {sign.removeprefix('+')}{whole}{fraction}{exponent}")


def _cut_hint(hint: str) -> str | None:
    return hint if len(hint) <= 2 * _MAX_SHOWN else None


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
