"""What the samples share as programs: arguments, progress, timing, and sentences for mistakes."""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from samples.pictures import PictureError
from samples.weights import Weights, WeightsError

Array = np.ndarray[Any, Any]
Network = Callable[[dml.Expression, Weights], dml.Expression]
Say = Callable[[str], None]

#: How many classes are named.
BEST = 5

#: What a shell is told of a program that Ctrl-C ended.
INTERRUPTED = 130

#: Of the key of RANDOM_GENERATOR.
_SEED_BITS = 64


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """Return the arguments that all samples take."""
    made = argparse.ArgumentParser(
        prog=f"python -m samples.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--picture", metavar="FILE", help="what to look at; else random numbers")
    made.add_argument(
        "--weights", metavar="FOLDER", type=Path,
        help="a folder of .npy files, named as in DirectML's sample; else random weights",
    )  # fmt: skip
    made.add_argument("--threads", metavar="N", type=int, help="how many, at most")
    made.add_argument("--repeat", metavar="N", type=int, default=1, help="run it so often")
    made.add_argument(
        "--profile", action="store_true", help="say how long each step and operator takes"
    )
    return made


def tokens_of(text: str) -> list[int]:
    """Return the tokens that a text names, at least one; a sentence where it names something else.

    Examples
    --------
    >>> tokens_of("1, 15 7")
    [1, 15, 7]
    """
    words = text.replace(",", " ").split()
    try:
        found = [int(word) for word in words]
    except ValueError:
        raise ValueError(f"needs tokens as numbers, got {text!r}") from None
    if not found:
        raise ValueError("needs at least one token, got none")
    return found


def number_from(least: int) -> Callable[[str], int]:
    """Return what reads an argument that is an integer, and refuses one that is smaller."""

    def read(text: str) -> int:
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"needs an integer from {least} up, got {text!r}")
        return found

    return read


def seed(text: str) -> int:
    """Return what reads an argument that is the key of a generator: 64 bits."""
    found = number_from(0)(text)
    if found >= 1 << _SEED_BITS:
        raise argparse.ArgumentTypeError(f"needs a number below 2^{_SEED_BITS}, got {text!r}")
    return found


def finite(text: str) -> float:
    """Return what reads an argument that is a number, and neither infinite nor NaN."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"needs a finite number, got {text!r}")
    return found


def positive(text: str) -> float:
    """Return what reads an argument that is a finite number above 0."""
    found = finite(text)
    if found <= 0:
        raise argparse.ArgumentTypeError(f"needs a number above 0, got {text!r}")
    return found


def exit_code(program: str, act: Callable[[], None]) -> int:
    """Act; a mistake of the user's is a sentence and exit code 2, Ctrl-C is exit code 130."""
    try:
        act()
    except (PictureError, WeightsError, dml.DirectMLError, OSError, ValueError) as error:
        is_of_file = isinstance(error, OSError) and error.filename
        text = f"{error.filename}: {error.strerror}" if is_of_file else f"{error}"
        print(f"{program}: {text}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{program}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def say(text: str) -> None:
    """Print a line beside what a program is asked for."""
    print(text, file=sys.stderr, flush=True)


def classify(
    name: str, network: Network, sizes: list[int], prepared: Callable[[str], Array],
    labels: list[str] | None, arguments: list[str] | None,
) -> int:  # fmt: skip
    """Run a network whose output is the probability of each class; return the exit code."""
    made = parser(name, (sys.modules[network.__module__].__doc__ or "").strip())
    if labels is None:
        made.add_argument("--labels", metavar="FILE", type=Path, help="a text, a class a line")

    def act(given: Any, say: Say) -> None:
        names = labels or (_lines(given.labels) if given.labels else None)
        x = prepared(given.picture) if given.picture else random_input(sizes, say)
        chances = computed(name, network, x, given, say).ravel()
        for number in np.argsort(-chances, kind="stable")[:BEST].tolist():
            label = names[number] if names and number < len(names) else f"class {number}"
            print(f"{100 * chances[number]:6.2f} %  {label}")

    return run(made, arguments, act)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def run(
    made: argparse.ArgumentParser, arguments: list[str] | None, act: Callable[[Any, Say], None]
) -> int:
    """Parse arguments and act; a mistake of the user's is a sentence, and exit code 2."""
    given = made.parse_args(arguments)
    if given.repeat < 1:
        made.error("argument --repeat: needs at least 1")

    def acted() -> None:
        if given.threads is not None:
            dml.configure(max_threads=given.threads)
        act(given, say)

    return exit_code(made.prog, acted)


def random_input(sizes: list[int], say: Say) -> Array:
    """Return random numbers from 0 to 1, always the same."""
    say("no --picture: random numbers")
    return np.random.default_rng(0).random(sizes, np.float32)


def computed(name: str, network: Network, x: Array, given: Any, say: Say) -> Array:
    """Return the output of a network, saying how it goes."""
    began = time.perf_counter()
    graph = dml.Graph(dml.Device())
    weights = Weights(graph, given.weights)
    source = graph.input(x.shape, name="x")
    output = network(source, weights)
    count = sum(a.size for a in weights.arrays.values())
    where = given.weights or "random, which no --weights means"
    say(f"{name}: {len(weights.arrays)} weights, {count:,} numbers, from: {where}")
    compiled = graph.compile([output])
    say(f"compiled in {_milliseconds(began)}")
    times = []
    result: Array
    for turn in range(given.repeat):
        began = time.perf_counter()
        (result,) = compiled({source: x})
        times.append(time.perf_counter() - began)
        if given.repeat > 1 and sys.stderr.isatty():
            print(f"\rrun {turn + 1} of {given.repeat}", end="", file=sys.stderr, flush=True)
    if given.repeat > 1 and sys.stderr.isatty():
        print(file=sys.stderr)
    median = statistics.median(times) * 1000
    say(f"ran in {median:.1f} ms" + (f", median of {len(times)}" if len(times) > 1 else ""))
    if given.profile:
        say(str(compiled.profile({source: x})))
    return result


def _milliseconds(began: float) -> str:
    return f"{(time.perf_counter() - began) * 1000:.0f} ms"
