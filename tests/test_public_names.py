"""What a person sees who looks around: names, docstrings, and how objects show themselves."""

import builtins
import enum
import re

import numpy as np
import pytest

import indirectml as dml
from tests.lowest_versions import lowest_versions


def public():
    return {name: getattr(dml, name) for name in dir(dml)}


def test_the_package_shows_its_public_names_alone():
    assert {"abs", "gemm", "Graph"} < set(dir(dml))
    assert not [name for name in dir(dml) if name.startswith("_")]


def test_a_star_import_leaves_the_names_of_python_alone():
    names = {}
    exec("from indirectml import *", names)  # noqa: S102 (this statement is what is tested)

    assert not {name for name in names if hasattr(builtins, name)}
    assert set(dir(dml)) - names.keys() == {"abs", "max", "min", "pow", "round", "slice"}


def test_everything_public_has_a_docstring():
    missing = [name for name, found in public().items() if not (found.__doc__ or "").strip()]

    assert not missing


def test_enumerations_say_what_they_are():
    enumerations = {
        name: found
        for name, found in public().items()
        if isinstance(found, type) and issubclass(found, enum.Enum)
    }

    assert {"OperatorType", "ReduceFunction", "TensorDataType"} <= set(enumerations)
    for name, found in enumerations.items():
        assert vars(found).get("__doc__"), name
        assert found.__doc__ != enum.IntEnum.__doc__, name


def objects():
    """Return one of each public class that holds something, with much in it."""
    device = dml.Device()
    graph = dml.Graph(device)
    memory = bytearray(1_000_000)
    array = np.zeros(250_000, np.float32)
    x, constant = graph.input([250_000]), graph.constant(array)
    compiled = graph.compile([x + constant])
    tensor = dml.TensorDesc(np.float32, [3])
    desc = dml.FillValueSequenceOperatorDesc(tensor, np.float32, 0, 1)
    operator = device.create_operator(desc)
    fill = device.compile_operator(operator)
    initializer = device.create_operator_initializer([fill] * 100)
    return [
        device,
        graph,
        x,
        constant,
        compiled,
        tensor,
        operator,
        fill,
        fill.binding_properties,
        initializer,
        dml.Buffer(device, array),
        *(dml.BufferBinding(b) for b in (memory, memoryview(memory), array, array.tolist())),
        dml.BufferBinding(dml.Buffer(device, array), 0, 16),
        dml.ConstantNode(array.tobytes()),
        device.create_binding_table(),
        device.create_binding_table(initializer),
        device.create_command_recorder(),
        dml.CommandList(device),
        dml.CommandQueue(device),
        dml.configure(),
        dml.ScalarUnion(float32=1),
        dml.Sequence(0, 1),
        next(dml.Sequence(0, 1).segments(1)),
        dml.TensorPolicy.default,
        dml.TensorPolicy.interleaved_channel,
        dml.TensorPolicy(lambda sizes: sizes),
        *(list(found)[-1] for found in public().values()
          if isinstance(found, type) and issubclass(found, enum.Enum)),
    ]  # fmt: skip


@pytest.mark.parametrize("found", objects(), ids=lambda found: type(found).__name__)
def test_objects_show_what_they_are_in_a_line(found):
    shown = repr(found)

    assert len(shown) <= 160
    assert "\n" not in shown
    assert type(found).__name__ in shown or shown[0] == "<"
    if not isinstance(found, dml.TensorPolicy):
        assert " at 0x" not in shown


def test_the_lowest_versions_are_exact():
    """`.ci/run` runs the tests of the doors once more with them."""
    found = lowest_versions()

    assert [line.partition("==")[0] for line in found] == ["numpy", "pytest", "hypothesis"]
    assert not [line for line in found if re.search(r"[<>~!,;*]", line)]


def test_members_of_enumerations_say_their_names():
    for name, found in public().items():
        if isinstance(found, type) and issubclass(found, enum.Enum) and name != "FeatureLevel":
            member = list(found)[-1]
            assert str(member) == f"{member}" == f"{name}.{member.name}"
    assert f"{dml.TensorDataType.INT32:d}" == "6"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("rleu", "activation_relu"),
        ("relu", "activation_relu"),
        ("TensorDataTyp", "TensorDataType"),
        ("fill_constnat", "fill_constant"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(typo, meant):
    with pytest.raises(AttributeError) as error:
        getattr(dml, typo)

    assert (
        str(error.value) == f"module 'indirectml' has no attribute {typo!r}; did you mean {meant}"
    )


def test_a_name_like_no_other_is_answered_with_none():
    with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
        getattr(dml, "xyzzy")  # noqa: B009
