"""Reading the text of a model from a file or from standard input."""

from __future__ import annotations

import codecs
import errno
import sys
from pathlib import Path

from indirectml.cli.common import STANDARD
from indirectml.core.errors import ModelError

#: How files begin that are no UTF-8: a mark, or every second byte zero.
_OTHER_ENCODINGS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
    b"{\0": "UTF-16",
    b"\0{": "UTF-16",
}

#: Read at a time, so that a file that never ends is not read far.
_PIECE = 1 << 20


def read_bytes(path: Path, limit: int, hint: str | None = None) -> bytes:
    """Return the content of a file, or of standard input for `-`.

    Raises
    ------
    OSError
        It cannot be read, or has more bytes than the limit.
    """
    if path == STANDARD:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed")
        return _limited(sys.stdin.buffer, limit, "standard input", hint)
    with path.open("rb") as file:
        return _limited(file, limit, str(path), hint)


def _limited(file: object, limit: int, name: str, hint: str | None) -> bytes:
    pieces = bytearray()
    while piece := file.read(min(_PIECE, limit + 1 - len(pieces))):  # type: ignore[attr-defined]
        pieces += piece
        if len(pieces) > limit:
            reason = f"a model of more than {limit} bytes"
            raise OSError(errno.EFBIG, f"{reason}; {hint}" if hint else reason, name)
    return bytes(pieces)


def decoded(raw: bytes) -> str:
    """Return the text of a model.

    Raises
    ------
    ModelError
        It is not UTF-8.
    """
    for begin, name in _OTHER_ENCODINGS.items():
        if raw.startswith(begin):
            raise ModelError("needs UTF-8", given=name, hint="save the file as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError("needs UTF-8", given=f"{error.reason} at byte {error.start}") from None
