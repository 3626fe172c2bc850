"""`indirectml run` and `indirectml validate`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.cli.common import (
    DONE,
    INPUT_OUTPUT,
    REFUSED,
    STANDARD,
    USAGE,
    Commands,
    Parser,
    PrintAndEnd,
    Steps,
    add_command,
    code_of,
    failed,
    interruptible,
    rule_of,
    tell,
    used_device,
)
from indirectml.cli.explain_operator import operator_named, refuse_misspelled
from indirectml.cli.graph_files import (
    asked_options,
    check_graph,
    counted,
    is_graph,
    kind_of,
    opened_model,
)
from indirectml.cli.graph_runs import add_tensor_options, refuse_tensor_options, run_graph
from indirectml.cli.model_files import decoded
from indirectml.cli.model_options import (
    DEFAULT_LEVEL_LIKE_DIRECTML,
    WITHOUT_EFFECT,
    add_model_options,
    add_onnx_options,
    add_run_options,
    reading_of_onnx,
)
from indirectml.cli.operator_runs import run_operator
from indirectml.core.errors import DirectMLError, ModelError, SettingError
from indirectml.core.progress import watching
from indirectml.core.settings import Settings
from indirectml.devices import found_devices
from indirectml.models.checking import Limits, check_model, replaced_targets
from indirectml.models.context import ReadingOptions
from indirectml.models.model import Model
from indirectml.models.parsing import read_model
from indirectml.models.problems import Problem, Problems, printable
from indirectml.models.running import ModelRun, RunOptions
from indirectml.models.schema import stored_schema
from indirectml.models.text import MEMORY_PER_BYTE, Document, read_json
from indirectml.onnx_import.model import OnnxModelError
from indirectml.runtime import CompiledOperator, Device

#: More mistakes than these are counted, not shown.
_SHOWN_PROBLEMS = 100

#: A line that is shown of a model stands in so far.
_INDENT = "    "


def add_run(commands: Commands, shared: Parser) -> None:
    """Add `indirectml run`."""
    run = add_command(
        commands,
        shared,
        "run",
        summary="run dispatch models (DxDispatch's JSON), serialized graphs and ONNX models",
        description="Run dispatch models: create their resources, compile their operators, carry "
        "out their commands, and print what DxDispatch prints. With several models, each is run "
        "and a summary follows. A serialized DirectML graph (.bin) and an ONNX model (.onnx) are "
        "run with arrays from files, and so is an operator by its name: run GEMM --input "
        "A=a.npy --input B=b.npy --field Alpha=2.",
        example='indirectml run GEMM --input "A=[[1, 2]]" --input "B=[[3], [4]]"',
    )
    add_model_options(run)
    add_run_options(run)
    add_tensor_options(run)
    add_onnx_options(run)
    run.set_defaults(command=_run)


def add_validate(commands: Commands, shared: Parser) -> None:
    """Add `indirectml validate`."""
    validate = add_command(
        commands,
        shared,
        "validate",
        summary="list every mistake of dispatch models, with its place",
        description="Check everything that `run` would check, without running: every mistake is "
        "listed with line, column and path. What has no effect is listed as a warning.",
        example="indirectml validate examples/fill_value_sequence.json",
    )
    add_model_options(validate)
    add_onnx_options(validate)
    validate.add_argument(
        "--json", action="store_true", help="as one JSON object, or a list of them for several"
    )
    validate.add_argument(
        "--schema",
        action=PrintAndEnd,
        text=stored_schema,
        help="print the JSON Schema of models, for editors, and end",
    )
    validate.set_defaults(command=_validate)


@dataclass(frozen=True)
class _Checked:
    """A model that has been read and checked, as far as that was possible.

    Attributes
    ----------
    kind : str
        What it is; "model" if that cannot be known.
    contents : list of str
        What it consists of, if it is valid.
    """

    name: str
    problems: Problems
    kind: str = "model"
    contents: list[str] = field(default_factory=list)
    document: Document = field(default_factory=lambda: Document("", None))
    model: Model = field(default_factory=lambda: Model({}, {}, ()))
    compiled: dict[str, CompiledOperator] = field(default_factory=dict)

    def sorted(self, problems: Iterable[Problem]) -> list[tuple[int, int, Problem]]:
        """Return the problems in the order of their places, with line and column."""
        placed = [(*self.document.place(problem), problem) for problem in problems]
        return sorted(placed, key=lambda item: item[:2])

    def lines(self, line: int, column: int, problem: Problem) -> Iterator[str]:
        """Yield one problem with its place, then the line of the model with a caret below it."""
        if is_graph(Path(self.name)):  # its places are nodes, not lines
            text = f"{problem.error}".removeprefix(f"{self.name}: ")
            yield printable(f"{self.name}: {text}")
            return
        kind = "warning: " if problem.is_warning else ""
        yield printable(f"{self.name}:{line}:{column}: {kind}{problem.error}")
        for excerpt in self.document.excerpt(self.document.offset_of_problem(problem)):
            yield _INDENT + excerpt


# ---- which models ----


def _paths(options: argparse.Namespace) -> list[Path]:
    """Return the models that the arguments name: files, and those in folders.

    Raises
    ------
    SettingError
        There are none.
    """
    found: list[Path] = []
    for path in [*options.models, *(options.named or ())]:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.suffix.lower() == ".json")
            if not inside:
                needs = "needs a folder with .json files directly in it"
                raise SettingError(needs, given=repr(str(path)))
            found += inside
        else:
            found.append(path)
    if not found:
        raise SettingError("needs a model, or a folder of them", given="none")
    return found


def _found(path: Path, options: argparse.Namespace) -> Path:
    """Return where a model is: at its path, or below the folder for inputs."""
    if path == STANDARD or path.exists() or options.input_path is None:
        return path
    inside: Path = options.input_path / path
    return inside if inside.exists() else path


def _checked(
    name: str,
    path: Path,
    raw: bytes | None,
    options: argparse.Namespace,
    device: Device,
    limits: Limits,
) -> _Checked:
    """Read a model and check it.

    Parameters
    ----------
    raw : bytes or None
        Of a text; None for a graph in a file.

    Raises
    ------
    OSError, DirectMLError
        The file cannot be read, or is no model.
    """
    problems = Problems()
    if raw is None:
        try:
            with Steps(f"checking {path.name}"):
                graph = check_graph(path, device, options)
        except OnnxModelError as error:
            for refusal in error.refusals:  # whose places are no paths of JSON
                hint = asked_options(error) if "constants=" in refusal.reason else None
                problems.add(ModelError(f"{refusal}", hint=hint))
            return _Checked(name, problems)
        counts = {"operator": graph.operators, "input": graph.inputs, "output": graph.outputs}
        contents = [kind_of(graph), *(counted(len(each), noun) for noun, each in counts.items())]
        return _Checked(name, problems, kind_of(graph), contents)
    with Steps(f"reading {path.name}"):
        document = read_json(decoded(raw))
    problems.add_read(document.problems)
    model, compiled = Model({}, {}, ()), {}
    if document.is_complete:
        rounding = options.float16_rounding or (
            "nearest" if options.like is None else "toward-zero"
        )
        reading = ReadingOptions(
            toward_zero=rounding == "toward-zero",
            input_path=options.input_path or path.parent,
            is_confined=options.confine_reads,
            memory_limit=options.memory_limit,
            **reading_of_onnx(options),
        )
        with Steps(f"loading {path.name}"):
            model = read_model(document.root, problems, reading)
        with Steps(f"compiling {counted(len(model.dispatchables), 'dispatchable')}"):
            compiled = check_model(model, device, limits, problems, len(raw))
    # Several may have one name, in different sizes.
    counts = {
        "resource": {each.name for each in model.resources.values()},
        "dispatchable": {each.name for each in model.dispatchables.values()},
        "command": model.commands,
    }
    contents = [counted(len(each), noun) for noun, each in counts.items()]
    return _Checked(name, problems, "dispatch model", contents, document, model, compiled)


def _device(options: argparse.Namespace) -> Device:
    level = options.feature_level
    if level is None:
        level = max(FeatureLevel) if options.like is None else DEFAULT_LEVEL_LIKE_DIRECTML
    return Device(options.device, feature_level=level, sequence_rule=rule_of(options))


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(
        options.memory_limit, options.output_path, options.allow_outside, not options.no_replace
    )


# ---- run ----


def _run(options: argparse.Namespace) -> int:
    for flag, flags in options.without_effect:
        _, reason = WITHOUT_EFFECT[tuple(flags)]
        tell(f"{flag} has no effect: {reason}")
    if options.show_adapters:
        print(_device_name(options))
        if not options.models and not options.named:
            return DONE
    if len(options.models) == 1 and not options.named:
        operator = operator_named(str(options.models[0]))
        if operator is not None:
            return _run_operator(operator, options)
        refuse_misspelled(str(options.models[0]))
    paths = _paths(options)
    device, limits = _device(options), _limits(options)
    if len(paths) == 1:
        return _run_one(paths[0], options, device, limits)
    return _run_many(paths, options, device, limits)


def _run_many(
    paths: list[Path], options: argparse.Namespace, device: Device, limits: Limits
) -> int:
    codes = []
    for number, path in enumerate(paths):
        print(("," if number else "[") if options.json else printable(f"{path}:"))
        sys.stdout.flush()
        codes.append(_one_of_many(path, options, device, limits))
        if options.json and codes[-1] != DONE:
            print(json.dumps({"model": str(path), "exit_code": codes[-1]}))
    refused, unread = codes.count(REFUSED) + codes.count(USAGE), codes.count(INPUT_OUTPUT)
    parts = [f"{codes.count(DONE)} done", *([f"{refused} refused"] if refused else []),
             *([f"{unread} failed"] if unread else [])]  # fmt: skip
    print("]" if options.json else f"{len(codes)} models: {', '.join(parts)}")
    return max(codes)


def _run_operator(operator: str, options: argparse.Namespace) -> int:
    pieces = run_operator(operator, options)
    if not options.json:
        print(f"Running {operator} on '{_device_name(options)}'")
    with interruptible():
        for piece in pieces:
            sys.stdout.write(piece)
    return DONE


def _opened(path: Path, limits: Limits) -> Any:
    return opened_model(path, limits.memory_bytes // MEMORY_PER_BYTE, "--memory-limit raises this")


def _one_of_many(path: Path, options: argparse.Namespace, device: Device, limits: Limits) -> int:
    """Run one model of several: what is wrong with it does not end the others."""
    try:
        return _run_one(path, options, device, limits)
    except BrokenPipeError:
        raise
    except (DirectMLError, OSError) as error:
        message = str(error)
        if isinstance(error, OSError):
            message = f"{error.filename or path}: {error.strerror}"
        return failed(message, code_of(error), options, error)


def _run_one(path: Path, options: argparse.Namespace, device: Device, limits: Limits) -> int:
    path = _found(path, options)
    with _opened(path, limits) as (file, raw):
        if raw is None:
            return _run_graph(file, options, device)
        refuse_tensor_options(path, options)
        try:
            checked = _checked(str(path), file, raw, options, device, limits)
        except ModelError as error:
            return failed(f"{path}: {error}", REFUSED, options, error)
        return _run_checked(checked, options, device, limits)


def _run_checked(
    checked: _Checked, options: argparse.Namespace, device: Device, limits: Limits
) -> int:
    mistakes = checked.sorted(checked.problems.mistakes)
    if mistakes:
        first, *excerpt = checked.lines(*mistakes[0])
        count = checked.problems.mistake_count
        if count > 1:
            first += f" (and {count - 1} more: indirectml validate {checked.name})"
        code = failed(first, REFUSED, options, mistakes[0][2].error)
        for line in excerpt:
            tell_line(line)
        return code
    for warning in checked.sorted(checked.problems.warnings[:_SHOWN_PROBLEMS]):
        for line in checked.lines(*warning):
            tell_line(line)
    for target in replaced_targets(checked.model, limits):
        tell(f"{target} exists and is replaced")
    _carry_out(checked, options, device, limits)
    return DONE


def _carry_out(
    checked: _Checked, options: argparse.Namespace, device: Device, limits: Limits
) -> None:
    run = ModelRun(checked.model, device, _run_options(options, limits), checked.compiled)
    if not options.json:
        print(f"Running on '{_device_name(options)}'")
    with interruptible(), watching(Steps):
        for piece in run.text():
            if not options.json:
                sys.stdout.write(piece)
    if options.json:
        policy = Settings.policy
        record = {
            "model": checked.name,
            "device": used_device(options),
            "threads": policy.max_threads,
        }
        print(json.dumps(record | {"commands": run.told}, indent=2))


def _run_graph(path: Path, options: argparse.Namespace, device: Device) -> int:
    lines = run_graph(path, options, device)
    if not options.json:
        print(f"Running on '{_device_name(options)}'")
    with interruptible():
        for piece in lines:
            sys.stdout.write(piece)
    if options.json:
        print()
    return DONE


def tell_line(line: str) -> None:
    """Print one line to standard error as it is, which nothing acts on a terminal in."""
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def _run_options(options: argparse.Namespace, limits: Limits) -> RunOptions:
    return RunOptions(
        limits=limits,
        iterations=options.dispatch_iterations,
        repeat=options.dispatch_repeat,
        milliseconds=options.milliseconds_to_run,
        interval_ms=options.dispatch_interval,
        warmup_samples=options.warmup_samples,
        timing_verbosity=options.timing_verbosity,
        print_commands=options.print_commands,
        precision=options.precision,
        seed=options.random or 0,
        tells_values=options.json,
    )


def _device_name(options: argparse.Namespace) -> str:
    if options.device != "cpu":
        line = found_devices().get(options.device, "not available")
        return f"{options.device}: {line.partition(';')[0]}"
    policy = Settings.policy
    return f"CPU ({policy.target}, {policy.max_threads} threads)"


# ---- validate ----


def _validate(options: argparse.Namespace) -> int:
    paths = _paths(options)
    device, limits = _device(options), _limits(options)
    shown: list[dict[str, Any]] = []
    valid = 0
    for path in paths:
        checked = _checked_file(_found(path, options), options, device, limits)
        valid += not checked.problems.mistake_count
        placed = checked.sorted([*checked.problems.mistakes, *checked.problems.warnings])
        if options.json:
            shown.append(_as_json(checked, placed))
        else:
            _print_problems(checked, placed)
    if options.json:
        print(json.dumps(shown[0] if len(paths) == 1 else shown, indent=2))
    elif len(paths) > 1:
        print(f"{len(paths)} models: {valid} valid, {len(paths) - valid} invalid")
    return DONE if valid == len(paths) else REFUSED


def _checked_file(
    path: Path, options: argparse.Namespace, device: Device, limits: Limits
) -> _Checked:
    """Read a model from its file and check it: what is no model has one mistake."""
    name = str(path)
    try:
        with _opened(path, limits) as (file, raw):
            name = file.name if path == STANDARD and raw is None else name
            return _checked(name, file, raw, options, device, limits)
    except SettingError:
        raise
    except DirectMLError as error:
        problems = Problems()
        problems.add(error)
        return _Checked(name, problems)


def _print_problems(checked: _Checked, placed: list[tuple[int, int, Problem]]) -> None:
    name, problems = printable(checked.name), checked.problems
    for item in placed[:_SHOWN_PROBLEMS]:
        for line in checked.lines(*item):
            print(line)
    mistakes, warnings = problems.mistake_count, problems.warning_count
    if mistakes + warnings > _SHOWN_PROBLEMS:
        print(f"{name}: and {mistakes + warnings - _SHOWN_PROBLEMS} more")
    parts = [
        *([counted(mistakes, "mistake")] if mistakes else []),
        *([counted(warnings, "warning")] if warnings else []),
        *([] if mistakes else checked.contents),
    ]
    print(f"{name}: {'invalid' if mistakes else 'valid'}: {', '.join(parts)}")


def _as_json(checked: _Checked, placed: list[tuple[int, int, Problem]]) -> dict[str, Any]:
    problems = checked.problems
    return {
        "file": checked.name,
        "kind": checked.kind,
        "valid": not problems.mistake_count,
        "mistakes": problems.mistake_count,
        "warnings": problems.warning_count,
        "problems": [
            {
                "line": line,
                "column": column,
                "path": problem.error.field,
                "severity": "warning" if problem.is_warning else "mistake",
                "message": problem.error.required,
                "given": problem.error.given,
                "hint": problem.error.hint,
            }
            for line, column, problem in placed
        ],
    }
