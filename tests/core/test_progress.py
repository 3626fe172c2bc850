"""Long work tells who asks how far it is, and nobody else."""

from contextlib import contextmanager
from types import SimpleNamespace

import indirectml as dml
from indirectml.core.progress import doing, listening, told, watching
from indirectml.models.parsing import parse_model
from indirectml.models.running import ModelRun

FILL = {"type": "DML_OPERATOR_FILL_VALUE_CONSTANT", "desc": {
    "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2]}, "ValueDataType": "FLOAT32", "Value": 3,
}}  # fmt: skip
MODEL = {
    "resources": {"Out": {"initialValuesDataType": "FLOAT32", "initialValues": [0, 0]}},
    "dispatchables": {"fill": FILL},
    "commands": [{"type": "dispatch", "dispatchable": "fill", "bindings": {"OutputTensor": "Out"}}],
}


def test_who_watches_is_told_each_piece_of_work_with_its_parts():
    pieces = []

    @contextmanager
    def watcher(what, total):
        parts = SimpleNamespace(done=0)
        yield parts
        pieces.append((what, total, parts.done))

    run = ModelRun(parse_model(MODEL), dml.Device())
    with watching(watcher):
        list(run.text())
        with doing("nothing"):
            pass
    with doing("unseen", 1) as parts:  # nobody watches any more
        parts.done += 1

    assert pieces == [("filling resources", 1, 1), ("running fill", 1, 1), ("nothing", None, 0)]


def test_who_listens_is_told_the_parts_of_what_is_named_too():
    heard = []
    with watching(lambda *_: listening(lambda done, total: heard.append((done, total)))):
        with doing("counting"):
            assert list(told("ab")) == ["a", "b"]
        list(told("cd"))

    assert heard == [(0, 2), (1, 2), (0, 0)]
