"""`indirectml run GEMM`: one operator on arrays, by the function that it has in Python."""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from indirectml.catalogue import OPERATOR_PREFIX
from indirectml.cli.arrays import given_array
from indirectml.cli.common import used_device
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import DirectMLError, SettingError
from indirectml.core.nearest_names import suggestion
from indirectml.descriptors.definitions import definition, fields_of, index
from indirectml.descriptors.names import camel_case, parameter_name, snake_case
from indirectml.devices import device_of_calls
from indirectml.graphs.functions import graph_function
from indirectml.models.context import Context, ReadingOptions
from indirectml.models.dispatchables import FIELD_READERS
from indirectml.models.made_up import digest, digest_line
from indirectml.models.printing import print_values, values_json
from indirectml.models.problems import Problems, printable
from indirectml.operators import on_arrays

#: Operators whose functions are called otherwise.
_CALLED = {"ELEMENT_WISE_CONSTANT_POW": "pow", "NONZERO_COORDINATES": "non_zero_coordinates"}

#: What only graphs have: attributes of the options, and what they are called.
_OF_GRAPHS = {
    "quantized": "--quantized", "input_sizes": "--input-sizes", "dimensions": "--dimension",
    "constants": "--constant", "profile": "--profile", "trace": "--trace", "plot": "--plot",
    "dump": "--dump",
}  # fmt: skip


def function_name(operator: str) -> str | None:
    """Return the name of the function of an operator; None for one that has none."""
    own = definition(operator).function
    short = operator.lower().removeprefix("element_wise_")
    called = (own, _CALLED.get(operator), short, re.sub(r"\d$", "", short))
    return next((name for name in called if name in index()["functions"]), None)


def run_operator(operator: str, options: argparse.Namespace) -> Iterator[str]:
    """Return what prints of an operator on arrays.

    Raises
    ------
    DirectMLError, OSError
        A name, a value or an array does not fit.
    """
    for attribute, option in _OF_GRAPHS.items():
        if getattr(options, attribute):
            needs = "goes with a graph in a file (.bin, .onnx)"
            raise SettingError(needs, given=f"the operator {operator}", field=option)
    name = function_name(operator)
    assert name is not None  # noqa: S101 (each operator has one; a test looks)
    parameters = inspect.signature(graph_function(name)).parameters
    tensors = [n for n, p in parameters.items() if "Expression" in str(p.annotation)]
    if not tensors:
        raise SettingError(
            "needs an operator with inputs",
            given=operator,
            hint="indirectml fill writes constants and sequences",
        )
    given: dict[str, Any] = {}
    for pair in options.input:
        parameter, text = _named("--input", pair, tensors, parameter_name)
        array = given_array(text, pair, "--input", TensorDataType.FLOAT32)
        is_several = "Sequence" in str(parameters[parameter].annotation)
        if is_several:
            given.setdefault(parameter, []).append(array)
        elif parameter in given:
            raise SettingError("needs each input once", given=pair, field="--input")
        else:
            given[parameter] = array
    others = [n for n in parameters if n not in tensors]
    for pair in options.field:
        parameter, text = _named("--field", pair, others, str)
        given[parameter] = _value(operator, parameter, text)
    needed = [
        n for n, p in parameters.items() if p.default is inspect.Parameter.empty and n not in given
    ]
    # An optional one before a needed one, such as a zero point, has no default in Python.
    given |= {n: None for n in needed if "None" in str(parameters[n].annotation)}
    missing = [n for n in needed if n not in given]
    if missing:
        option = "--input" if missing[0] in tensors else "--field"
        raise SettingError(
            f"needs {', '.join(missing)}",
            hint=f"{option} {missing[0]}=..., as in: indirectml explain {operator}",
            field=name,
        )
    function: Callable[..., Any] = getattr(on_arrays, name)
    token = device_of_calls.set(options.device)
    try:
        outputs = _by_name(function(**given))
    finally:
        device_of_calls.reset(token)
    targets = dict(_named("--output", pair, list(outputs), str) for pair in options.output)
    return _told(operator, name, outputs, targets, options)


def _by_name(results: Any) -> dict[str, Any]:
    """Return results by the names of outputs."""
    if isinstance(results, np.ndarray):
        return {"output": results}
    if hasattr(results, "_asdict"):
        found: dict[str, Any] = results._asdict()
    else:
        found = {f"output_{number}": each for number, each in enumerate(results)}
    return {name: each for name, each in found.items() if each is not None}


def _named(option: str, pair: str, known: list[str], rule: Callable[[str], str]) -> tuple[str, str]:
    """Return the parameter that NAME=VALUE names, by DirectML's or Python's name, and the value."""
    name, is_pair, text = pair.partition("=")
    parameter = rule(snake_case(name))
    if not is_pair or parameter not in known:
        raise SettingError(
            f"needs NAME=VALUE, with a name out of {', '.join(known) or 'none'}",
            given=repr(pair[:60]),
            hint=suggestion(parameter, known),
            field=option,
        )
    return parameter, text


def _value(operator: str, parameter: str, text: str) -> Any:
    """Return the value of a field: JSON, or the name of a member of an enumeration."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    facts = dict(fields_of(operator)).get(parameter)
    reader = None if facts is None else FIELD_READERS.get(facts.type)
    if reader is None or facts is None or value is None:
        return value
    context = Context(ReadingOptions(), Problems())
    try:
        if facts.array and isinstance(value, list):
            return [reader(each, context) for each in value]
        return reader(value, context)
    except DirectMLError as error:
        raise error.within(f"--field {camel_case(parameter)}") from None


def _told(
    operator: str,
    name: str,
    outputs: dict[str, Any],
    targets: dict[str, str],
    options: argparse.Namespace,
) -> Iterator[str]:
    for output, file in targets.items():
        np.save(file, outputs[output])
    if options.json:
        told = [
            {
                "name": output,
                "data_type": as_data_type(array.dtype).name,
                "sizes": list(array.shape),
                "sha256": digest(array),
                **({"file": targets[output]} if output in targets else {}),
                **({} if options.digest else {"values": values_json(array)}),
            }
            for output, array in outputs.items()
        ]
        record = {
            "operator": OPERATOR_PREFIX + operator,
            "function": name,
            "device": used_device(options),
            "outputs": told,
        }
        yield json.dumps(record, indent=2) + "\n"
        return
    for output, array in outputs.items():
        if output in targets:
            yield printable(f"Output '{output}' written to '{targets[output]}'") + "\n"
        elif options.digest:
            yield digest_line(output, array, as_data_type(array.dtype))
        else:
            data_type = as_data_type(array.dtype).name
            yield f"Output '{output}': {data_type} {list(array.shape)}\n"
            yield from print_values(output, np.ravel(array), options.precision)
