"""Language models by onnxruntime-genai's builder, of small random weights: nothing is downloaded.

``python -m tests.onnx_import.genai FOLDER`` writes them; it needs onnxruntime-genai, transformers
and torch. ``--check`` loads them in turn, which needs neither, and compares them with ONNX Runtime.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from samples import generate

import indirectml as dml
from indirectml.core.errors import shown
from tests.onnx_models import relative_difference, session

#: Sizes that all of them have, if their own do not differ.
COMMON = {
    "vocab_size": 160, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2,
    "pad_token_id": 0,
}  # fmt: skip

#: By the names of transformers' classes, what differs.
KINDS = {
    "Ernie4_5": {"num_key_value_heads": 2}, "Gemma": {"num_key_value_heads": 1, "head_dim": 16},
    "Gemma2": {"num_key_value_heads": 2, "head_dim": 16, "sliding_window": 16},
    "GptOss": {"num_key_value_heads": 2, "head_dim": 16, "num_local_experts": 4,
               "num_experts_per_tok": 2},
    "Granite": {"num_key_value_heads": 2}, "Llama": {"num_key_value_heads": 2},
    "Mistral": {"num_key_value_heads": 2, "sliding_window": 16, "head_dim": 16},
    "Nemotron": {"num_key_value_heads": 2, "hidden_size": 128}, "Olmo": {"num_key_value_heads": 4},
    "Phi": {"hidden_size": 128}, "Qwen2": {"num_key_value_heads": 2},
    "Qwen3": {"num_key_value_heads": 2, "head_dim": 16}, "SmolLM3": {"num_key_value_heads": 2},
}  # fmt: skip

#: What the builder writes: precision and execution provider.
FORMS = (("fp32", "cpu"), ("fp16", "dml"), ("int4", "cpu"), ("int4", "dml"))

#: By these, the largest difference from ONNX Runtime, in parts of the largest output. The builder's
#: int4 for CPUs permits it to make activations integers of 8 bits (accuracy_level = 4).
BOUNDS = {"fp32-cpu": 1e-5, "fp16-dml": 1e-2, "int4-cpu": 0.2, "int4-dml": 1e-2}

#: A prompt, and how many tokens are said after it.
PROMPT, COUNT = [5, 9, 17], 16

#: New tokens and past ones of the two calls that a generator makes.
STEPS = ((5, 0), (1, 6))


def write(folder: Path) -> None:
    """Write the models that are not there yet; say which the builder refuses."""
    torch, transformers, tokenizers = map(
        importlib.import_module, ("torch", "transformers", "tokenizers")
    )
    builder = importlib.import_module("onnxruntime_genai.models.builder")
    for kind, own in KINDS.items():
        torch.manual_seed(0)
        config = getattr(transformers, f"{kind}Config")(**{**COMMON, **own})
        network = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
        for weights in network.parameters():
            noise = torch.randn_like(weights)
            weights.data = weights.data + 0.05 * noise if weights.dim() == 1 else 0.15 * noise
        source = folder / "networks" / kind
        network.save_pretrained(source)
        words = tokenizers.Tokenizer(
            tokenizers.models.WordLevel({f"t{k}": k for k in range(160)}, "t3")
        )
        names = {"bos_token": "t1", "eos_token": "t2", "pad_token": "t0", "unk_token": "t3"}
        transformers.PreTrainedTokenizerFast(tokenizer_object=words, **names).save_pretrained(
            source
        )
        for form in FORMS:
            target = folder / f"{kind}-{form[0]}-{form[1]}"
            if (target / "model.onnx").exists():
                continue
            given = ["x", str(source), str(target), *form, str(folder / "cache")]
            try:
                options = builder.parse_extra_options(
                    *given, ["hf_token=false", "windowed_kv_cache=false"]
                )
                builder.create_model(*given, **options)
            except (RuntimeError, KeyError) as error:
                print(f"{target.name}: the builder refuses: {error}")


def inputs_of(path: Path, new: int, past: int) -> dict[str, np.ndarray]:
    """Return what a generator gives a model: tokens, a mask, keys and values of what was before."""
    random = np.random.default_rng(new)
    config = json.loads(path.with_name("genai_config.json").read_text(encoding="utf-8"))
    known = {
        "batch_size": 1, "sequence_length": new, "past_sequence_length": past,
        "total_sequence_length": new + past,
        "kv_cache_dim": config["model"]["decoder"]["head_size"],
    }  # fmt: skip
    made = {}
    for each in onnx.load(path, load_external_data=False).graph.input:
        tensor = each.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        sizes = [known.get(dim.dim_param, dim.dim_value) for dim in tensor.shape.dim]
        made[each.name] = (random.standard_normal(sizes) / 2).astype(dtype)
    made["input_ids"] = random.integers(0, COMMON["vocab_size"], (1, new))
    made["attention_mask"] = np.ones((1, new + past), np.int64)
    if "position_ids" in made:
        made["position_ids"] = np.arange(past, past + new)[None]
    return made


def is_accepted(path: Path) -> bool:
    """Return whether ONNX Runtime takes a model: the builder can write some that nothing loads."""
    try:
        session(str(path))
    except Exception as error:  # noqa: BLE001 (its own classes share no other)
        print(f"ONNX Runtime refuses it too: {shown(str(error))}")
        return False
    return True


def check(path: Path) -> bool:
    """Compare a model with ONNX Runtime, and what it is after out and in; say what was found."""
    bound, largest = BOUNDS[path.parent.name.partition("-")[2]], 0.0
    count = 0
    for new, past in STEPS:
        given = inputs_of(path, new, past)
        try:
            loaded = dml.load_onnx(path, sizes={n: a.shape for n, a in given.items()})
        except dml.OnnxModelError as error:
            print(f"{path.parent.name}: {error}")
            return not is_accepted(path)
        found = loaded(given)
        wanted = session(str(path)).run(None, given)
        largest = max(*map(relative_difference, found, wanted), largest)
        again = dml.load_onnx(loaded.to_onnx())
        back = dict(zip(again.outputs, again({n: given[n] for n in again.inputs}), strict=True))
        is_same = all(
            back[name].tobytes() == each.tobytes()
            for name, each in zip(loaded.outputs, found, strict=True)
        )
        if not is_same:
            print(f"{path.parent.name}: other bits after out and in")
            return False
        count = len(loaded.serialized().operators)
    print(
        f"{path.parent.name}: {count} operators, {largest:.1e} from ONNX Runtime, at most {bound}"
    )
    return largest <= bound


class Theirs:
    """A session of ONNX Runtime where `samples.generate.Decoder` expects a model."""

    def __init__(self, path: Path, model: dml.OnnxModel) -> None:
        self.inputs, self.outputs = model.inputs, model.outputs
        self._session = session(str(path))

    def __call__(self, feed: dict[str, np.ndarray], out: None = None) -> list[np.ndarray]:
        assert out is None  # its cache grows
        return self._session.run(None, feed)


def says(path: Path) -> bool:
    """Have a model say tokens from a cache that presents share, one that grows, and elsewhere."""
    settings = generate.read_settings(path.parent)
    if not is_accepted(path):  # what `check` has told
        return True
    model = dml.load_onnx(path)
    shared, growing, theirs = (
        list(generate.generated(decoder, PROMPT, COUNT, generate.likeliest, frozenset()))
        for decoder in (
            generate.Decoder(model, settings.capacity, settings.head_size),
            generate.Decoder(model, None, settings.head_size),
            generate.Decoder(Theirs(path, model), None, settings.head_size),
        )
    )
    same = next((k for k, (a, b) in enumerate(zip(shared, theirs, strict=True)) if a != b), COUNT)
    print(
        f"{path.parent.name}: cache for {settings.capacity or 'what comes'}, "
        f"the first {same} of {COUNT} tokens are those of ONNX Runtime"
    )
    if shared != growing:
        print(f"{path.parent.name}: other tokens where the cache grows: {shared}, {growing}")
    # What it permits itself to round to 8 bits says others.
    return shared == growing and (same == COUNT or not path.parent.name.endswith("-fp32-cpu"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_import.genai")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="load and compare what is there")
    options = parser.parse_args(arguments)
    if not options.check:
        write(options.folder)
        return 0
    paths = sorted(options.folder.glob("*-*/model.onnx"))
    found = [check(path) and says(path) for path in paths]
    print(f"{sum(found)} of {len(found)} models agree")
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
