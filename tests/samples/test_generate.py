"""samples/generate.py: the same tokens whatever the cache, and those of ONNX Runtime."""

import json
import math
import sys

import numpy as np
import onnx
import pytest
from samples import generate
from samples.decoder import SMALL, decoder

import indirectml as dml
from tests.extent import some
from tests.onnx_models import session

PROMPT = [1, 5, 9]
COUNT = 16


def tokens(model, capacity=None, prompt=PROMPT, choose=generate.likeliest, end=frozenset()):
    found = generate.Decoder(model, capacity)
    return list(generate.generated(found, prompt, COUNT, choose, end))


class Theirs:
    """A session of ONNX Runtime where a model of ours is expected."""

    def __init__(self, proto):
        loaded = dml.load_onnx(proto)
        self.inputs, self.outputs = loaded.inputs, loaded.outputs
        self._session = session(proto)

    def __call__(self, feed, out=None):
        results = self._session.run(None, feed)
        for array, name in zip(results, self.outputs, strict=True):
            if out and name in out:
                out[name][...] = array
        return [(out or {}).get(name, a) for name, a in zip(self.outputs, results, strict=True)]


@pytest.mark.parametrize("seed", range(some(3)))
def test_tokens_are_those_of_any_cache_and_of_onnx_runtime(seed):
    protos = {form: decoder(SMALL, form, seed) for form in ("growing", "fixed", "grouped")}

    expected = tokens(Theirs(protos["growing"]))

    assert len(set(expected)) > 3
    assert tokens(dml.load_onnx(protos["growing"])) == expected
    fixed = dml.load_onnx(protos["fixed"])
    for capacity in (COUNT + 3, 40):
        assert tokens(fixed, capacity) == expected
    assert tokens(dml.load_onnx(protos["grouped"]), 32) == expected
    assert tokens(dml.load_onnx(protos["grouped"])) == expected
    assert tokens(Theirs(protos["grouped"]), 32) == expected


def test_a_prompt_in_one_call_and_in_several_gives_the_same_tokens_here():
    model = dml.load_onnx(decoder(SMALL, "fixed"))
    whole, parts = generate.Decoder(model, 32), generate.Decoder(model, 32)

    together = whole.logits([*PROMPT, 7])
    for token in PROMPT:
        parts.logits([token])

    np.testing.assert_allclose(parts.logits([7]), together, rtol=1e-4, atol=1e-5)
    assert parts.length == whole.length == 4


def test_a_fixed_cache_compiles_two_sizes_and_a_growing_one_one_for_each_length():
    fixed = dml.load_onnx(decoder(SMALL, "fixed"))
    tokens(fixed, 32)
    assert len(fixed._source.found) == 2  # noqa: SLF001 (what is kept shows nowhere else)


def test_chance_is_that_of_the_seed():
    """Each choice is the token in whose share the generator's number falls."""
    model = dml.load_onnx(decoder(SMALL, "fixed"))
    first, again, other = (
        tokens(model, 32, choose=generate.Sampler(seed, 0.8, 20)) for seed in (7, 7, 2**40 + 7)
    )
    assert first == again != other

    logits = np.random.default_rng(3).standard_normal(50).astype(np.float32)
    sampler = generate.Sampler(2**33 + 5, 0.5, 10)
    state = np.array([[0, 0, 0, 0, 5, 2]], np.uint32)
    order = sorted(range(50), key=lambda k: (-logits[k], k))[:10]
    weights = [math.exp((float(logits[k]) - float(logits[order[0]])) / 0.5) for k in order]
    for _ in range(50):
        token = sampler(logits)
        bits, state = dml.random_generator(state, output_sizes=[1, 1])
        at = int(bits.item()) / 2**32 * sum(weights)
        before = sum(weights[: order.index(token)])
        assert before - 1e-5 <= at <= before + weights[order.index(token)] + 1e-5


@pytest.fixture
def folder(tmp_path):
    onnx.save(decoder(SMALL, "grouped"), tmp_path / "model.onnx")
    config = {
        "model": {"eos_token_id": [40, 33], "decoder": {"filename": "model.onnx"}},
        "search": {"past_present_share_buffer": True, "max_length": 24},
    }
    (tmp_path / "genai_config.json").write_text(json.dumps(config))
    return tmp_path


def test_a_folder_says_where_it_ends_and_how_much_room_there_is(folder, capsys):
    settings = generate.read_settings(folder)
    assert (settings.end, settings.capacity) == ({40, 33}, 24)

    assert generate.main([str(folder), "--tokens", "1, 5 9", "--count", "30"]) == 0

    found = [int(text) for text in capsys.readouterr().out.split()]
    assert found[-1] in {40, 33}
    assert not {40, 33} & set(found[:-1])


