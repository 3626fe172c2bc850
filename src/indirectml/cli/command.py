"""From arguments to a command, and from what it raises to one line and an exit code."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from indirectml import __version__
from indirectml.cli.common import (
    DONE,
    INPUT_OUTPUT,
    INTERRUPTED,
    USAGE,
    Commands,
    Parser,
    PrintAndEnd,
    code_of,
    failed,
    tell,
)
from indirectml.cli.compare import add_compare
from indirectml.cli.explain import add_explain
from indirectml.cli.export import add_export
from indirectml.cli.fills import add_diff, add_fill
from indirectml.cli.info import add_info
from indirectml.cli.models import add_run, add_validate
from indirectml.cli.numbers import at_least, joined_negatives
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.settings import available_targets, configure

#: The commands in the order of the help, and what adds each.
COMMANDS: dict[str, Callable[[Commands, Parser], None]] = {
    "run": add_run,
    "validate": add_validate,
    "explain": add_explain,
    "compare": add_compare,
    "export": add_export,
    "diff": add_diff,
    "fill": add_fill,
    "info": add_info,
}

#: Options that stand before a command and take a value.
_WITH_VALUE = ("--target", "--threads", "--print-completion")

_SHELLS = ("bash", "zsh", "tcsh", "fish")


def run(arguments: list[str]) -> int:
    """Run the command with arguments; returns the exit code."""
    if sys.stdout is None:
        tell("standard output is closed")
        return INPUT_OUTPUT
    try:
        return _carried_out(arguments)
    except BrokenPipeError:
        # Whoever read the output has closed it; Python must not complain when it flushes.
        _discard_output()
        return INPUT_OUTPUT


def _carried_out(arguments: list[str]) -> int:
    options = argparse.Namespace(traceback=False)
    try:
        try:
            for stream in (sys.stdout, sys.stderr):
                # A name that the terminal has no characters for is shown with escapes.
                getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
            options = _parsed(arguments)
            code: int = options.command(options)
        except SystemExit as ended:
            sys.stdout.flush()
            raise SystemExit(ended.code) from None
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, DirectMLError, OSError, MemoryError) as error:
        if isinstance(error, OSError) and error.filename is None and error.errno == errno.ENOSPC:
            _discard_output()
        return failed(*_told(error), options, error)
    return code


def _told(error: BaseException) -> tuple[str, int]:
    """Return the line and the exit code for what a command has raised."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", INTERRUPTED
    if isinstance(error, MemoryError):
        return f"out of memory: {error}", code_of(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}", code_of(error)
    return str(error), code_of(error)


def _discard_output() -> None:
    """Let what has not been written yet go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """Return the options of the command that the arguments name, with its settings in force."""
    parser, parsers = new_parsers()
    name = _command_name(arguments)
    if name is not None:
        if name not in COMMANDS:
            parser.error(_unknown_command(name))
        # Before what follows an unknown option is taken for something else.
        parsers[name].check_options(arguments)
    options, rest = parser.parse_known_args(joined_negatives(arguments))
    if rest:
        options.parser.unknown(rest)
    if options.print_completion is not None:
        options.command = _print_completion
        options.parser = parser
    elif options.command is None:
        options.command = _help
    configure(target=options.target, max_threads=options.threads)
    return options


def _print_completion(options: argparse.Namespace) -> int:
    print(completion(options.parser, options.print_completion))
    return DONE


def _help(options: argparse.Namespace) -> int:
    options.parser.print_help()
    return USAGE


def _command_name(arguments: list[str]) -> str | None:
    takes_value = False
    for argument in arguments:
        if not takes_value and not argument.startswith("-"):
            return argument
        takes_value = argument in _WITH_VALUE and not takes_value
    return None


def _unknown_command(name: str) -> str:
    needs = f"needs a command out of {', '.join(COMMANDS)}, got {name[:100]!r}"
    if Path(name).suffix.lower() in {".json", ".onnx"} or Path(name).exists():
        return f"{needs}; to run a model: indirectml run {name[:100]}"
    hint = suggestion(name, COMMANDS)
    return f"{needs}; {hint}" if hint else needs


def new_parsers() -> tuple[Parser, Mapping[str, Parser]]:
    """Return the parser of all commands, and that of each."""
    # Before the command and after it: what is not given there leaves what was given here.
    shared = Parser(add_help=False)
    parser = Parser(
        prog="indirectml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        description="DirectML operators without Direct3D.",
        epilog="example: indirectml explain GEMM",
    )
    parser.add_argument(
        "--version",
        action=PrintAndEnd,
        text=lambda: f"indirectml {__version__}\n",
        help="print the version, and end",
    )
    parser.add_argument(
        "--print-completion",
        choices=_SHELLS,
        metavar="SHELL",
        help=f"print what completes commands and options in a shell: {', '.join(_SHELLS)}",
    )
    _add_shared(shared, argparse.SUPPRESS)
    _add_shared(parser, None)
    parser.set_defaults(command=None, parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for add in COMMANDS.values():
        add(commands, shared)
    return parser, commands.choices


def _add_shared(parser: argparse.ArgumentParser, default: Any) -> None:
    parser.add_argument(
        "--target",
        metavar="NAME",
        default=default,
        help=f"force an instruction set: {', '.join(available_targets())}",
    )
    parser.add_argument(
        "--threads", type=at_least(1), metavar="N", default=default, help="use at most N threads"
    )
    parser.add_argument(
        "--traceback",
        action="store_true",
        default=default or False,
        help="show where an error came from",
    )


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that completes arguments in a shell.

    Raises
    ------
    SettingError
        shtab, which writes it, is not installed.
    """
    try:
        shtab = importlib.import_module("shtab")
    except ImportError:
        raise SettingError(
            "needs shtab, which is not installed",
            field="--print-completion",
            hint="pip install 'indirectml[completion]'",
        ) from None
    script: str = shtab.complete(parser, shell)
    return script
