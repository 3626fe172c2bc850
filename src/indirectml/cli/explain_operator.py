"""`indirectml explain GEMM`: what an operator computes, and of which tensors."""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path
from typing import Any

from indirectml.catalogue import OPERATOR_PREFIX, operator_facts, operator_names
from indirectml.cli.common import DONE
from indirectml.descriptors.definitions import definition, index
from indirectml.onnx_export.forms import REFUSED, form_of
from indirectml.operators import descriptor_class


def operator_named(text: str) -> str | None:
    """Return the operator that is meant by GEMM, gemm, activation_relu or DML_OPERATOR_GEMM.

    None if none is, or if there is a file of that name.
    """
    if Path(text).exists():
        return None
    name = text.upper().removeprefix(OPERATOR_PREFIX)
    if name in operator_names():
        return name
    called = {f"ELEMENT_WISE_{name}", f"ACTIVATION_{name}"} & set(operator_names())
    if not called and text in index()["functions"]:
        called = {each for each in operator_names() if definition(each).function == text}
    # Of versions that one function stands for, the newest.
    return max(called, key=lambda each: operator_facts(each).number) if called else None


def explain_operator(name: str, options: argparse.Namespace) -> int:
    """Print what there is to say of an operator."""
    told = _told(name)
    if options.json:
        print(json.dumps(told, indent=2))
        return DONE
    called = f", in Python indirectml.{told['function']}" if told["function"] else ""
    print(f"{told['operator']}, from feature level {told['feature_level']}{called}\n")
    print(told["text"])
    print("\nTensors by feature level\n------------------------")
    for level, tensors in told["tensors"].items():
        print(f"{level}:")
        for tensor, support in tensors.items():
            print(f"  {tensor}: {', '.join(support['data_types']) or 'any'}; ", end="")
            low, high = support["dimension_counts"]
            print(f"{low} dimensions" if low == high else f"{low} to {high} dimensions")
    form = "has a form" if told["onnx_refusal"] is None else f"no form: {told['onnx_refusal']}"
    print(f"\nONNX: {form} (docs/onnx-operators.md)")
    return DONE


def _told(name: str) -> dict[str, Any]:
    facts, made = operator_facts(name), definition(name)
    short = name.lower().removeprefix("element_wise_")
    by_hand = short if short in index()["functions"] else None
    # Of REDUCE, each function has tensors of its own.
    by_level = dict(facts.support) or {
        f"{level}, {function}": support
        for function, levels in facts.support_by_function.items()
        for level, support in levels.items()
    }
    return {
        "operator": OPERATOR_PREFIX + name,
        "function": made.function or by_hand,
        "feature_level": facts.introduced,
        "text": inspect.getdoc(descriptor_class(name)),
        "tensors": {
            level: {
                tensor: {
                    "data_types": [data_type.name for data_type in each.data_types or ()],
                    "dimension_counts": [
                        each.minimum_dimension_count,
                        each.maximum_dimension_count,
                    ],
                }
                for tensor, each in support.items()
            }
            for level, support in by_level.items()
        },
        "onnx_refusal": None if form_of(name) is not None else REFUSED[made.name],
    }
