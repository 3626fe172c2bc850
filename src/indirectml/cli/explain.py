"""`indirectml explain`."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from indirectml.cli.common import (
    DONE,
    USAGE,
    Commands,
    Parser,
    add_command,
    add_device,
    code_of,
    failed,
    rule_of,
)
from indirectml.cli.explain_operator import (
    ALL,
    explain_operator,
    list_operators,
    operator_named,
    refuse_misspelled,
)
from indirectml.cli.fills import add_numbers, add_sizes, refuse_given, sequence_of
from indirectml.cli.graph_files import is_graph, opened_model
from indirectml.cli.graph_texts import dispatchable_row, explain_graph, model_lines
from indirectml.cli.model_files import decoded
from indirectml.cli.model_options import add_onnx_options, reading_of_onnx
from indirectml.cli.numbers import number
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DirectMLError, ModelError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.fills.comparing import number_text
from indirectml.fills.explaining import Distance, Explanation, RuleFacts, explain
from indirectml.fills.sequences import INDEX_END, as_number
from indirectml.inspection.pictures import SUFFIXES
from indirectml.models.context import ReadingOptions
from indirectml.models.model import Model
from indirectml.models.parsing import read_model
from indirectml.models.problems import Problems, printable
from indirectml.models.text import parse_json
from indirectml.operators.descs import (
    FillValueConstantOperatorDesc,
    FillValueSequenceOperatorDesc,
)
from indirectml.runtime import Device

_KINDS = ("sequence", "constant")
_SHOWN_SEGMENTS = 16
#: Larger models are refused.
_MODEL_BYTES = 1 << 26

_PLOT_SUFFIXES = (".svg", ".png")

#: Start, delta (None for a constant), data type and count: what `explaining.explain` takes.
_Fill = tuple[Any, Any, TensorDataType, int]


def add_explain(commands: Commands, shared: Parser) -> None:
    """Add `indirectml explain`."""
    parser = add_command(
        commands,
        shared,
        "explain",
        summary="what an operator computes, what a model does step by step, what a sequence holds",
        description="Tell what an operator computes, with an example; which steps a graph or an "
        "ONNX model takes, in the words of the arithmetic, with the memory of each; what a "
        "sequence, or the fills of a dispatch model, will do under both rules, for any count and "
        "without making the elements.",
        example="indirectml explain GEMM",
    )
    parser.add_argument(
        "subject",
        metavar="sequence|constant|OPERATOR|MODEL.json|GRAPH.bin|MODEL.onnx",
        help="a sequence or a constant by its numbers, an operator such as GEMM or "
        "DML_GEMM_OPERATOR_DESC (operators: a list of all), a model, a serialized graph, or an "
        "ONNX model; - is standard input",
    )
    add_onnx_options(parser)
    add_device(parser)
    add_numbers(parser, kept=" (default: FLOAT32)")
    add_sizes(parser, required=False)
    parser.add_argument("--dispatchable", metavar="NAME", help="only this one of a model")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw value and error to a .svg or .png file; a graph in a file to a .svg file, or to "
        "what Graphviz (.dot) and Mermaid (.mmd) read",
    )
    parser.set_defaults(command=_explain)


def _explain(options: argparse.Namespace) -> int:
    known = SUFFIXES if is_graph(Path(options.subject)) else _PLOT_SUFFIXES
    if options.plot is not None and options.plot.suffix.lower() not in known:
        needs = f"needs a {' or '.join(known)} file"
        error = SettingError(needs, given=f"{options.plot}", field="--plot")
        return failed(str(error), USAGE, options, error)
    Device(options.device)  # refuses one that is not there before anything is told
    if options.subject in _KINDS:
        refuse_given(options, ("dispatchable",), f"for a {options.subject}")
        return _explain_fills({"": _from_numbers(options)}, {}, [], options)
    names = ("data_type", "value", "start", "delta", "count", "sizes")
    refuse_given(options, names, "for a model, which says it itself")
    if options.subject == ALL and not Path(ALL).exists():
        refuse_given(options, ("dispatchable", "plot"), "for operators")
        return list_operators(as_json=options.json)
    if (operator := operator_named(options.subject)) is not None:
        refuse_given(options, ("dispatchable", "plot"), "for an operator")
        return explain_operator(operator, options)
    with _opened(options) as (path, raw):
        if raw is None:
            refuse_given(options, ("dispatchable",), "for a graph in a file")
            return explain_graph(path, options, as_json=options.json)
        try:
            found = _from_model(path, raw, options)
        except DirectMLError as error:
            return failed(f"{options.subject}: {error}", code_of(error), options, error)
        return _explain_fills(*found, options)


def _explain_fills(
    fills: dict[str, _Fill],
    others: dict[str, Any],
    overview: list[str],
    options: argparse.Namespace,
) -> int:
    found = {name: explain(*fill) for name, fill in fills.items()}
    if options.plot is not None:
        _plot(found, options.plot)
    if options.json:
        shown = {name: _as_json(explanation) for name, explanation in found.items()}
        print(json.dumps(shown.get("", shown | others), indent=2))
        return DONE
    print("".join(f"{printable(line)}\n" for line in overview), end="")
    for number_, (name, explanation) in enumerate(found.items()):
        if number_ or overview:
            print()
        print("\n".join(_lines(name, explanation, rule_of(options))))
    return DONE


def _from_numbers(options: argparse.Namespace) -> _Fill:
    count = options.count if options.sizes is None else math.prod(options.sizes)
    if not count:
        raise SettingError("is required, from 1 up", field="--count")
    if count > INDEX_END:
        raise SettingError("needs at most 2**64 - 1 elements", given=f"{count}", field="--count")
    type_ = options.data_type or TensorDataType.FLOAT32
    sequence = sequence_of(options.subject, options, type_)
    if options.subject == "constant":
        return sequence.start, None, type_, count
    # As it is written: -2 counts an unsigned type down, and does not wrap as 254 would.
    return sequence.start, number(options.delta, "delta"), type_, count


@contextmanager
def _opened(options: argparse.Namespace) -> Iterator[tuple[Path, bytes | None]]:
    """Give a model; one that is missing may be a misspelled kind of fill, or operator."""
    refuse_misspelled(options.subject, (*_KINDS, ALL))
    with opened_model(Path(options.subject), _MODEL_BYTES) as found:
        yield found


def _from_model(
    path: Path, raw: bytes, options: argparse.Namespace
) -> tuple[dict[str, _Fill], dict[str, Any], list[str]]:
    """Return the fills of a model, and its other dispatchables as JSON and as lines."""
    reading = ReadingOptions(
        toward_zero=options.like is not None,
        input_path=path.parent,
        **reading_of_onnx(options),
    )
    problems = Problems()
    model = read_model(parse_json(decoded(raw)), problems, reading)
    problems.raise_first()
    fills = _fills(model, options)
    others = _others(model, fills) if options.dispatchable is None else {}
    return fills, others, list(model_lines(path.name, model)) if others else []


def _others(model: Model, fills: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """Return what is told as JSON of dispatchables that are no fills."""
    found: dict[str, dict[str, Any]] = {}
    for name, dispatchable in model.dispatchables.items():
        if name not in fills:
            operator, outputs = dispatchable_row(dispatchable)
            found[name] = {"operator": operator, "outputs": outputs}
    return found


def _fills(model: Model, options: argparse.Namespace) -> dict[str, _Fill]:
    names = list(model.dispatchables)
    if options.dispatchable is not None:
        if options.dispatchable not in names:
            hint = suggestion(options.dispatchable, names)
            raise SettingError(
                "needs the name of a dispatchable of this model",
                given=repr(options.dispatchable),
                hint=hint,
                field="--dispatchable",
            )
        names = [options.dispatchable]
    fills = {}
    for name in names:
        desc = getattr(model.dispatchables[name], "desc", None)
        if isinstance(desc, FillValueSequenceOperatorDesc):
            delta: Any = desc.value_delta
            start = desc.value_start
            if not desc.value_data_type.signed:
                delta = _counted_down(delta.bits(desc.value_data_type), desc.value_data_type)
        elif isinstance(desc, FillValueConstantOperatorDesc):
            start, delta = desc.value, None
        else:
            continue
        fills[name] = (start, delta, desc.value_data_type, desc.output_tensor.element_count)
    is_only_fills = options.plot is not None or options.dispatchable is not None
    if not fills and (is_only_fills or not names):
        raise ModelError("needs a fill among its dispatchables", field="dispatchables")
    return fills


def _counted_down(bits: int, type_: TensorDataType) -> int:
    """Return the delta of an unsigned type as -2 where it is nearer to that than to 254."""
    return bits - (1 << type_.bits) if bits >> (type_.bits - 1) else bits


def _plot(found: dict[str, Explanation], path: Path) -> None:
    try:
        plotting = importlib.import_module("indirectml.fills.plotting")
    except ImportError:
        raise SettingError(
            "needs matplotlib, which is not installed",
            field="--plot",
            hint="pip install 'indirectml[plot]'",
        ) from None
    for number_, (name, explanation) in enumerate(found.items()):
        # A model chooses its names, and not which files are written.
        part = re.sub(r"[^\w-]", "_", name)[:50]
        several = path.with_stem(f"{path.stem}-{number_}-{part}")
        plotting.plot(explanation, path if len(found) == 1 else several)


# ---- text ----


def _lines(name: str, found: Explanation, rule: str) -> Iterator[str]:
    type_ = found.data_type
    title = f"{printable(name)}: " if name else ""
    yield f"{title}FILL_VALUE_SEQUENCE, {type_.name}, {found.count} elements"
    yield f"  start  {_number(found.start, type_)}"
    counted = found.exact_delta < 0 < float(found.delta)
    down = f", counting as {int(found.exact_delta)}" if counted else ""
    yield f"  delta  {_number(found.delta, type_)}{down}"
    yield ""
    rules = list(found.rules.values())
    rows = list(_table(rules))
    width = max(10, *(len(texts[0]) for _, texts in rows)) + 2
    yield f"{'':24}{'accumulate':{width}}multiply"
    for label, texts in rows:
        yield f"{label:24}{texts[0]:{width}}{texts[1]}"
    yield ""
    yield from _parting(found)
    chosen = found.rules[rule]
    if chosen.segments:
        yield ""
        yield from _segments(chosen, type_)


def _table(rules: list[RuleFacts]) -> Iterator[tuple[str, list[str]]]:
    """Yield label and both columns, without the lines that say nothing."""
    rows: dict[str, list[str]] = {
        "segments": [f"{_least(f)}{f.segment_count}" for f in rules],
        "exact up to element": [_index(f.last_exact) for f in rules],
        "no change from element": [_index(f.absorbed_at) for f in rules],
        "infinite from element": [_index(f.infinite_at) for f in rules],
        "NaN from element": [_index(f.nan_at) for f in rules],
        "wraps at element": [_index(f.wrapped_at) for f in rules],
        "starts again after": [_index(f.period) for f in rules],
        "same as the one before": [
            f"{_least(f)}{f.repeated_count}, first {f.first_repeated}" if f.repeated_count else "-"
            for f in rules
        ],
        "largest error": [_distance(f.largest_error) for f in rules],
        "last element": [str(f.last) for f in rules],
    }
    for label, texts in rows.items():
        if any(text != "-" for text in texts):
            yield label, texts


def _least(facts: RuleFacts) -> str:
    return "" if facts.is_complete else "at least "


def _parting(found: Explanation) -> Iterator[str]:
    if found.largest_ulp is None or found.largest_difference is None:
        yield "Both rules are the same for integers."
    elif found.part_at is None:
        some = "" if found.is_complete else " as far as that was looked at"
        yield f"Both rules give the same bits{some}."
    else:
        yield f"The rules part at element {found.part_at}."
        ulp = _distance(found.largest_ulp, " ULP")
        if found.largest_ulp.value:
            yield f"Largest distance: {ulp}; in value {_distance(found.largest_difference)}."


def _segments(facts: RuleFacts, type_: TensorDataType) -> Iterator[str]:
    yield f"Segments under {facts.sequence.rule}: bit patterns that advance by a constant step"
    rows = [("element", "count", "first bits", "bits per step", "value")]
    shown = facts.segments[:_SHOWN_SEGMENTS]
    for segment in shown:
        bits = round(segment.first_bits) % (1 << type_.bits)
        rows.append(
            (
                str(segment.first_index),
                str(segment.count),
                _pattern(segment.first_bits, type_),
                _step(segment.bits_per_step),
                str(as_number(bits, type_)),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        *cells, value = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}  {value.strip()}"
    if any(isinstance(number_, Fraction) for segment in shown for number_ in segment[2:]):
        yield "  (patterns between two are rounded to the nearest, ties to the even one)"
    if facts.segment_count > _SHOWN_SEGMENTS:
        yield f"  ... and {facts.segment_count - _SHOWN_SEGMENTS} more"


def _pattern(bits: int | Fraction, type_: TensorDataType) -> str:
    """Return a bit pattern in hexadecimal; of a fraction as many digits as the pattern has."""
    digits = type_.bits // 4
    if isinstance(bits, int):
        return f"0x{bits:0{digits}X}"
    whole, fraction = divmod(bits, 1)
    scaled = fraction * 16**digits
    rest = f"{int(scaled):0{digits}X}".rstrip("0") if scaled.denominator == 1 else ""
    return f"0x{whole:0{digits}X}.{rest or f'{int(scaled):0{digits}X}...'}"


def _step(step: int | Fraction) -> str:
    """Return a step in decimal digits; with ~ in front if there are more."""
    if isinstance(step, int):
        return str(step)
    digits = f"{float(step):.10g}"
    return digits if Fraction(digits) == step else f"~{digits}"


def _number(value: np.generic, type_: TensorDataType) -> str:
    bits = int(np.asarray(value).view(f"u{type_.item_bytes}"))
    text = number_text(bits, type_)
    if not type_.is_float or not np.isfinite(value):
        return text
    exact = Fraction(float(value))
    digits = f"{float(exact):.17g}"
    return text if Fraction(digits) == Fraction(str(value)) else f"{text}, which is {digits}"


def _index(index: int | None) -> str:
    return "-" if index is None else str(index)


def _distance(distance: Distance | None, unit: str = "") -> str:
    if distance is None:
        return "-"
    if distance.value == 0:
        return "none"
    value = _short(distance.value)
    least = "" if distance.is_exact else "at least "
    return f"{least}{value}{unit} at {distance.index}"


def _short(value: Fraction | float) -> str:
    """Return an integer in full, and anything else in six digits, however large it is."""
    if isinstance(value, int):
        return str(value)
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return f"{Decimal(round(value)):.5e}"


# ---- JSON ----


def _as_json(found: Explanation) -> dict[str, Any]:
    type_ = found.data_type
    return {
        "data_type": type_.name,
        "start": _json_number(found.start, type_),
        "delta": _json_number(found.delta, type_),
        "count": found.count,
        "complete": found.is_complete,
        "rules_part_at": found.part_at,
        "largest_ulp_distance": _json_distance(found.largest_ulp),
        "largest_difference": _json_distance(found.largest_difference),
        "rules": {name: _json_rule(facts, type_) for name, facts in found.rules.items()},
    }


def _json_rule(facts: RuleFacts, type_: TensorDataType) -> dict[str, Any]:
    return {
        "segment_count": facts.segment_count,
        "last_exact": facts.last_exact,
        "absorbed_at": facts.absorbed_at,
        "infinite_at": facts.infinite_at,
        "nan_at": facts.nan_at,
        "wrapped_at": facts.wrapped_at,
        "period": facts.period,
        "repeated_count": facts.repeated_count,
        "first_repeated": facts.first_repeated,
        "largest_error": _json_distance(facts.largest_error),
        "last": _json_number(facts.last, type_),
        "segments": [
            {
                "first_index": segment.first_index,
                "count": segment.count,
                "first_bits": str(segment.first_bits),
                "bits_per_step": str(segment.bits_per_step),
            }
            for segment in facts.segments
        ],
    }


def _json_number(value: np.generic, type_: TensorDataType) -> dict[str, str]:
    bits = int(np.asarray(value).view(f"u{type_.item_bytes}"))
    return {"value": str(value), "bits": f"0x{bits:0{type_.bits // 4}X}"}


def _json_distance(distance: Distance | None) -> dict[str, Any] | None:
    if distance is None:
        return None
    value = distance.value
    shown: int | float | str = _short(value)
    if isinstance(value, int) or abs(value) <= sys.float_info.max:
        shown = value if isinstance(value, int) else float(value)
    return {"value": shown, "index": distance.index, "exact": distance.is_exact}
