"""samples/diffuse.py: the same picture everywhere, and that of ONNX Runtime's networks."""

import json
import math

import numpy as np
import pytest
from PIL import Image
from samples import diffuse
from samples.diffusion_networks import SCHEDULER, write_networks

import indirectml as dml
from indirectml.arithmetic.attention import attention
from tests.onnx_models import relative_difference, session

SIZES = {"seed": 5, "steps": 3, "guidance": 4.0, "sizes": (6, 8), "length": 12}
TOKENS, NOTHING = [1, 9, 30, 2], [1, 2]
NAMES = ("text_encoder", "unet", "vae_decoder")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("networks")
    write_networks(found)
    return found


class Theirs:
    """A session of ONNX Runtime where a model of ours is expected."""

    def __init__(self, path):
        self.inputs = dml.load_onnx(path).inputs
        self._session = session(str(path))

    def __call__(self, feed):
        return self._session.run(None, feed)


def drawn(networks):
    *_, latents = networks.latents(TOKENS, NOTHING, **SIZES)
    return latents, networks.picture(latents)


def test_a_picture_is_that_of_onnx_runtime_and_the_same_on_every_target(folder):
    networks = diffuse.Networks.load(folder)
    latents, picture = drawn(networks)
    theirs = [Theirs(folder / name / "model.onnx") for name in NAMES]
    expected, painted = drawn(diffuse.Networks(*theirs, networks.noise))

    assert relative_difference(latents, expected) < 1e-4
    assert picture.shape == (48, 64, 3)
    assert picture.std() > 10
    assert np.abs(picture.astype(int) - painted).max() <= 1
    for target in dml.available_targets():
        with dml.configure(target=target, max_threads=3):
            assert drawn(networks)[0].tobytes() == latents.tobytes()


def test_attention_of_text_and_pixels_is_one_step_each(folder):
    networks = diffuse.Networks.load(folder)
    drawn(networks)

    def joined(model):
        (sized,) = model._source.found  # noqa: SLF001 (what is kept shows nowhere else)
        steps = sized.compiled.plan.steps
        return sum(getattr(step, "word", None) is attention.word for step in steps)

    assert [joined(each) for each in (networks.text, networks.unet)] == [1, 2]


def test_steps_are_those_of_the_formula(folder):
    """With a network that finds nothing, each step only scales what is there."""
    noise = diffuse.Noise.of(folder)
    beta = [
        (math.sqrt(0.00085) + k * (math.sqrt(0.012) - math.sqrt(0.00085)) / 999) ** 2
        for k in range(1000)
    ]
    kept = np.cumprod([1 - each for each in beta])
    np.testing.assert_allclose(noise.kept, kept, rtol=1e-12)
    assert noise.times(4) == [751, 501, 251, 1]
    assert (noise.offset, noise.scale) == (1, 0.18215)

    networks = diffuse.Networks.load(folder)
    inputs = networks.unet.inputs
    unet = lambda feed: [np.zeros_like(feed["sample"])]  # noqa: E731
    unet = type("Unet", (), {"inputs": inputs, "__call__": staticmethod(unet)})()
    blind = diffuse.Networks(networks.text, unet, networks.pixels, noise)
    found = list(blind.latents(TOKENS, NOTHING, **SIZES))

    x = diffuse.normal_numbers(5, 4 * 48).astype(float)
    times = noise.times(3)
    for latents, now, after in zip(found, times, [*times[1:], 0], strict=True):
        x = x * math.sqrt(kept[after] / kept[now])
        np.testing.assert_allclose(latents.ravel(), x, rtol=1e-5)


def test_noise_is_normal_and_that_of_the_seed():
    x = diffuse.normal_numbers(2**33 + 1, 40_001)

    assert x.dtype == np.float32
    assert abs(x.mean()) < 0.02
    assert abs(x.std() - 1) < 0.02
    assert abs((np.abs(x) < 1).mean() - 0.6827) < 0.01
    assert (diffuse.normal_numbers(2**33 + 1, 10) != diffuse.normal_numbers(1, 10)).all()


def test_the_program_writes_a_picture_and_says_what_is_wrong(folder, tmp_path, capsys):
    out = tmp_path / "picture.png"
    words = [str(folder), "--length", "12", "--height", "48", "--width", "64", "--nothing", "1 2"]
    words += ["--tokens", "1 9 30 2", "--steps", "3", "--seed", "5", "--guidance", "4"]

    assert diffuse.main([*words, "-o", str(out)]) == 0

    with Image.open(out) as written:
        expected = drawn(diffuse.Networks.load(folder))[1]
        np.testing.assert_array_equal(np.asarray(written), expected)
    assert "3 steps in " in capsys.readouterr().err
    assert diffuse.main(["--height", "16", "--width", "16"]) == 0
    assert capsys.readouterr().out.startswith("colours from ")
    for wrong, sentence in (
        (["--steps", "0"], "needs from 1 to 1000 steps, got 0"),
        (["--height", "20"], "needs a multiple of 8 for the height, got 20"),
        (["--tokens", ""], "needs at least one token, got none"),
        (["--tokens", "1 " * 13], "needs from 1 to 12 tokens, got 13"),
    ):
        assert diffuse.main([*words, *wrong]) == 2
        assert capsys.readouterr().err.endswith(f"{sentence}\n")
    for wrong, sentence in (
        (["--seed", "-1"], "--seed: needs an integer from 0 up, got '-1'"),
        (["--guidance", "nan"], "--guidance: needs a finite number, got 'nan'"),
        (["--height", "0"], "--height: needs an integer from 1 up, got '0'"),
    ):
        with pytest.raises(SystemExit):
            diffuse.main([*words, *wrong])
        assert capsys.readouterr().err.endswith(f"{sentence}\n")
    assert diffuse.main([str(tmp_path)]) == 2
    assert "text_encoder" in capsys.readouterr().err
    (tmp_path / "scheduler").mkdir()
    config = SCHEDULER | {"prediction_type": "v_prediction"}
    (tmp_path / "scheduler" / "scheduler_config.json").write_text(json.dumps(config))
    with pytest.raises(diffuse.DiffuseError, match="find noise"):
        diffuse.Noise.of(tmp_path)
