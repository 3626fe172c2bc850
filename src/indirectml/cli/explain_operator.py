"""`indirectml explain GEMM`: what an operator computes, and of which tensors."""

from __future__ import annotations

import argparse
import errno
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import indirectml
from indirectml.catalogue import OPERATOR_PREFIX, operator_facts, operator_names
from indirectml.cli.common import DONE, STANDARD
from indirectml.cli.graph_texts import where
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.base import OperatorDesc
from indirectml.descriptors.definitions import class_names, definition, fields_of, index
from indirectml.descriptors.examples import Example, examples
from indirectml.descriptors.names import camel_case
from indirectml.inspection.plan_rows import plan_rows
from indirectml.onnx_import.package import onnx_package
from indirectml.operators import descriptor_class
from indirectml.runtime import Device

#: What `explain` takes to list all operators.
ALL = "operators"

#: What may be around an operator's name: that of its value, of its structure, or of its class here.
_AROUND = re.compile(r"(?:DML_OPERATOR_|DML_)?(\w+?)(?:_OPERATOR_DESC)?", re.IGNORECASE)


def operator_named(text: str) -> str | None:
    """Return the operator that is meant by a name.

    GEMM, gemm, activation_relu, DML_OPERATOR_GEMM, DML_GEMM_OPERATOR_DESC or GemmOperatorDesc;
    None if none is, or if there is a file of that name.
    """
    if Path(text).exists():
        return None
    if text in class_names():
        return class_names()[text]
    match = _AROUND.fullmatch(text)
    name = match[1].upper() if match else text
    if name in operator_names():
        return name
    called = {f"ELEMENT_WISE_{name}", f"ACTIVATION_{name}"} & set(operator_names())
    if not called and text in index()["functions"]:
        called = {each for each in operator_names() if definition(each).function == text}
    # Of versions that one function stands for, the newest.
    return max(called, key=lambda each: operator_facts(each).number) if called else None


def refuse_misspelled(text: str, others: Iterable[str] = ()) -> None:
    """Raise for a file that is not there and may be meant as an operator, or one of others."""
    if Path(text).exists() or Path(text) == STANDARD:
        return
    hint = suggestion(text, others)
    if hint is None and not Path(text).suffix and Path(text).name == text:
        name = _AROUND.sub(r"\1", text).upper()
        short = {n: re.sub("^(ELEMENT_WISE|ACTIVATION)_", "", n) for n in operator_names()}
        holding = [each for each in short if len(name) > 1 and name in each]
        if len(holding) > 1:
            hint = f"operators with it in their names: {', '.join(holding[:_HELD])}"
            hint += f" and {len(holding) - _HELD} more" if len(holding) > _HELD else ""
        elif text.islower():
            hint = suggestion(name.lower(), map(str.lower, short.values()))
        else:
            hint = suggestion(name, short.values())
        hint = hint or f"nor is it an operator: indirectml explain {ALL}"
    if hint is not None:
        raise FileNotFoundError(errno.ENOENT, f"No such file or directory; {hint}", text)


def list_operators(*, as_json: bool) -> int:
    """Print a line for each operator: its name, its function, what it computes."""
    told = {name: _line(name) for name in operator_names()}
    if as_json:
        print(json.dumps({OPERATOR_PREFIX + name: line for name, line in told.items()}, indent=2))
        return DONE
    width = max(map(len, told))
    for name, line in told.items():
        print(f"{name:{width}}  {line}")
    return DONE


def _line(name: str) -> str:
    """Return what an operator computes, as one line."""
    return " ".join(definition(name).text.partition("\n\n")[0].split())


def _followed(name: str) -> Iterator[str]:
    """Yield the operators that the line of an operator says it is as, and so on."""
    seen = {definition(name).name}
    while True:
        found = re.findall(r"\b[A-Z][A-Z_]+\d?\b", _line(name))
        name = next((each for each in found if each in operator_names()), "")
        if not name or definition(name).name in seen:
            return
        seen.add(definition(name).name)
        yield name


