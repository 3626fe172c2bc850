"""Models of PyTorch's zoos, as ONNX; a program: `python -m tests.model_zoos`.

The smallest network of each family of timm and of torchvision, and of each architecture of
transformers, with seeded random weights, by PyTorch's exporter: what we make of it beside ONNX
Runtime, and how long both take on one thread. What neither it nor PyTorch gives is our mistake.

Needs torch, onnxscript, and the zoos that are asked for. Each network has a process of its own.
"""

import argparse
import contextlib
import importlib
import json
import logging
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from benchmarks.networks import measured
from torch.utils import _pytree as trees

import indirectml as dml
from tests.onnx_models import relative_difference, session
from tests.torch_exports import exported, first_line

ROOT = Path(__file__).parents[1]
#: Exporting, compiling and calling may take so long.
LIMIT_S = 300
#: The largest difference that orders of sums explain, in parts of the largest number.
MOST = 1e-3
#: What small networks are called, the smallest first.
SMALL = (
    "test_", "zepto", "atto", "femto", "pico", "nano", "micro", "xxtiny", "xtiny", "tiny", "mini",
    "xxs", "_xs", "x0_5", "small", "_s", "_b0", "b1", "t0", "t1", "_t",
)  # fmt: skip


def smallest(names):
    """Return the one of some names that says so most."""
    marks = len(SMALL)

    def rank(name):
        return next((n for n, mark in enumerate(SMALL) if mark in name), marks), len(name), name

    return min(names, key=rank)


# ---- Zoos: names of networks, and a network with its inputs by name ------------------------------


#: Operators that are declared as long as this is there.
_declared = []


def torchvision():
    """Return the package; without its operators, where it was built for another PyTorch."""
    try:
        return importlib.import_module("torchvision")
    except RuntimeError:
        if not _declared:
            _declared.append(library := torch.library.Library("torchvision", "DEF"))
            for name in ("nms", "qnms"):  # which are looked for while it is imported
                library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return importlib.import_module("torchvision")


def timm_names():
    torchvision()
    timm = importlib.import_module("timm")
    families = [timm.list_models(module=module) for module in timm.list_modules()]
    return [smallest(names) for names in families if names]


def timm_network(name):
    torchvision()
    network = importlib.import_module("timm").create_model(name)
    return network, {"x": torch.randn(1, *network.default_cfg["input_size"])}


def torchvision_names():
    models = torchvision().models
    families = {}
    for name in models.list_models():
        module = models.get_model_builder(name).__module__
        families.setdefault(module, []).append(name)
    return [smallest(n) for module, n in sorted(families.items()) if "quantization" not in module]


def torchvision_network(name):
    models = torchvision().models
    module = models.get_model_builder(name).__module__
    options = {"weights": None}
    if any(part in module for part in ("detection", "segmentation")):
        options["weights_backbone"] = None
    sizes = (1, 3, 16, 112, 112) if ".video" in module else (1, 3, 224, 224)
    inputs = {"x": torch.randn(sizes)}
    if "optical_flow" in module:
        inputs = {"x": torch.randn(1, 3, 128, 128), "y": torch.randn(1, 3, 128, 128)}
    return models.get_model(name, **options), inputs


def transformers_names():
    return sorted(importlib.import_module("transformers").CONFIG_MAPPING)


#: Sizes of a small transformer, by the names that configurations have for them.
SIZES = {
    "hidden_size": 64, "n_embd": 64, "d_model": 64, "dim": 64, "emb_dim": 64,
    "embedding_size": 64, "word_embed_proj_dim": 64, "num_attention_heads": 4, "n_head": 4,
    "n_heads": 4, "num_heads": 4, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "d_kv": 16, "num_hidden_layers": 2, "n_layer": 2,
    "n_layers": 2, "num_layers": 2, "encoder_layers": 2, "decoder_layers": 2,
    "intermediate_size": 128, "d_ff": 128, "ffn_dim": 128, "hidden_dim": 128,
    "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "vocab_size": 199, "n_positions": 128,
    "max_position_embeddings": 128, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4,
}  # fmt: skip


def transformers_network(name):
    with contextlib.suppress(ImportError):  # some networks take it
        torchvision()
    transformers = importlib.import_module("transformers")
    kind = transformers.CONFIG_MAPPING[name]
    known = kind().to_dict()
    config = kind(**{key: size for key, size in SIZES.items() if isinstance(known.get(key), int)})
    config.use_cache = False
    config.return_dict = True
    network = transformers.AutoModel.from_config(config, attn_implementation="eager")
    main = network.main_input_name
    if main == "pixel_values":
        size = getattr(config, "image_size", 64)
        size = size if isinstance(size, int) else 64
        inputs = {main: torch.randn(1, getattr(config, "num_channels", 3), size, size)}
    elif main == "input_ids":
        inputs = {main: torch.randint(3, 199, (1, 17))}
        if config.is_encoder_decoder:
            inputs["decoder_input_ids"] = torch.randint(3, 199, (1, 5))
    elif main == "input_values":
        inputs = {main: torch.randn(1, 8000)}
    else:
        raise NotImplementedError(f"inputs {main}")
    return network, inputs


