"""The `indirectml` command: arguments, text, exit codes. The only place that prints.

Exit codes: 0 done, 1 the answer is no (a model is invalid, files differ), 2 wrong usage, 3 input
or output failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from indirectml import __version__
from indirectml.cli.common import (
    INPUT_OUTPUT,
    INTERRUPTED,
    REFUSED,
    USAGE,
    HelpFormatter,
    at_least,
    failed,
)
from indirectml.cli.explain import add_explain
from indirectml.cli.fills import add_diff, add_fill
from indirectml.cli.info import add_info
from indirectml.cli.models import add_run, add_validate
from indirectml.core.errors import DirectMLError, FileFormatError, SettingError
from indirectml.core.settings import available_targets, configure

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments, or those of the process; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal has no characters for is shown with escapes.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return USAGE
    try:
        configure(target=options.target, max_threads=options.threads)
        code: int = options.command(options)
        sys.stdout.flush()
    except KeyboardInterrupt as error:
        return failed("interrupted", INTERRUPTED, options, error)
    except BrokenPipeError:
        # Whoever read the output has closed it; Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INPUT_OUTPUT
    except SettingError as error:
        return failed(str(error), USAGE, options, error)
    except FileFormatError as error:
        return failed(str(error), INPUT_OUTPUT, options, error)
    except DirectMLError as error:
        return failed(str(error), REFUSED, options, error)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return failed(f"{place}{error.strerror or error}", INPUT_OUTPUT, options, error)
    except MemoryError as error:
        return failed(f"out of memory: {error}", INPUT_OUTPUT, options, error)
    return code


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--target",
        metavar="NAME",
        help=f"force an instruction set: {', '.join(available_targets())}",
    )
    shared.add_argument("--threads", type=at_least(1), metavar="N", help="use at most N threads")
    shared.add_argument("--debug", action="store_true", help="show where an error came from")

    parser = argparse.ArgumentParser(
        prog="indirectml",
        formatter_class=HelpFormatter,
        description="DirectML operators without Direct3D.",
        epilog="example: indirectml run examples/fill_value_sequence.json",
    )
    parser.add_argument("--version", action="version", version=f"indirectml {__version__}")
    parser.set_defaults(command=None, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for add in (add_run, add_validate, add_explain, add_diff, add_fill, add_info):
        add(commands, shared)
    return parser
