"""What can go wrong, as exceptions that name the place, the requirement and what was given.

Each error is a :class:`DirectMLError` and also the builtin exception that fits, so callers may
catch either. Inner code raises the reason; whoever knows the surroundings puts them in front with
:meth:`DirectMLError.within`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import Any, Self


class HResult(IntEnum):
    """The result codes of Windows that DirectML reports, as its page on errors has them."""

    S_OK = 0
    E_INVALIDARG = 0x80070057
    E_NOTIMPL = 0x80004001
    E_UNEXPECTED = 0x8000FFFF
    DXGI_ERROR_UNSUPPORTED = 0x887A0004
    DXGI_ERROR_DEVICE_REMOVED = 0x887A0005

    __str__ = Enum.__str__


class DirectMLError(Exception):
    """An error with its parts as attributes; ``str()`` joins them into one sentence.

    Parameters
    ----------
    required : str
        What is required, as the middle of a sentence: "needs 4 sizes".
    given : str, optional
        What was given instead.
    hint : str, optional
        The obvious next step, if there is one.
    field : str, optional
        The place: a path of field or argument names such as "OutputTensor.Strides".

    Attributes
    ----------
    hresult : HResult
        What DirectML's own API would have returned.
    """

    hresult = HResult.E_INVALIDARG

    def __init__(
        self,
        required: str,
        *,
        given: str | None = None,
        hint: str | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(required)
        self.required = required
        self.given = given
        self.hint = hint
        self.field = field

    def within(self, place: str) -> Self:
        """Put `place` in front of the field; returns the same error, to be raised again."""
        if not self.field:
            self.field = place
        else:
            self.field = place + ("" if self.field.startswith("[") else ".") + self.field
        return self

    def __str__(self) -> str:
        # Names and values may come from a file: a line each, nothing that acts on a terminal.
        lines = (cut(escaped(line), _LINE_CHARACTERS) for line in self.required.split("\n"))
        text = "\n".join(lines)
        if self.field:
            text = f"{cut(escaped(self.field), _FIELD_CHARACTERS)}: {text}"
        if self.given is not None:
            text += f", got {cut(escaped(self.given), _FIELD_CHARACTERS)}"
        return f"{text}; {cut(escaped(self.hint), _FIELD_CHARACTERS)}" if self.hint else text


class DescriptorError(DirectMLError, ValueError):
    """A field of a descriptor is outside of what the operator, or its feature level, allows."""


class DataTypeError(DirectMLError, TypeError):
    """A data type, or the type of an argument, that cannot be used here."""


class ScalarError(DirectMLError, ValueError):
    """A number that the data type cannot hold."""


class LayoutError(DirectMLError, ValueError):
    """Sizes, strides or memory that cannot be written: overlapping, read-only, too small."""


class BindingError(DirectMLError, ValueError):
    """Arrays or buffers that do not fit the tensors they are bound to."""


class SettingError(DirectMLError, ValueError):
    """A setting outside of its range."""


class ModelError(DirectMLError, ValueError):
    """A dispatch model that cannot be read, or that says something impossible."""


class FileFormatError(DirectMLError, ValueError):
    """A file whose bytes are not what its name or the caller says."""


class OnnxExportError(DirectMLError, ValueError):
    """A graph that cannot be written as an ONNX model.

    Attributes
    ----------
    refusals : tuple of str
        A sentence per node that has no ONNX form, with its name.
    """

    refusals: tuple[str, ...] = ()

    @classmethod
    def of(cls, refusals: Sequence[str]) -> Self:
        """Return the error of some nodes, which shows all of them."""
        count = len(refusals)
        text = refusals[0]
        if count > 1:
            text = "\n  ".join([f"{count} nodes cannot be written as ONNX:", *refusals])
        error = cls(text)
        error.refusals = tuple(refusals)
        return error


class OperatorNotImplementedError(DirectMLError, NotImplementedError):
    """An operator that DirectML has and IndirectML does not have yet."""

    hresult = HResult.E_NOTIMPL


class DeviceUnavailableError(DirectMLError, RuntimeError):
    """A device, feature level or instruction set that this machine or build does not have."""

    hresult = HResult.DXGI_ERROR_UNSUPPORTED


class DeviceLostError(DirectMLError, RuntimeError):
    """Recording or binding was misused, and the device with everything made by it is gone.

    `reason` is what `Device.device_removed_reason` says from now on.
    """

    hresult = HResult.DXGI_ERROR_DEVICE_REMOVED
    reason = HResult.E_INVALIDARG


#: How long sentences become: of what is shown of a value, of a line, of what stands around it.
_SHOWN_CHARACTERS, _LINE_CHARACTERS, _FIELD_CHARACTERS = 60, 1000, 500
#: Of the name of a node, or of each part of its place.
_LABEL_CHARACTERS = 100


def shown(value: object) -> str:
    """Return how a message shows what was given: briefly, whatever it is.

    Examples
    --------
    >>> shown(1.5), shown("text"), shown(10**10000)
    ('1.5', "'text'", 'int of very many digits')
    """
    is_long = isinstance(value, str | bytes | list | tuple) and len(value) > _SHOWN_CHARACTERS
    try:
        # NumPy's numbers show their types in repr; an exception says enough without.
        shortened: Any = value[: _SHOWN_CHARACTERS + 1] if is_long else value  # type: ignore[index]  # has a length
        text = str(value) if hasattr(value, "dtype") else repr(shortened)
    except ValueError:  # Python refuses to write numbers of more than 4300 digits
        return f"{type(value).__name__} of very many digits"
    return cut(text, _SHOWN_CHARACTERS)


def cut(text: str, most: int) -> str:
    """Return a text, or its beginning."""
    return text if len(text) <= most else f"{text[:most]}..."


def escaped(text: str) -> str:
    r"""Return a text without what moves the cursor, or does worse, on a terminal.

    Examples
    --------
    >>> escaped("a\nb\x1b[2J")
    'a\\nb\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def label(name: str) -> str:
    """Return a name of a file's as messages and reprs show it: escaped, and not too long."""
    return cut(escaped(name[: _LABEL_CHARACTERS + 1]), _LABEL_CHARACTERS)


class refusing:  # noqa: N801 (it stands after `with`)
    """Turn whatever a file makes Python or another library raise into an error of this one.

    Parameters
    ----------
    required : str
        What is required of the file, or of a part of it.
    kind : type
        Of the error.

    Raises
    ------
    DirectMLError
        Anything was raised but an OSError, or a wish to end; an error of this library's own stays.

    Notes
    -----
    Without a state of its own: one may be entered any number of times. For each node of a model,
    a generator would take longer.
    """

    def __init__(self, required: str, kind: type[DirectMLError] = ModelError) -> None:
        self._required = required
        self._kind = kind

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, traceback: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, DirectMLError | OSError):
            return
        if isinstance(error, MemoryError):
            given = "one that needs more memory than there is"
            raise self._kind(self._required, given=given) from None
        raise self._kind(self._required, given=self.given(error)) from error

    def given(self, error: Exception) -> str:
        """Return what a sentence tells of an error of another kind."""
        return f"{type(error).__name__}: {shown(str(error))}"
