"""Words: what operators are made of."""

import pickle

import numpy as np
import pytest

import indirectml as dml
from indirectml.descriptors.definitions import Definition, definition, implemented_operators
from indirectml.descriptors.examples import examples
from indirectml.inspection.plan_rows import plan_rows
from indirectml.operators import descriptor_class, made_class
from indirectml.passes import lowering, tracing
from indirectml.plans import FillStep, ProgramStep, WordStep
from tests.operators.test_examples import fields_with_tensors


def _compiled(name):
    device = dml.Device()
    for example in examples(definition(name), definition(name).name):
        fields = fields_with_tensors(name, example)
        if fields is not None:
            desc = descriptor_class(name)(**fields)
            yield device.compile_operator(device.create_operator(desc))


def _reads_an_element(x):
    return x * float(x[0])


def _writes_into_a_part(x):
    out = np.zeros(x.shape, x.dtype)
    out[:1] = x[:1]
    return out


def _sorts(x):
    return np.sort(x)


@pytest.mark.parametrize(
    ("compute", "line"), [(_reads_an_element, 1), (_writes_into_a_part, 2), (_sorts, 1)]
)
def test_a_definition_that_cannot_be_followed_is_told_what_to_be(compute, line, monkeypatch):
    tensor = dml.TensorDesc("float32", [4])
    kind = made_class(Definition(compute, "ELEMENT_WISE_ABS"), "ELEMENT_WISE_ABS")
    monkeypatch.setattr(lowering, "compute_function", lambda _: lambda _, x, **__: compute(x))
    monkeypatch.setattr(tracing, "compute_function", lambda _: lambda _, x, **__: compute(x))
    monkeypatch.setattr(tracing, "templates", {})
    monkeypatch.setattr(lowering, "lowerings", {})
    device = dml.Device()
    operator = device.create_operator(kind(tensor, tensor, None))

    with pytest.raises(dml.OperatorNotImplementedError) as raised:
        device.compile_operator(operator)

    text = str(raised.value)
    assert text.startswith(
        "ELEMENT_WISE_ABS: needs a definition of operations of NumPy on arrays, views, and words "
        "of arithmetic/, without elements that become numbers or are written into, got "
    )
    assert f" at line {compute.__code__.co_firstlineno + line} of test_words.py" in text


def _word_steps():
    plans = (compiled.plan for name in implemented_operators() for compiled in _compiled(name))
    return [step for plan in plans for step in plan.steps if isinstance(step, WordStep)]


def test_steps_of_words_are_data():
    steps = _word_steps()

    assert len({step.word.name for step in steps}) > 20
    for step in steps:
        again = pickle.loads(pickle.dumps(step))  # noqa: S301 (our own)
        assert again == step
        assert hash(again) == hash(step)
        assert step.word.name in repr(step)


def test_every_word_says_in_a_sentence_what_it_does():
    for word in {step.word for step in _word_steps()}:
        assert word.sentence.startswith("Return ")
        assert word.sentence.endswith((".", ":"))


def test_single_operators_have_their_memory_in_the_plan():
    tensor = dml.TensorDesc("float32", [1, 1, 8, 8])
    relu = dml.FusedActivation.relu()
    device = dml.Device()
    desc = dml.GemmOperatorDesc(tensor, tensor, tensor, fused_activation=relu)
    compiled = device.compile_operator(device.create_operator(desc))

    assert [type(step) for step in compiled.plan.steps] == [WordStep, ProgramStep]
    assert compiled.binding_properties.temporary_resource_size == 4 * 8 * 8


def test_views_go_backwards():
    """A slice from the end is a copy of a view with negative strides."""
    x = dml.TensorDesc("int32", [5])
    desc = dml.Slice1OperatorDesc(x, dml.TensorDesc("int32", [3]), [0], [5], [-2])
    device = dml.Device()
    compiled = device.compile_operator(device.create_operator(desc))
    (step,) = compiled.plan.steps

    assert isinstance(step, ProgramStep)
    assert (step.inputs[0].strides, step.inputs[0].offset) == ((-2,), 16)
    (out,) = compiled([_range(5)])
    assert out.tolist() == [4, 2, 0]


def _range(count):
    graph = dml.Graph(dml.Device())
    ramp = dml.fill_value_sequence(
        graph, sizes=[count], value_start=0, value_delta=1, dtype="int32"
    )
    return graph.compile([ramp])()[0]


def test_numbers_around_an_array_are_fills():
    graph = dml.Graph(dml.Device())
    x = graph.input([2, 2], name="x")
    compiled = graph.compile([dml.padding(x, start_padding=[1, 0], end_padding=[0, 1])])

    kinds = {type(step) for step in compiled.plan.steps}
    assert kinds == {FillStep, ProgramStep}


def test_a_plan_is_told_in_words_with_the_memory_of_each_step():
    """Each value is held from the step that writes it to the last one that reads it."""
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 1, 8, 8], name="x")
    first = dml.gemm(x, x)
    second = dml.gemm(first, x)
    compiled = graph.compile([dml.gemm(second, first)])

    rows = plan_rows(compiled.plan, compiled.device.implementation)

    assert [row.does for row in rows] == ["contract"] * 3
    assert [row.operators for row in rows] == [("GEMM",)] * 3
    assert [row.held_bytes for row in rows] == [256, 512, 512]
    assert rows[0].arrow == "FLOAT32 [1, 1, 8, 8], FLOAT32 [1, 1, 8, 8] -> FLOAT32 [1, 1, 8, 8]"
    assert (rows[0].read_bytes, rows[0].written_bytes, rows[0].has_form) == (512, 256, True)
