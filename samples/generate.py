"""Tokens that a decoder says: `python -m samples.generate MODEL --tokens "1 15 7" --count 64`.

MODEL is a folder of onnxruntime-genai (genai_config.json beside the model), or a decoder in ONNX
with the same kinds of inputs; without one, a small decoder with random weights. Tokens go in and
come out: a tokenizer is yours. They are the same on every machine, with any number of threads.

With a fixed cache (--cache N, or where the folder says so) keys and values of new tokens are put
into memory that has room for N: two sizes are compiled, one for the prompt and one for a token.
Otherwise the cache grows, and each length is compiled for itself.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from samples.command import exit_code, number_from, positive, say, seed, tokens_of
from samples.decoder import SMALL, decoder

Array = np.ndarray[Any, Any]
Choice = Callable[[Array], int]

#: A cache has batch, heads, positions and the size of a head.
_CACHE_DIMENSIONS = 4
_POSITIONS = 2

#: How many of RANDOM_GENERATOR's bits decide: as many as FLOAT32 has exactly.
_BITS = 24


class GenerateError(ValueError):
    """A model that is no decoder, or tokens that it does not have."""


@dataclass
class Settings:
    """What a folder says of its decoder.

    Attributes
    ----------
    path : Path
        Of the model.
    end : frozenset of int
        Tokens after which nothing comes.
    capacity : int or None
        Of a cache that presents share; None for one that grows.
    head_size : int
        Of keys and values, where the model leaves it open.
    """

    path: Path
    end: frozenset[int] = frozenset()
    capacity: int | None = None
    head_size: int = 1


def read_settings(path: Path) -> Settings:
    """Return what a folder of onnxruntime-genai says; or a file that is a model alone."""
    if not path.is_dir():
        return Settings(path)
    config = json.loads((path / "genai_config.json").read_text(encoding="utf-8"))
    model, search = config["model"], config.get("search", {})
    end = model.get("eos_token_id", [])
    found = Settings(
        path / model["decoder"]["filename"], frozenset(end if isinstance(end, list) else [end])
    )
    found.head_size = model["decoder"].get("head_size", found.head_size)
    if search.get("past_present_share_buffer", False):
        found.capacity = search.get("max_length", model.get("context_length"))
    return found


class Decoder:
    """A decoder with its cache.

    Parameters
    ----------
    model : OnnxModel
        With `input_ids`, caches of four dimensions, whose outputs come in the same order behind the
        logits, and any of `attention_mask`, `position_ids` and `past_length`.
    capacity : int, optional
        For how many positions the cache has room. Without, it grows.
    head_size : int
        Of keys and values, where the model leaves it open.
    """

    def __init__(
        self, model: dml.OnnxModel, capacity: int | None = None, head_size: int = 1
    ) -> None:
        self.model, self.capacity, self._head_size = model, capacity, head_size
        self.length = 0
        caches = [t for t in model.inputs.values() if len(t.sizes) == _CACHE_DIMENSIONS]
        outputs = list(model.outputs)
        others = {"input_ids", "attention_mask", "position_ids", "past_length"}
        unknown = set(model.inputs) - others - {tensor.name for tensor in caches}
        if "input_ids" not in model.inputs or unknown or len(outputs) != 1 + len(caches):
            raise GenerateError(f"needs a decoder with input_ids and caches, got {model!r}")
        self._presents = dict(zip(outputs[1:], caches, strict=True))
        #: How many tokens there are, if the model says.
        self._vocabulary = model.outputs[outputs[0]].sizes[-1]
        self._cache = {
            tensor.name: np.zeros(self._cache_sizes(tensor), tensor.dtype) for tensor in caches
        }

    def _cache_sizes(self, tensor: Any) -> list[int]:
        sizes = [size if isinstance(size, int) else 1 for size in tensor.sizes]
        sizes[_POSITIONS] = self.capacity or 0
        if not isinstance(tensor.sizes[-1], int):
            sizes[-1] = self._head_size
        return sizes

    @property
    def cache_bytes(self) -> int:
        """How many bytes keys and values take."""
        return sum(array.nbytes for array in self._cache.values())

    def logits(self, tokens: Sequence[int]) -> Array:
        """Return a number for each token of the vocabulary that may follow, after some more."""
        most = self._vocabulary
        if isinstance(most, int) and not all(0 <= token < most for token in tokens):
            raise GenerateError(f"needs tokens from 0 to {most - 1}, got {list(tokens)}")
        first, self.length = self.length, self.length + len(tokens)
        if self.capacity is not None and self.length > self.capacity:
            raise GenerateError(f"needs a cache for {self.length} positions, got {self.capacity}")
        positions = np.arange(self.capacity or self.length)
        given: dict[str, Array] = {
            "input_ids": np.array([tokens]),
            "attention_mask": (positions < self.length)[None],
            "position_ids": np.arange(first, self.length)[None],
            "past_length": np.array([first]),
        }
        inputs = self.model.inputs
        feed = {n: given[n].astype(inputs[n].dtype) for n in given if n in inputs} | self._cache
        out = None
        if self.capacity is not None:
            out = {name: self._cache[past.name] for name, past in self._presents.items()}
        results = self.model(feed, out=out)
        for past, array in zip(self._presents.values(), results[1:], strict=True):
            self._cache[past.name] = array
        return results[0][0, -1].astype(np.float32)  # type: ignore[no-any-return]


def likeliest(logits: Array) -> int:
    """Return the token with the largest number, the first of several."""
    return int(np.argmax(logits))


class Sampler:
    """Tokens by chance, always the same for a seed: RANDOM_GENERATOR's bits decide.

    Parameters
    ----------
    seed : int
        The generator's key.
    temperature : float
        What numbers are divided by before SOFTMAX.
    most : int, optional
        Of how many of the likeliest tokens one is chosen.
    """

    def __init__(self, seed: int, temperature: float = 1.0, most: int | None = None) -> None:
        self._state = np.array([[0, 0, 0, 0, seed % 2**32, seed >> 32]], np.uint32)
        self._temperature, self._most = np.float32(temperature), most

    def __call__(self, logits: Array) -> int:
        """Return a token."""
        chosen = np.argsort(-logits, kind="stable")[: self._most]
        shares = dml.activation_softmax((logits[chosen] / self._temperature)[None])
        if math.isnan(shares[0, 0]):
            raise GenerateError("needs logits that are numbers, got NaN or infinite ones")
        bits, self._state = dml.random_generator(self._state, output_sizes=[1, 1])
        # Sums of FLOAT32 in FLOAT64, one after the other: the same anywhere.
        sums = np.cumsum(np.asarray(shares, np.float64))
        at = float(np.asarray(bits).item() >> (32 - _BITS)) / 2**_BITS * float(sums[-1])
        return int(chosen[np.searchsorted(sums, at, side="right")])


def generated(
    model: Decoder, prompt: Sequence[int], count: int, choose: Choice, end: frozenset[int]
) -> Iterator[int]:
    """Yield tokens that follow a prompt, at most so many, up to one after which nothing comes."""
    logits = model.logits(prompt)
    for number in range(count):
        token = choose(logits)
        yield token
        if token in end:
            return
        if number + 1 < count:
            logits = model.logits([token])


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    made = argparse.ArgumentParser(
        prog="python -m samples.generate", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.add_argument("model", nargs="?", type=Path, metavar="MODEL", help="a folder or a file")
    made.add_argument("--tokens", default="1", metavar="'N N ...'", help="the prompt")
    made.add_argument(
        "--count", type=number_from(1), default=32, metavar="N", help="how many follow, at most"
    )
    made.add_argument(
        "--cache", type=number_from(1), metavar="N", help="a fixed cache for N positions"
    )
    made.add_argument("--seed", type=seed, metavar="N", help="choose by chance, by this seed")
    made.add_argument("--temperature", type=positive, default=1.0, metavar="X", help="with --seed")
    made.add_argument(
        "--top", type=number_from(1), metavar="N", help="with --seed: of the N likeliest"
    )
    made.add_argument("--threads", type=number_from(1), metavar="N", help="how many, at most")
    given = made.parse_args(arguments)
    return exit_code(made.prog, lambda: _run(given))


def _run(given: argparse.Namespace) -> None:
    if given.threads is not None:
        dml.configure(max_threads=given.threads)
    prompt = tokens_of(given.tokens)
    began = time.perf_counter()
    if given.model is None:
        say("no MODEL: a small decoder with random weights")
        form: Any = "growing" if given.cache is None else "fixed"
        model, settings = dml.load_onnx(decoder(SMALL, form)), Settings(Path())
    else:
        settings = read_settings(given.model)
        model = dml.load_onnx(settings.path)
    found = Decoder(model, given.cache or settings.capacity, settings.head_size)
    say(f"loaded in {time.perf_counter() - began:.1f} s; cache of {found.cache_bytes:,} bytes")
    choose: Choice = likeliest
    if given.seed is not None:
        choose = Sampler(given.seed, given.temperature, given.top)
    _print(prompt, generated(found, prompt, given.count, choose, settings.end))


def _print(prompt: Sequence[int], tokens: Iterator[int]) -> None:
    """Print tokens as they come; at last where they would lie on the line of progress."""
    began = time.perf_counter()
    times: list[float] = []
    held: list[int] = []
    shows, holds = sys.stderr.isatty(), sys.stderr.isatty() and sys.stdout.isatty()
    try:
        for token in tokens:
            times.append(time.perf_counter() - began)
            if holds:
                held.append(token)
            else:
                print(token, end=" ", flush=True)
            if shows and len(times) > 1:
                print(f"\r{_speed(times)}", end="", file=sys.stderr, flush=True)
    finally:  # what came before Ctrl-C, too
        if shows and times:
            print(file=sys.stderr)
        if times:
            print(*held)
    say(f"{len(prompt)} tokens read in {times[0] * 1000:.0f} ms; {_speed(times)}")


def _speed(times: Sequence[float]) -> str:
    """Return how many tokens a second came after the first."""
    seconds = times[-1] - times[0]
    return f"{len(times)} tokens, {(len(times) - 1) / seconds if seconds else 0:.1f} a second"


if __name__ == "__main__":
    sys.exit(main())