ZOOS = {
    "timm": (timm_names, timm_network),
    "torchvision": (torchvision_names, torchvision_network),
    "transformers": (transformers_names, transformers_network),
}


# ---- One network ---------------------------------------------------------------------------------


class Flat(torch.nn.Module):
    """A network that returns the tensors of what it returns, whatever holds them."""

    def __init__(self, network, names):
        super().__init__()
        self._network, self._names = network, names

    def forward(self, *inputs):
        if self._names is None:
            made = self._network(*inputs)
        else:
            made = dict(self._network(**dict(zip(self._names, inputs, strict=True))))
        return tuple(x for x in trees.tree_leaves(made) if isinstance(x, torch.Tensor))


def made(zoo, name):
    """Return the model of a network with random weights, its data, and what PyTorch gives."""
    torch.manual_seed(0)
    network, inputs = ZOOS[zoo][1](name)
    with torch.no_grad():
        for each in (*network.parameters(), *network.buffers()):
            if each.is_floating_point() and each.numel() and (each == each.flatten()[0]).all():
                each.add_(0.1 * torch.rand_like(each))  # zeros and ones would hide much
    flat = Flat(network, list(inputs) if zoo == "transformers" else None).eval()
    with torch.no_grad():
        wanted = [x.numpy() for x in flat(*inputs.values())]
        model = exported(flat, inputs.values())
    names = [each.name for each in model.graph.input]
    data = dict(zip(names, (x.numpy() for x in inputs.values()), strict=False))
    return model, data, wanted


def difference(given, wanted):
    """Return the largest difference of some arrays, in parts of the largest number of each."""
    if [(x.shape, x.dtype) for x in given] != [(x.shape, x.dtype) for x in wanted]:
        return float("inf")
    most = 0.0
    for ours, theirs in zip(given, wanted, strict=True):
        is_number = np.isfinite(theirs)
        if not np.array_equal(is_number, np.isfinite(ours)):
            return float("inf")
        most = max(most, relative_difference(ours[is_number], theirs[is_number]))
    return most


def outcome(zoo, name):
    """Return what becomes of a network: `kind`, `why`, and figures."""
    try:
        model, data, wanted = made(zoo, name)
        raw = model.SerializeToString()
    except Exception as error:  # noqa: BLE001 (whatever zoos and exporters say)
        return {"kind": "not exported", "why": said_by(error)}
    try:
        theirs = session(raw)
        names = [each.name for each in theirs.get_inputs()]
        data = {key: value for key, value in data.items() if key in names}
        by_onnx_runtime = theirs.run(None, data)
    except Exception as error:  # noqa: BLE001 (it has no base of its errors)
        return {"kind": "no model", "why": said_by(error)}
    dml.configure(max_threads=1)
    try:
        began = time.perf_counter()
        ours = dml.load_onnx(raw)
        given = [np.asarray(x) for x in ours(data)]
        loaded_s = time.perf_counter() - began
    except dml.DirectMLError as error:
        return {"kind": "refused", "why": " ".join(str(error).split())}
    apart = difference(given, wanted), difference(given, by_onnx_runtime)
    mine, other = measured(lambda: ours(data), lambda: theirs.run(None, data), time.process_time)
    return {
        "kind": "passed" if min(apart) <= MOST else "differs",
        "why": f"from PyTorch {apart[0]:.0e}, from ONNX Runtime {apart[1]:.0e}",
        "nodes": len(model.graph.node), "load_s": loaded_s, "ms": 1e3 * mine,
        "ratio": other / mine,
    }  # fmt: skip


def said_by(error):
    return f"{type(error).__name__}: {first_line(error)[:300]}"


def in_a_process(zoo, name):
    """Return the outcome of a network, found by another process."""
    command = [sys.executable, "-m", "tests.model_zoos", "--zoo", zoo, "--one", name]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return {"kind": "too long", "why": f"more than {LIMIT_S} s"}
    lines = done.stdout.splitlines()
    if done.returncode == -signal.SIGKILL:
        return {"kind": "too large", "why": "its process was ended"}
    if done.returncode or not lines:
        return {"kind": "crashed", "why": f"{done.returncode}: {done.stderr[-300:]}"}
    return json.loads(lines[-1])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--zoo", choices=ZOOS, action="append", help="which one; all by default")
    parser.add_argument("--only", default="", help="networks whose names have this text")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    if chosen.one:
        print(json.dumps(outcome(chosen.zoo[0], chosen.one)))
        return 0
    counts, ratios = Counter(), []
    for zoo in chosen.zoo or ZOOS:
        for name in ZOOS[zoo][0]():
            if chosen.only not in name:
                continue
            found = in_a_process(zoo, name)
            counts[found["kind"]] += 1
            line = f"{zoo} {name}: {found['kind']}: {found['why']}"
            if "ms" in found:
                ratios.append(found["ratio"])
                line += f"; {found['nodes']} nodes, {found['ms']:.1f} ms, {found['ratio']:.2f}"
                line += f" of ONNX Runtime's speed, loaded in {found['load_s']:.1f} s"
            print(line, flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    if ratios:
        print(f"median {np.median(ratios):.2f}, lowest {min(ratios):.2f} of ONNX Runtime's speed")
    return 1 if counts["differs"] or counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