def explain_operator(name: str, options: argparse.Namespace) -> int:
    """Print what there is to say of an operator."""
    told = _told(name)
    if options.device != "cpu":
        told["device"] = _where(name, options.device)
    if options.json:
        print(json.dumps(told, indent=2))
        return DONE
    called = f", in Python indirectml.{told['function']}" if told["function"] else ""
    print(f"{told['operator']}, from feature level {told['feature_level']}{called}\n")
    print(told["text"])
    for other in _followed(name):
        print(f"\n{other}\n{'-' * len(other)}\n{definition(other).text}")
    print("\nTensors by feature level\n------------------------")
    for level, tensors in told["tensors"].items():
        print(f"{level}:")
        for tensor, support in tensors.items():
            print(f"  {tensor}: {', '.join(support['data_types']) or 'any'}; ", end="")
            low, high = support["dimension_counts"]
            print(f"{low} dimensions" if low == high else f"{low} to {high} dimensions")
    print("\nONNX\n----")
    if told["onnx"] is None:
        print("has a form: pip install 'indirectml[onnx]' shows it here")
    else:
        print(told["onnx"])
    print("(docs/onnx-operators.md has every form, and what others make of it)")
    if "device" in told:
        print(f"\nIts example on a device\n-----------------------\n{told['device']}")
    return DONE


#: How many operators a hint names.
_HELD = 6

#: How wide an import is at most.
_WIDTH = 76

#: What an example takes from elsewhere: a name that it does not give a value, and no attribute.
_USED = re.compile(r"(?<![\w.'\"])([A-Za-z]\w*)(?!\w*\s*=[^=])")


def with_imports(text: str) -> str:
    """Return a docstring whose examples begin with what they import, so that they can be pasted."""
    lines = [line.lstrip() for line in text.splitlines()]
    used = {n for line in lines if line[:3] in (">>>", "...") for n in _USED.findall(line[3:])}
    names = ", ".join(sorted(used & set(dir(indirectml))))
    needs = [f"from indirectml import {names}"] if names else []
    if len(names) > _WIDTH:
        rows = textwrap.wrap(names, _WIDTH, initial_indent="...     ", subsequent_indent="...     ")
        needs = ["from indirectml import (", *rows, "... )"]
    needs += ["import numpy as np"] if "np" in used else []
    needs = [each for each in needs if f">>> {each}" not in lines]
    first = re.search(r"^([ \t]*)>>>", text, re.MULTILINE)
    if first is None:
        return text
    written = (each if each.startswith("...") else f">>> {each}" for each in needs)
    at = first.start()
    return text[:at] + "".join(f"{first[1]}{each}\n" for each in written) + text[at:]


def _onnx_text(name: str) -> str | None:
    """Return the ONNX form of the first example of an operator; None if onnx is not installed."""
    desc = _first_example(name)
    if desc is None:
        return None
    device = Device()
    try:
        model = device.compile_operator(device.create_operator(desc)).to_onnx(
            input_names=_tensor_names(desc, "input_tensor"),
            output_names=_tensor_names(desc, "output_tensor"),
        )
    except SettingError:
        return None
    except DirectMLError as error:
        return f"no form of its example: {error}"
    text: str = onnx_package().printer.to_text(model)
    body = text[text.index("\n", text.index(">\n")) + 1 :] if ">\n" in text else text
    return body.rstrip()


def _where(name: str, device: str) -> str:
    """Return which steps of the first example of an operator a device carries out itself."""
    used, desc = Device(device), _first_example(name)
    if desc is None:
        return "there is no example of its own"
    compiled = used.compile_operator(used.create_operator(desc))
    return "\n".join(where(plan_rows(compiled.plan, used.implementation), device))


def _first_example(name: str) -> OperatorDesc | None:
    """Return the descriptor of the first example of an operator that its version has."""
    made = definition(name)
    found = (_example_desc(name, example) for example in examples(made, made.name))
    return next((desc for desc in found if desc is not None), None)


def _tensor_names(desc: OperatorDesc, kind: str) -> list[str]:
    """Return DirectML's names of the tensors of a kind, as far as there are some."""
    names = [name for name, tensor in desc.tensors(kind) if tensor is not None]
    return [camel_case(name.replace("[", "_").removesuffix("]")) for name in names]


def _example_desc(name: str, example: Example) -> OperatorDesc | None:
    """Return the descriptor of an example; None where a version lacks what the example uses."""
    known = dict(fields_of(name))
    if example.fields.keys() - known.keys():
        return None
    given: dict[str, Any] = dict(example.fields)
    rest = {"input_tensor": list(example.inputs), "output_tensor": list(example.outputs)}
    for field, facts in fields_of(definition(name).name):
        if facts.kind == "attribute":
            continue
        arrays = rest[facts.kind]
        taken = arrays[:] if facts.array else arrays[:1]
        del arrays[: len(taken)]
        tensors = [None if a is None else TensorDesc(a.dtype, a.shape) for a in taken] or [None]
        if field in known:
            given[field] = tensors if facts.array else tensors[0]
    return descriptor_class(name)(**given)


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
        "text": with_imports(inspect.getdoc(descriptor_class(name)) or ""),
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
        "onnx": _onnx_text(name),
    }