def test_a_folder_says_how_large_heads_are_where_the_model_does_not(folder, capsys):
    words = [str(folder), "--tokens", "1, 5 9", "--count", "6"]
    assert generate.main(words) == 0
    expected = capsys.readouterr().out
    model = onnx.load(folder / "model.onnx")
    for each in model.graph.input:
        if each.name.startswith("past_") and len(each.type.tensor_type.shape.dim) == 4:
            each.type.tensor_type.shape.dim[3].dim_param = "kv_cache_dim"
    onnx.save(model, folder / "model.onnx")
    config = json.loads((folder / "genai_config.json").read_text())
    config["model"]["decoder"]["head_size"] = 16
    (folder / "genai_config.json").write_text(json.dumps(config))

    assert generate.main(words) == 0

    assert capsys.readouterr().out == expected


def test_the_program_says_how_fast_and_what_is_wrong(tmp_path, capsys):
    assert generate.main(["--count", "4", "--cache", "16", "--seed", "3"]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.split()) == 4
    assert "cache of 8,192 bytes" in printed.err
    assert "1 tokens read in " in printed.err
    assert "; 4 tokens, " in printed.err

    assert generate.main(["--count", "9", "--cache", "4"]) == 2
    assert "needs a cache for 5 positions, got 4" in capsys.readouterr().err
    for text, sentence in (("", "at least one token, got none"), ("a", "as numbers, got 'a'")):
        assert generate.main(["--tokens", text]) == 2
        assert capsys.readouterr().err.endswith(f"{sentence}\n")
    assert generate.main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith(f"{tmp_path / 'none'}: No such file or directory\n")
    onnx.save(
        onnx.parser.parse_model(
            '<ir_version: 8, opset_import: ["" : 18]> m (float[N] x) => (float[N] y) { y = Abs(x) }'
        ),
        tmp_path / "abs.onnx",
    )
    assert generate.main([str(tmp_path / "abs.onnx")]) == 2
    assert "needs a decoder with input_ids and caches" in capsys.readouterr().err


WRONG = {
    "no count": (["--count", "0"], "argument --count: needs an integer from 1 up, got '0'"),
    "no number": (["--cache", "x"], "argument --cache: needs an integer from 1 up, got 'x'"),
    "negative seed": (["--seed", "-1"], "argument --seed: needs an integer from 0 up, got '-1'"),
    "large seed": (["--seed", str(2**64)], f"--seed: needs a number below 2^64, got '{2**64}'"),
    "cold": (["--temperature", "0"], "argument --temperature: needs a number above 0, got '0'"),
    "endless": (["--temperature", "inf"], "--temperature: needs a finite number, got 'inf'"),
    "no top": (["--top", "0"], "argument --top: needs an integer from 1 up, got '0'"),
    "no threads": (["--threads", "0"], "argument --threads: needs an integer from 1 up, got '0'"),
}


@pytest.mark.parametrize(("words", "sentence"), WRONG.values(), ids=WRONG)
def test_numbers_that_nothing_can_be_done_with_are_refused(words, sentence, capsys):
    with pytest.raises(SystemExit) as caught:
        generate.main(words)

    assert caught.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("token", [-1, 96])
def test_tokens_that_the_vocabulary_does_not_have_are_refused(token, capsys):
    assert generate.main(["--tokens", f"1 {token}"]) == 2
    assert f"needs tokens from 0 to 95, got [1, {token}]" in capsys.readouterr().err


def test_chance_needs_logits_that_are_numbers():
    with pytest.raises(generate.GenerateError, match="got NaN or infinite ones"):
        generate.Sampler(1)(np.full(4, np.nan, np.float32))


@pytest.mark.parametrize("is_shown", [False, True])
def test_what_was_said_before_ctrl_c_stays(is_shown, monkeypatch, capsys):
    """On a terminal tokens come behind the line of progress."""

    def tokens():
        yield from (5, 6)
        raise KeyboardInterrupt

    monkeypatch.setattr(generate, "generated", lambda *_: tokens())
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: is_shown)

    assert generate.main([]) == 130

    printed = capsys.readouterr()
    assert printed.out.split() == ["5", "6"]
    assert ("\r2 tokens, " in printed.err) == is_shown
    assert printed.err.endswith("\npython -m samples.generate: interrupted\n")
