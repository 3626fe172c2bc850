"""Formulas of definitions as mathematics: the first sentence of a docstring, written in TeX."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Words of formulas that TeX has commands for; every other word before a bracket is upright.
_COMMANDS = {
    "exp", "log", "max", "min", "sin", "cos", "tan", "sinh", "cosh", "tanh",
}  # fmt: skip

#: Words that end a formula: what follows them says where it holds.
_CONDITIONS = ("where", "above", "below", "elsewhere")

#: What says where a formula holds, as an operator of two sides.
_COMPARISONS = {
    "is greater than or equal to": r"\ge", "is less than or equal to": r"\le",
    "is greater than": ">", "is less than": "<", "is above": ">", "is below": "<", "equals": "=",
    "is not zero": r"\ne 0", "is zero": "= 0", "<": "<",
}  # fmt: skip

#: How prose behind a comma begins that adds to a formula, and does not go on with it.
_ADDED = re.compile(r"[,:] (?=(?:(?:for|in|along|with|at|a|within) [a-z]|and zeros |sums of ))")

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z]\w*(?:'s\b|'*))|(?P<mark>[-+*/^|()\[\],]))"
)


class _NoFormulaError(Exception):
    """What stands here is no formula."""


def with_mathematics(text: str) -> str:
    """Return a definition in Markdown whose first sentence, and blocks of formulas, are TeX.

    What is no formula, and what this cannot read, stays as it is.
    """
    first, blank, rest = text.partition("\n\n")
    blocks = re.split(r"(?<=\n\n)((?: {4}.*\n)+)(?=\n)", f"{blank}{rest}\n\n")
    return sentence(first) + "".join(map(_block, blocks)).rstrip("\n")


def sentence(text: str) -> str:
    r"""Return a sentence as a block of mathematics, and the prose behind it as a paragraph.

    Examples
    --------
    >>> print(sentence("Output = A / B."))
    ```math
    \mathrm{Output} = \frac{A}{B}
    ```
    >>> sentence("Output = the larger of A and B.")
    'Output = the larger of A and B.'
    """
    try:
        formula, prose = _formula(" ".join(text.removesuffix(".").split()))
    except _NoFormulaError:
        return text
    return _fenced(formula) + (f"\n\n{prose}." if prose else "")


def _block(text: str) -> str:
    """Return an indented block of formulas, each on its own line, as mathematics."""
    if not text.startswith("    "):
        return text
    rows = []
    try:
        for line in text.splitlines():
            formula, _, condition = re.sub(r"\s{2,}", ", ", line.strip()).partition(", ")
            written, _ = _formula(formula)
            written = written.replace(" = ", " &= ", 1)
            if condition.startswith("or "):
                other, _, condition = condition[3:].partition(" with ")
                written += rf" \quad\text{{or }} {_whole(other)}"
                condition = f"with {condition}"
            rows.append(written + (rf" \quad\text{{{condition}}}" if condition else ""))
    except _NoFormulaError:
        return text
    return (
        _fenced(r"\begin{aligned}" + "\n" + " \\\\\n".join(rows) + "\n" + r"\end{aligned}") + "\n"
    )


def _fenced(formula: str) -> str:
    return f"```math\n{formula}\n```"


def _formula(text: str) -> tuple[str, str]:
    """Return a formula in TeX, and the prose that follows it."""
    parts = re.fullmatch(r"(\w+'?(?:\[.*?\])?) = (.+)", text)
    if parts is None or parts[1] == "Outputs":
        raise _NoFormulaError
    left = _whole(parts[1])
    right, prose = parts[2], ""
    found = _ADDED.search(right)
    if found and not re.match("with [a-z] = ", right[found.end() :]):
        right, prose = right[: found.start()], right[found.end() :]
    elif found:
        right, _, given = right.partition(", with ")
        given, _, prose = given.partition(", ")
        name, _, value = given.partition(" = ")
        return rf"{left} = {_whole(right)}, \quad {_whole(name)} = {_whole(value)}", prose
    first, _, second = right.partition(", then ")
    if second:
        place, _, value = second.partition(" = ")
        then = rf"\quad\text{{then}}\quad {_whole(place)} = {_whole(value)}"
        return f"{left} = {_whole(first)}, {then}", prose
    if re.search(rf"\b({'|'.join(_CONDITIONS)})\b", right):
        return f"{left} = {_cases(right)}", prose
    return f"{left} = {_whole(right)}", prose


def _cases(text: str) -> str:
    """Return alternatives, each with where it holds; the last or the first one holds elsewhere."""
    rows = []
    for each in re.split(r", (?:or )?(?![^(]*\))", text):
        found = re.fullmatch(rf"(.+?)(?: ({'|'.join(_CONDITIONS)})(?: (.+))?)?", each)
        if found is None or (found[2] == "elsewhere" and found[3]):
            raise _NoFormulaError
        value, kind, place = _whole(found[1]), found[2], found[3]
        if kind in ("above", "below"):  # of activations: the input is
            bound = "0" if place == "zero" else _whole(place)
            held = rf"\mathrm{{Input}} {'>' if kind == 'above' else '<'} {bound}"
        else:
            held = r"\text{elsewhere}" if kind != "where" else _condition(place)
        rows.append((held == r"\text{elsewhere}", rf"{value} & {held}"))
    if len(rows) < 2:  # noqa: PLR2004 (something, and elsewhere something else)
        raise _NoFormulaError
    rows.sort(key=lambda row: row[0])
    return r"\begin{cases} " + r" \\ ".join(row for _, row in rows) + r" \end{cases}"


def _condition(text: str) -> str:
    """Return a condition as comparisons, or as the words that it is."""
    written = text
    for words, mark in _COMPARISONS.items():
        written = re.sub(rf" {words}(?= |$)", rf" ~{mark}~ ".replace("\\", r"\\"), written)
    sides = written.split("~")
    try:
        sides[::2] = [_whole(side) if side else "" for side in map(str.strip, sides[::2])]
    except _NoFormulaError:
        return rf"\text{{where {text}}}"
    return r"\text{where } " + " ".join(filter(None, sides))


# ---- expressions ----


@dataclass(frozen=True)
class _Part:
    """A part of an expression: its TeX, and what it may stand beside."""

    tex: str
    is_one: bool = True  # needs no brackets below an exponent
    is_text: bool = False
    bare: str | None = None  # what is between its brackets, if it has some


def _whole(text: str) -> str:
    """Return an expression that is all of a text."""
    reader = _Reader(text)
    part = reader.total()
    if reader.here is not None:
        raise _NoFormulaError
    return part.tex


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._position, self._depth = text, 0, 0
        # What a filter slides over is no product.
        self._product = r"\ast" if "Filter" in text else r"\cdot"
        self.here: str | None = None
        self._kind: str | None = None
        self._next()

    def _next(self) -> str | None:
        taken = self.here
        found = _TOKEN.match(self._text, self._position)
        if found is None:
            if self._text[self._position :].strip():
                raise _NoFormulaError
            self.here = self._kind = None
        else:
            self._kind, self.here = found.lastgroup, found[found.lastgroup or 0]
            self._position = found.end()
        return taken

    def _take(self, mark: str) -> None:
        if self.here != mark:
            raise _NoFormulaError
        self._next()

    def _is_word(self) -> bool:
        """Return whether a word of prose comes: no name, no function."""
        word = self.here or ""
        called = self._text[self._position : self._position + 1] == "("
        is_word = word == "a" or (word.islower() and len(word.rstrip("'")) > 1)
        return self._kind == "name" and is_word and not called

    def total(self) -> _Part:
        """Read terms that are added."""
        part = self._term()
        while self.here in ("+", "-"):
            mark = self._next()
            part = _Part(f"{part.tex} {mark} {self._term().tex}", is_one=False)
        return part

    def _term(self) -> _Part:
        part = self._factor()
        while True:
            if self.here == "*":
                self._next()
                part = _Part(f"{part.tex} {self._product} {self._factor().tex}", is_one=False)
            elif self.here == "/":
                self._next()
                below = self._factor()
                over = rf"\frac{{{part.bare or part.tex}}}{{{below.bare or below.tex}}}"
                part = _Part(over, is_one=False)
            elif self.here == "at" and self._is_word():  # and a whole expression, the coordinate
                return _Part(rf"{part.tex}\;{self._words().tex}\;{self.total().tex}", is_one=False)
            elif self._kind == "name" or self.here == "(" or (part.is_text and self.here == "|"):
                beside = self._factor()
                space = r"\;" if part.is_text or beside.is_text else r"\,"
                part = _Part(f"{part.tex}{space}{beside.tex}", is_one=False, is_text=beside.is_text)
            else:
                return part

    def _factor(self) -> _Part:
        if self.here == "-":
            self._next()
            return _Part(f"-{self._factor().tex}", is_one=False)
        base = self._atom()
        if self.here != "^":
            return base
        self._next()
        power = self._atom()
        tex = r"\mathsf{T}" if power.tex == "T" else power.bare or power.tex
        return _Part(rf"{base.tex if base.is_one else f'{{{base.tex}}}'}^{{{tex}}}")

    def _atom(self) -> _Part:
        if self.here in ("(", "|"):
            return self._bracketed()
        if self._kind == "number":
            return _Part(self._next() or "")
        if self._is_word():
            return self._words()
        if self._kind != "name":
            raise _NoFormulaError
        name = self._next() or ""
        if "_" in name or (name.isupper() and len(name.rstrip("'")) > 1):  # another operator
            raise _NoFormulaError
        if self.here == "(" and self._text[self._position - 2] != " ":
            return self._call(name)
        tex = _named(name)
        if self.here == "[":
            self._next()
            tex += rf"[{', '.join(self._arguments(']'))}]"
        return _Part(tex)

    def _bracketed(self) -> _Part:
        if self._next() == "|":
            return _Part(rf"\left|{self._arguments('|')[0]}\right|")
        inside = ", ".join(self._arguments(")"))
        return _Part(_in_brackets(inside), bare=inside)

    def _arguments(self, closing: str) -> list[str]:
        self._depth += 1
        found = [self.total().tex]
        while self.here == ",":
            self._next()
            found.append(self.total().tex)
        self._depth -= 1
        self._take(closing)
        return found

    def _call(self, name: str) -> _Part:
        self._take("(")
        given = self._arguments(")")
        if name == "sqrt":
            return _Part(rf"\sqrt{{{given[0]}}}")
        if name == "recip":
            return _Part(rf"\frac{{1}}{{{given[0]}}}", is_one=False)
        if name == "floor":
            return _Part(rf"\left\lfloor {given[0]} \right\rfloor")
        if name == "sum":
            return _Part(rf"\sum {given[0]}", is_one=False)
        function = rf"\{name}" if name in _COMMANDS else rf"\operatorname{{{name}}}"
        function = name if len(name) == 1 else function
        return _Part(f"{function}{_in_brackets(', '.join(given))}")

    def _words(self) -> _Part:
        """Read prose, such as the norm along the axis; without brackets it is a sentence."""
        if not self._depth and self.here != "at":
            raise _NoFormulaError
        words = []
        while self._is_word():
            words.append(self._next() or "")
        return _Part(rf"\text{{{' '.join(words)}}}", is_text=True)


def _in_brackets(inside: str) -> str:
    """Return an expression in brackets, as high as it is."""
    return rf"\left({inside}\right)" if r"\frac" in inside else f"({inside})"


def _named(name: str) -> str:
    """Return a name: upright, one letter as mathematics writes it, with its primes behind."""
    letters = name.rstrip("'")
    primes = name[len(letters) :]
    return (letters if len(letters) == 1 else rf"\mathrm{{{letters}}}") + primes
