"""Every construct of a model, with its expected output; hostile files; mutated models.

A model `NAME.json` stands beside its expected output, `NAME.txt`. A first line
"// options: ..." has options of the command. Measured times, and folders, are left out.
"""

import copy
import json
import random
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from indirectml.catalogue import operator_facts, operator_names
from indirectml.cli import main
from indirectml.models import running
from indirectml.models.dispatchables import FIELD_READERS
from indirectml.models.schema import schema_text, stored_schema
from indirectml.models.text import read_json
from tests.extent import some
from tests.parameters import in_one_test
from tests.steps import Clock, counted

MODELS = Path(__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples"
RUN = sorted(MODELS.glob("*.json"))
REFUSED = sorted((MODELS / "refused").glob("*.json"))


def without_excerpts(text):
    """Return the output without the lines of the model that are shown below mistakes."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("    "))


def stable(text, *folders):
    """Return the output without what differs from run to run."""
    text = re.sub(r"\d+\.\d{4} ms", "# ms", text)
    text = re.sub(r"(?<=Running on ').*(?=')", "CPU", text)
    for folder in folders:
        text = text.replace(str(folder), "FOLDER")
    return text


def options_of(path):
    first = path.read_text(encoding="utf-8-sig").partition("\n")[0]
    return shlex.split(first.partition("// options: ")[2])


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_models_print_what_is_expected(path, tmp_path, capsys):
    if "images" in path.stem:
        pytest.importorskip("PIL", reason="Pillow reads pictures; it is an extra")

    assert main(["run", str(path), "--output_path", str(tmp_path), *options_of(path)]) == 0

    out, errors = capsys.readouterr()
    expected = path.with_suffix(".txt").read_text(encoding="utf-8")
    assert stable(out, tmp_path, MODELS) == expected
    assert ("warning" in errors) == (path.stem == "text"), errors
    rounding = [o for o in options_of(path) if o in {"--float16-rounding", "toward-zero"}]
    assert main(["validate", str(path), *rounding]) == 0


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_every_mistake_is_listed_with_its_place(path, tmp_path, capsys):
    arguments = ["validate", str(path), "--input_path", str(MODELS), "--output_path", str(tmp_path)]

    assert main(arguments) == 1

    expected = path.with_suffix(".txt").read_text(encoding="utf-8")
    shown = without_excerpts(capsys.readouterr().out)
    assert stable(shown, tmp_path, MODELS) == expected
    assert not list(tmp_path.iterdir())


@in_one_test(name=operator_names())
def test_every_field_can_be_read(name):
    assert {field.type for field in operator_facts(name).fields} - {"SCALAR_UNION"} <= set(
        FIELD_READERS
    )


def ran(path, output_path, *options):
    assert main(["run", str(path), "--output_path", str(output_path), *options]) == 0


def test_files_hold_whole_buffers(tmp_path):
    ran(MODELS / "command_write_file.json", tmp_path)
    ran(MODELS / "resources_sizes.json", tmp_path)
    ran(MODELS / "resources_mixed.json", tmp_path)

    # 3 elements of 2 bytes, padded to a multiple of 4.
    whole = np.load(tmp_path / "whole.npy")
    assert (whole.dtype, whole.tolist()) == (np.float16, [1, 2, 3, 0])
    assert np.load(tmp_path / "folder/of/three.npy").tolist() == [[1], [2], [3]]
    assert (tmp_path / "raw").read_bytes() == whole.tobytes()
    assert (tmp_path / "padded.bin").read_bytes() == bytes([1, 2, 3, 4, 5, 0, 0, 0])
    assert (tmp_path / "given.bin").read_bytes() == bytes([1, 2, 3, 4, 5, 0])
    mixed = (tmp_path / "mixed.bin").read_bytes()
    assert mixed.hex() == "02010000" + "ff" + "0000807f" + "000000"


def test_pictures_survive_the_way_through_a_resource(tmp_path):
    images = pytest.importorskip("PIL.Image", reason="Pillow reads pictures; it is an extra")
    ran(MODELS / "resources_images.json", tmp_path)

    with (
        images.open(tmp_path / "copy.png") as copied,
        images.open(MODELS / "data/picture.png") as original,
    ):
        assert copied.tobytes() == original.tobytes()


def test_links_out_of_the_folder_for_outputs_are_refused(tmp_path, capsys):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/out").symlink_to(tmp_path)
    (tmp_path / "inside/a").symlink_to(tmp_path / "inside/b")
    (tmp_path / "inside/b").symlink_to(tmp_path / "inside/a")
    text = (MODELS / "command_write_file.json").read_text(encoding="utf-8")
    model = tmp_path / "model.json"
    model.write_text(text.replace("whole.npy", "out/x").replace('"raw"', '"a/x"'), encoding="utf-8")

    assert main(["validate", str(model), "--output_path", str(tmp_path / "inside")]) == 1

    shown = capsys.readouterr().out
    assert "commands[0].targetPath: needs a path within the folder for outputs" in shown
    assert "commands[2].targetPath: needs a path without a circle of links" in shown


def test_files_outside_are_written_when_that_is_allowed(tmp_path):
    text = (MODELS / "command_write_file.json").read_text(encoding="utf-8")
    model = tmp_path / "model.json"
    model.write_text(text.replace("whole.npy", "../whole.npy"), encoding="utf-8")
    (tmp_path / "out").mkdir()

    assert main(["run", str(model), "--output_path", str(tmp_path / "out")]) == 1
    ran(model, tmp_path / "out", "--allow-outside")

    assert (tmp_path / "whole.npy").exists()


def test_a_file_that_cannot_be_written_is_an_output_error(tmp_path, capsys):
    (tmp_path / "folder").write_text("a file where a folder is needed")
    path = MODELS / "command_write_file.json"

    assert main(["run", str(path), "--output_path", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith(f"indirectml: {tmp_path / 'folder'}")


def test_dispatches_are_measured_for_a_time(capsys, monkeypatch):
    path = str(MODELS / "dispatchable_desc.json")
    monkeypatch.setattr(running, "time", clock := Clock(tick_s=0.002))

    assert main(["run", path, "-t", "50", "-I", "10", "-v", "1"]) == 0

    assert "Dispatch 'thirteen': 5 iterations" in capsys.readouterr().out
    assert clock.pauses == pytest.approx([0.008] * 4)  # of 10 ms one tick had passed


def test_the_only_sample_is_hot(capsys):
    main(["run", str(MODELS / "dispatchable_desc.json"), "-v", "1", "-w", "5"])

    shown = stable(capsys.readouterr().out)
    assert "Cold" not in shown
    assert "CPU Timings (Hot)  : 1 samples, # ms average" in shown


def test_json_of_validate_has_every_part(capsys):
    assert main(["validate", str(MODELS / "refused/many.json"), "--json"]) == 1

    found = json.loads(capsys.readouterr().out)
    assert not found["valid"]
    assert found["problems"][5] == {
        "line": 12, "column": 68, "path": "dispatchables.ramp.executionFlag",
        "severity": "warning", "message": "has no meaning here", "given": None,
        "hint": "did you mean 'executionFlags'",
    }  # fmt: skip


def test_run_tells_the_first_mistake_and_the_number_of_the_others(capsys):
    path = MODELS / "refused/not_yet.json"

    assert main(["run", str(path)]) == 1

    assert capsys.readouterr().err == (
        f"indirectml: {path}:4:25: dispatchables.shader.type: HLSL dispatchables are not "
        f"supported yet (and 15 more: indirectml validate {path})\n"
        '        "shader": { "type": "hlsl", "sourcePath": "a.hlsl", "compiler": "dxc...\n'
        "                            ^\n"
    )


# ---- hostile files ----

EMPTY = '"dispatchables": {}, "commands": []}'
HOSTILE = [
    pytest.param(b"[" * 100_000_000, "1:65: needs at most 64 levels of nesting, got more",
                 id="100 MB of ["),
    pytest.param(b'{"a":' * 1_000_000, "1:321: needs at most 64 levels", id="nested objects"),
    pytest.param(b"[1" + b"0" * 1_000_000 + b"]", "1:2: needs numbers of at most 1100 characters, "
                 "got one of 1000001", id="a million digits"),
    pytest.param(b"[0." + b"3" * 1_000_000 + b"]", "1:2: needs numbers of at most 1100 characters",
                 id="a million decimals"),
    pytest.param(b"[1e999999999]", "1:2: needs numbers up to 1.79769e+308", id="huge exponent"),
    pytest.param(b"{NaN: 1}", "1:2: needs a key in double quotes or '}', got 'NaN'", id="NaN key"),
    pytest.param(b'{"resources": {}, "resources": {}, ' + EMPTY.encode(),
                 "1:19: needs every key once, got 'resources' twice", id="duplicate key"),
    pytest.param(b'{"a\xff": 1}', " needs UTF-8, got invalid start byte at byte 3", id="UTF-8"),
    pytest.param(b'{"a": "\\ud800"}', "1:7: needs whole characters", id="half a surrogate pair"),
    pytest.param(b'{"a": "x\x00"}', "1:9: needs strings without control characters, got "
                 "character U+0000; write \\u0000 instead", id="control character"),
    pytest.param(b"/* " * 1_000_000, "1:1: needs the end '*/' of this comment", id="open comment"),
    pytest.param(b'"' + b"\\" * 1_000_001, "1:1: needs a string that ends", id="open string"),
    pytest.param(b'{"resources": {"a": {"initialValuesDataType": "INT8", "initialValues": '
                 b'{"valueCount": 1000000000000, "value": 1}}}, ' + EMPTY.encode(),
                 "1:15: resources: needs resources of at most 4294967296 bytes together, got "
                 "1000000000000; --memory-limit raises this", id="10^12 elements"),
    pytest.param(b'{"resources": {}, "dispatchables": {"a": {"type": "FILL_VALUE_CONSTANT", "desc":'
                 b'{"OutputTensor": {"DataType": "INT8", "Sizes": [1000000000000]}, '
                 b'"ValueDataType": "INT8", "Value": 1}}}, "commands": []}',
                 "1:128: dispatchables.a.desc.OutputTensor.Sizes: each size is from 1 to",
                 id="10^12 elements of a tensor"),
    pytest.param(b'{"resources": {"a": {"initialValues": {"sourcePath": "/dev/zero"}}}, '
                 + EMPTY.encode(), "1:54: resources.a.initialValues.sourcePath: needs a regular "
                 "file", id="endless file"),
    pytest.param(b'{"resources": {"a": {"initialValues": {"sourcePath": "\\u0000"}}}, '
                 + EMPTY.encode(), "1:54: resources.a.initialValues.sourcePath: needs the name of "
                 "a file", id="zero in a path"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "message"), HOSTILE)
def test_hostile_models_end_with_a_sentence_after_a_few_steps(raw, message, tmp_path, capsys):
    path = tmp_path / "model.json"
    path.write_bytes(b"{}")
    assert main(["run", str(path)]) == 1  # imports what it needs, which is not to be counted
    path.write_bytes(raw)
    capsys.readouterr()

    code, steps = counted(lambda: main(["run", str(path)]))

    assert code == 1
    assert f"{path}:{message}" in capsys.readouterr().err
    assert steps < 10**5  # and not one for each byte


def test_a_model_that_never_ends_is_not_read_to_the_end(capsys):
    assert main(["validate", "/dev/zero", "--memory-limit", "0.001"]) == 3
    assert capsys.readouterr().err == (
        "indirectml: /dev/zero: a model of more than 44739 bytes; --memory-limit raises this\n"
    )


def test_the_memory_limit_can_be_raised(tmp_path):
    text = '{"resources": {"a": {"initialValuesDataType": "INT8", "initialValues": '
    text += '{"valueCount": 5000000000, "value": 1}}}, ' + EMPTY
    path = tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")

    assert main(["validate", str(path)]) == 1
    assert main(["validate", str(path), "--memory-limit", "5"]) == 0


def test_names_do_not_reach_the_terminal_as_commands(tmp_path, capsys):
    path = tmp_path / "model.json"
    path.write_text('{"resources": {"\\u001b[2J": {}}, ' + EMPTY, encoding="utf-8")

    assert main(["validate", str(path)]) == 1
    assert r"resources.\x1b[2J.initialValues: is required" in capsys.readouterr().out


# ---- mutated models ----

#: A seed.
MUTATIONS = some(80)

ODD = [
    *(None, True, -1, 0, 1, 2**31, 2**64, 10**30, 0.5, 1e308),
    *("", "nan", "Out", "FLOAT16", "UNKNOWN", "UINT4", "../x", "deferred", "onnx", "\x1b[0m"),
    *([], [1], [[]], {}, [1, 1, 1, 1], {"name": "Out"}, {"value": 1}, {"Float32": 1}),
    *("DML_OPERATOR_GEMM", {"sourcePath": "data/ramp.npy"}),
]


def places(value, path=()):
    """Yield the paths of all values below the root."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def mutated(model, source):
    """Change, remove, double or rename one to three things in a model."""
    for _ in range(source.randint(1, 3)):
        *path, last = source.choice(list(places(model)) or [("resources",)])
        target = model
        for key in path:
            target = target[key]
        action = source.randrange(4)
        if action == 0:
            target[last] = copy.deepcopy(source.choice(ODD))
        elif action == 1:
            del target[last]
        elif isinstance(target, dict) and action == 2:
            target[f"{last}s"] = target.pop(last)
        elif isinstance(target, list):
            target.insert(0, copy.deepcopy(source.choice(ODD)))
    return model


@pytest.mark.parametrize("seed", range(6))
def test_mutated_models_never_end_in_a_traceback(seed, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(MODELS)
    source = random.Random(seed)  # noqa: S311 (not for secrets)
    texts = [read_json(path.read_text(encoding="utf-8-sig")).root for path in RUN]
    path = tmp_path / "model.json"
    for number in range(MUTATIONS):
        model = mutated(copy.deepcopy(source.choice(texts)), source)
        path.write_text(json.dumps(model), encoding="utf-8")
        arguments = ["--memory-limit", "0.001", "--output_path", str(tmp_path / "out"),
                     "--input_path", str(MODELS)]  # fmt: skip

        validated = main(["validate", str(path), *arguments])
        done = main(["run", str(path), *arguments])

        # What validate accepts runs, and what it does not does not.
        assert (validated, done) in {(0, 0), (1, 1)}, (seed, number, model)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(6))
def test_mutated_texts_never_end_in_a_traceback(seed, tmp_path, capsys):
    source = random.Random(seed)  # noqa: S311 (not for secrets)
    texts = [path.read_bytes() for path in RUN]
    path = tmp_path / "model.json"
    for _ in range(MUTATIONS):
        raw = bytearray(source.choice(texts))
        for _ in range(source.randint(1, 4)):
            at = source.randrange(len(raw))
            raw[at : at + source.randrange(3)] = bytes(
                source.choices(b'{}[]",:/*\\-e.0\xff\x00a', k=2)
            )
        path.write_bytes(raw)

        assert main(["validate", str(path), "--output_path", str(tmp_path)]) in {0, 1}
    assert "Traceback" not in capsys.readouterr().err


# ---- the schema ----


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema applies the schema")
    schema = json.loads(stored_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_stored_schema_is_the_one_that_the_tables_give():
    # After a change: python -c "from indirectml.models.schema import *; print(end=schema_text())"
    assert stored_schema() == schema_text()


@pytest.mark.parametrize("path", [*RUN, *EXAMPLES.glob("*.json")], ids=lambda path: path.stem)
def test_the_schema_accepts_what_runs(path, validator):
    assert not list(validator.iter_errors(read_json(path.read_text(encoding="utf-8-sig")).root))


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_the_schema_finds_mistakes_of_form(path, validator):
    found = list(validator.iter_errors(read_json(path.read_text(encoding="utf-8")).root))

    # The schema knows no fields of operators, and not what may be bound to them.
    assert bool(found) == (path.stem not in {"descriptors", "fused_activation", "in_place"})


def test_the_schema_is_printed_for_editors(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["validate", "--schema"])

    assert caught.value.code == 0
    assert json.loads(capsys.readouterr().out)["title"].startswith("DxDispatch model")
