"""A picture out of noise: `python -m samples.diffuse FOLDER --tokens "49406 320 2368" -o cat.png`.

FOLDER has Stable Diffusion's networks in ONNX, as Hugging Face's Optimum writes them:
`text_encoder`, `unet` and `vae_decoder`, each with `model.onnx`; without one, small networks with
random weights. Tokens go in, a picture comes out: a tokenizer is yours. It is the same on every
machine: noise is RANDOM_GENERATOR's bits under the seed, and steps are DDIM's, which add none.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import indirectml as dml
from samples import pictures
from samples.command import exit_code, finite, number_from, say, seed, tokens_of
from samples.diffusion_networks import write_networks

Array = np.ndarray[Any, Any]

#: Pixels along each side of one latent.
FACTOR = 8
#: Tokens that say nothing, where a prompt is filled up and instead of one: CLIP's end of text.
_END = 49407
_LATENT_CHANNELS = 4


class DiffuseError(ValueError):
    """A folder without networks, or networks that are no Stable Diffusion."""


@dataclass(frozen=True)
class Noise:
    """How much of a picture is noise, by time.

    Attributes
    ----------
    kept : array
        FLOAT64: for each time the share of the picture's square that is left.
    offset : int
        Of the last time of a few from 0.
    scale : float
        What latents are divided by before they become pixels.
    """

    kept: Array
    offset: int
    scale: float

    @staticmethod
    def of(folder: Path) -> Noise:
        """Return what a folder says; all that it leaves out is Stable Diffusion's."""
        config = _json(folder / "scheduler" / "scheduler_config.json")
        begin, end = config.get("beta_start", 0.00085), config.get("beta_end", 0.012)
        count = config.get("num_train_timesteps", 1000)
        kind = config.get("beta_schedule", "scaled_linear")
        if config.get("prediction_type", "epsilon") != "epsilon":
            raise DiffuseError(
                f"needs networks that find noise (epsilon), got {config['prediction_type']!r}"
            )
        if kind not in {"scaled_linear", "linear"}:
            raise DiffuseError(f"needs beta_schedule scaled_linear or linear, got {kind!r}")
        if kind == "scaled_linear":
            roots = np.linspace(math.sqrt(begin), math.sqrt(end), count)
            betas = roots * roots
        else:
            betas = np.linspace(begin, end, count)
        scale = _json(folder / "vae_decoder" / "config.json").get("scaling_factor", 0.18215)
        return Noise(np.cumprod(1 - betas), config.get("steps_offset", 1), scale)

    def times(self, steps: int) -> list[int]:
        """Return times, the noisiest first."""
        count = len(self.kept)
        if not 1 <= steps <= count:
            raise DiffuseError(f"needs from 1 to {count} steps, got {steps}")
        return [min(k * (count // steps) + self.offset, count - 1) for k in range(steps)][::-1]


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else {}


def normal_numbers(seed: int, count: int) -> Array:
    """Return FLOAT32 of the normal distribution, of pairs of RANDOM_GENERATOR's numbers.

    Each pair is a radius and an angle; logarithm, root, sine and cosine are DirectML's, and so the
    same everywhere.
    """
    state = np.array([[0, 0, 0, 0, seed % 2**32, seed >> 32]], np.uint32)
    half = (count + 1) // 2
    bits, _ = dml.random_generator(state, output_sizes=[2, half])
    even, odd = ((np.asarray(bits) >> 8).astype(np.float32) + np.float32(0.5)) / np.float32(2**24)
    radius = np.asarray(dml.sqrt(np.asarray(dml.log(even)) * np.float32(-2)))
    angle = odd * np.float32(2 * math.pi)
    both = [radius * np.asarray(part) for part in (dml.cos(angle), dml.sin(angle))]
    return np.concatenate(both)[:count]


class Networks:
    """The three networks, and the noise that they know.

    Parameters
    ----------
    text, unet, pixels : callable
        From a dict of arrays to a list of results: `OnnxModel`, with `inputs`.
    noise : Noise
        By time.
    """

    def __init__(self, text: Any, unet: Any, pixels: Any, noise: Noise) -> None:
        self.text, self.unet, self.pixels, self.noise = text, unet, pixels, noise

    @staticmethod
    def load(folder: Path) -> Networks:
        """Return the networks of a folder."""
        paths = [folder / name / "model.onnx" for name in ("text_encoder", "unet", "vae_decoder")]
        missing = [str(path) for path in paths if not path.is_file()]
        if missing:
            raise DiffuseError(f"needs {', '.join(missing)}: there is no such file")
        text, unet, pixels = (dml.load_onnx(path) for path in paths)
        if len(unet.inputs) < 3 or len(text.inputs) < 1 or len(pixels.inputs) != 1:  # noqa: PLR2004 (sample, time, text)
            raise DiffuseError(f"needs a UNet of a sample, a time and a text, got {unet!r}")
        return Networks(text, unet, pixels, Noise.of(folder))

    def encoded(self, tokens: Sequence[int], length: int) -> Array:
        """Return what the text encoder makes of tokens, filled up to a length."""
        if not 1 <= len(tokens) <= length:
            raise DiffuseError(f"needs from 1 to {length} tokens, got {len(tokens)}")
        filled = [*tokens, *[tokens[-1]] * (length - len(tokens))]
        name, tensor = next(iter(self.text.inputs.items()))
        return np.asarray(self.text({name: np.array([filled], tensor.dtype)})[0])

    def latents(
        self, tokens: Sequence[int], nothing: Sequence[int], *, seed: int, steps: int,
        guidance: float, sizes: tuple[int, int], length: int,
    ) -> Iterator[Array]:  # fmt: skip
        """Yield latents after each step, from noise to what becomes the picture.

        Parameters
        ----------
        tokens, nothing : sequence of int
            What the picture shows, and what says nothing.
        seed, steps : int
            Of the noise, and how many steps.
        guidance : float
            How much more the picture shows it than nothing.
        sizes : tuple of int
            Height and width in latents.
        length : int
            Of texts in tokens.
        """
        texts = np.concatenate([self.encoded(each, length) for each in (nothing, tokens)])
        count = _LATENT_CHANNELS * math.prod(sizes)
        x = normal_numbers(seed, count).reshape(1, _LATENT_CHANNELS, *sizes)
        names = list(self.unet.inputs)
        times, kept = self.noise.times(steps), self.noise.kept
        for now, after in zip(times, [*times[1:], None], strict=True):
            tensors = self.unet.inputs
            time_sizes = [1] * len(tensors[names[1]].sizes)
            feed = {
                names[0]: np.concatenate([x, x]).astype(tensors[names[0]].dtype),
                names[1]: np.full(time_sizes, now).astype(tensors[names[1]].dtype),
                names[2]: texts.astype(tensors[names[2]].dtype),
            }
            plain, shown = np.asarray(self.unet(feed)[0], np.float32)
            found = plain + np.float32(guidance) * (shown - plain)
            # DDIM: the picture that this noise leaves, with as much noise as there is after it.
            is_left, stays = kept[now], kept[0] if after is None else kept[after]
            picture = (x - np.float32(math.sqrt(1 - is_left)) * found) / np.float32(
                math.sqrt(is_left)
            )
            x = np.float32(math.sqrt(stays)) * picture + np.float32(math.sqrt(1 - stays)) * found
            yield x

    def picture(self, latents: Array) -> Array:
        """Return UINT8 [height, width, 3] of latents."""
        name, tensor = next(iter(self.pixels.inputs.items()))
        x = (latents / np.float32(self.noise.scale)).astype(tensor.dtype)
        (planes,) = np.asarray(self.pixels({name: x})[0], np.float32)
        colours = (planes / np.float32(2) + np.float32(0.5)).clip(0, 1) * np.float32(pictures.WHITE)
        return np.ascontiguousarray(np.rint(colours).astype(np.uint8).transpose(1, 2, 0))


def main(arguments: list[str] | None = None) -> int:
    """Run the sample."""
    made = argparse.ArgumentParser(
        prog="python -m samples.diffuse", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="of networks")
    made.add_argument("--tokens", default="1 15 7", metavar="'N N ...'", help="what to show")
    made.add_argument("--nothing", metavar="'N N ...'", help="tokens that say nothing")
    made.add_argument("--steps", type=int, default=4, metavar="N", help="how many")
    made.add_argument("--seed", type=seed, default=0, metavar="N", help="of the noise")
    made.add_argument("--guidance", type=finite, default=7.5, metavar="X", help="how much it shows")
    made.add_argument(
        "--height", type=number_from(1), metavar="N", help=f"in pixels, {FACTOR} a latent"
    )
    made.add_argument("--width", type=number_from(1), metavar="N", help="likewise")
    made.add_argument("--length", type=number_from(1), metavar="N", help="of texts in tokens; 77")
    made.add_argument("--threads", type=number_from(1), metavar="N", help="how many, at most")
    made.add_argument("-o", "--output", type=Path, metavar="PICTURE", help="where to write it")
    given = made.parse_args(arguments)
    return exit_code(made.prog, lambda: _run(given))


def _run(given: argparse.Namespace) -> None:
    if given.threads is not None:
        dml.configure(max_threads=given.threads)
    began = time.perf_counter()
    if given.folder is None:
        say("no FOLDER: small networks with random weights")
        with tempfile.TemporaryDirectory() as folder:
            write_networks(Path(folder))
            networks = Networks.load(Path(folder))
        usual, length, end = 128, 16, 0
    else:
        networks = Networks.load(given.folder)
        usual, length, end = 512, 77, _END
    sizes = (_latents("height", given.height or usual), _latents("width", given.width or usual))
    tokens = tokens_of(given.tokens)
    nothing = [tokens[0], end] if given.nothing is None else tokens_of(given.nothing)
    say(f"loaded in {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    steps = networks.latents(
        tokens, nothing, seed=given.seed, steps=given.steps, guidance=given.guidance, sizes=sizes,
        length=given.length or length,
    )  # fmt: skip
    last = np.empty(0)
    for number, latents in enumerate(steps, 1):
        last = latents
        if sys.stderr.isatty():
            print(f"\rstep {number} of {given.steps}", end="", file=sys.stderr, flush=True)
    picture = networks.picture(last)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    say(f"{given.steps} steps in {time.perf_counter() - began:.1f} s")
    if given.output is None:
        print(f"colours from {picture.min()} to {picture.max()}, on average {picture.mean():.1f}")
        return
    pictures.write(given.output, picture)
    say(f"wrote {given.output}: {picture.shape[1]} by {picture.shape[0]} pixels")


def _latents(name: str, pixels: int) -> int:
    if pixels < FACTOR or pixels % FACTOR:
        raise DiffuseError(f"needs a multiple of {FACTOR} for the {name}, got {pixels}")
    return pixels // FACTOR


if __name__ == "__main__":
    sys.exit(main())
