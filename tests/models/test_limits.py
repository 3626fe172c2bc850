"""What a model may read, write, take and cost; what reaches the terminal."""

import io
import json
import os
import random
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.descriptors.definitions import implemented_operators
from indirectml.models.memory import dispatch_bytes
from indirectml.models.problems import MAX_PROBLEMS
from indirectml.models.text import MAX_CONTAINERS, MEMORY_PER_BYTE, read_json
from tests.steps import assert_in_proportion, counted

EMPTY = {"resources": {}, "dispatchables": {}, "commands": []}


def model_file(tmp_path, **parts):
    path = tmp_path / "model.json"
    path.write_text(model_text(**parts), encoding="utf-8")
    return str(path)


def model_text(**parts):
    return json.dumps(EMPTY | parts)


def resource(values, data_type="FLOAT32", **others):
    return {"initialValuesDataType": data_type, "initialValues": values} | others


def file_resource(path, data_type="UINT8"):
    return resource({"sourcePath": str(path)}, data_type)


def test_reads_can_be_confined_to_the_folder_for_inputs(tmp_path, capsys, monkeypatch):
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.bin").write_bytes(b"s")
    (inputs / "open.bin").write_bytes(b"o")
    (inputs / "link.bin").symlink_to(tmp_path / "secret.bin")
    outside = [
        "../secret.bin",
        str(tmp_path / "secret.bin"),
        "link.bin",
        "secret.bin",
        "..\\secret.bin",
    ]
    sources = {name: file_resource(name) for name in ["open.bin", *outside]}
    arguments = ["validate", model_file(tmp_path, resources=sources), "--input_path", str(inputs)]

    assert main(arguments) == 0
    assert main([*arguments, "--confine-reads"]) == 1

    shown = capsys.readouterr().out
    assert shown.count("initialValues.sourcePath: needs a file within the folder for inputs") == 4
    assert (
        "secret.bin.initialValues.sourcePath: needs the name of a file, got 'secret.bin'" in shown
    )
    assert shown.endswith("invalid: 5 mistakes\n")


def test_separators_of_windows_are_understood_and_typos_answered(tmp_path, capsys):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/Weights.bin").write_bytes(b"w")
    good = {"a": file_resource("data\\Weights.bin")}
    bad = {"a": file_resource("data\\weights.bin"), "b": file_resource("data/Wieghts.bin")}

    assert main(["validate", model_file(tmp_path, resources=good)]) == 0
    assert main(["validate", model_file(tmp_path, resources=bad)]) == 1
    assert capsys.readouterr().out.count("did you mean 'Weights.bin'") == 2


def test_a_misspelled_model_is_answered_and_one_below_the_inputs_is_found(tmp_path, capsys):
    model_file(tmp_path)

    assert main(["validate", str(tmp_path / "Model.jsn")]) == 3
    assert "did you mean 'model.json'" in capsys.readouterr().err
    assert main(["validate", "model.json", "--input_path", str(tmp_path)]) == 0


def test_archives_are_refused_by_name(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", a=np.zeros(3))

    assert main(["validate", model_file(tmp_path, resources={"a": file_resource("a.npz")})]) == 1
    assert "needs a .npy or raw file, got a .npz archive; np.load" in capsys.readouterr().out


# ---- pictures ----


@pytest.fixture
def images():
    return pytest.importorskip("PIL.Image", reason="Pillow reads pictures; it is an extra")


def png_bytes(images, array):
    file = io.BytesIO()
    images.fromarray(array).save(file, "PNG")
    return file.getvalue()


def run_picture(tmp_path, raw, data_type="FLOAT32", name="a.png"):
    (tmp_path / name).write_bytes(raw)
    parts = {
        "resources": {"a": file_resource(name, data_type)},
        "commands": [{"type": "print", "resource": "a"}],
    }
    return main(["run", model_file(tmp_path, **parts)])


def test_a_picture_in_another_format_is_not_opened(images, tmp_path, capsys):
    for number, start in enumerate([b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", b"GIF89a",
                                    b"BM" + bytes(60), b"", b"P5 1 1 255 x"]):  # fmt: skip
        assert run_picture(tmp_path, start, name=f"{number}.png") == 1
        assert "needs a PNG or JPEG picture, got a file that is neither" in capsys.readouterr().err
    tiff = io.BytesIO()
    images.new("L", (2, 2)).save(tiff, "TIFF")
    assert run_picture(tmp_path, tiff.getvalue()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_damaged_pictures_end_with_a_sentence(seed, images, tmp_path, capsys):
    source = random.Random(seed)  # noqa: S311 (not for secrets)
    whole = png_bytes(images, np.arange(64, dtype=np.uint8).reshape(8, 8))
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(source.randint(1, 4)):
            raw[source.randrange(8, len(raw))] = source.randrange(256)
        raw = raw[: source.choice([len(raw), source.randrange(len(raw))])]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run_picture(tmp_path, bytes(raw)) in {0, 1, 3}
        errors = capsys.readouterr().err
        assert errors == "" or "needs a PNG or JPEG picture, got " in errors or "--mem" in errors


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_chunk_with_a_bad_name_ends_with_a_sentence(images, tmp_path, capsys):
    whole = png_bytes(images, np.zeros((2, 2), np.uint8))
    raw = whole[:33] + chunk(b"\x00\xff\x80!", b"") + whole[33:]

    assert run_picture(tmp_path, raw) in {1, 3}
    assert "needs a PNG or JPEG picture, got " in capsys.readouterr().err


def test_large_pictures_count_before_they_are_decoded(tmp_path, capsys):
    pytest.importorskip("PIL", reason="Pillow reads pictures; it is an extra")
    side = 13_000
    rows = zlib.compress(bytes((side // 8 + 1) * side), 9)
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    raw = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    (tmp_path / "a.png").write_bytes(raw)
    wanted = {"a": file_resource("a.png", "FLOAT32") | {"resampleSize": [1, 1, 2, 2]}}

    arguments = ["validate", model_file(tmp_path, resources=wanted), "--memory-limit", "0.5"]
    assert len(raw) < 30_000
    assert main(arguments) == 1
    assert "resources.a.initialValues: needs at most 536870912 bytes" in capsys.readouterr().out


EVERY_BYTE = np.arange(256, dtype=np.uint8).reshape(16, 16)


@pytest.mark.parametrize(("data_type", "dtype"), [("FLOAT32", np.float32), ("FLOAT16", np.float16)])
@pytest.mark.parametrize("options", [[], ["--like", "directml"]], ids=["nearest", "truncated"])
def test_every_byte_of_a_picture_is_a_fraction_of_255(data_type, dtype, options, images, tmp_path):
    (tmp_path / "a.png").write_bytes(png_bytes(images, EVERY_BYTE))
    path = model_file(
        tmp_path,
        resources={"a": file_resource("a.png", data_type)},
        commands=[{"type": "writeFile", "resource": "a", "targetPath": f"b{suffix}",
                   "dimensions": [1, 1, 16, 16]} for suffix in (".npy", ".png")],
    )  # fmt: skip

    assert main(["run", path, "--output_path", str(tmp_path), *options]) == 0

    read = np.load(tmp_path / "b.npy").reshape(-1)
    singles = [np.float32(byte) / np.float32(255) for byte in range(256)]
    expected = np.array(singles).astype(dtype)
    if options and dtype is np.float16:
        above = expected.astype(np.float64) > np.array(singles, np.float64)
        expected = np.where(above, np.nextafter(expected, np.float16(0)), expected)
    assert read.tobytes() == expected.tobytes()
    if dtype is np.float32:
        with images.open(tmp_path / "b.png") as written:
            assert np.asarray(written).tobytes() == EVERY_BYTE.tobytes()


def test_elements_are_clamped_and_cut_to_bytes(images, tmp_path):
    values = [-1, 0, 0.999999, 0.5, 1, 2, "inf", "-inf", "nan", 0.0039, 0.0040]
    path = model_file(
        tmp_path,
        resources={"a": resource(values)},
        commands=[{"type": "writeFile", "resource": "a", "targetPath": "b.png",
                   "dimensions": [1, 1, 1, len(values)]}],
    )  # fmt: skip

    assert main(["run", path, "--output_path", str(tmp_path)]) == 0

    with images.open(tmp_path / "b.png") as written:
        # 0.5 * 255 is cut to 127; a NaN passes the comparisons of DxDispatch as 1.
        assert np.asarray(written).tolist() == [[0, 0, 254, 127, 255, 255, 255, 0, 255, 0, 1]]


def test_pictures_need_floats(images, tmp_path, capsys):
    raw = png_bytes(images, EVERY_BYTE)

    assert run_picture(tmp_path, raw, "UINT8") == 1
    assert run_picture(tmp_path, raw, "UNKNOWN") == 1
    errors = capsys.readouterr().err
    assert "needs FLOAT32 or FLOAT16 for a picture, from 0 to 1, got UINT8" in errors
    assert "from 0 to 1, got no initialValuesDataType" in errors


# ---- memory ----

TENSOR = {"DataType": "FLOAT32", "Sizes": [600_000_000], "Strides": [0]}


def test_an_input_that_repeats_one_element_counts_with_all_of_them(tmp_path, capsys):
    reduce = {"type": "REDUCE", "desc": {
        "Function": "LOG_SUM_EXP", "InputTensor": TENSOR, "Axes": [0],
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1]}}}  # fmt: skip
    path = model_file(
        tmp_path,
        resources={"x": resource([1]), "y": resource([0])},
        dispatchables={"r": reduce},
        commands=[{"type": "dispatch", "dispatchable": "r",
                   "bindings": {"InputTensor": "x", "OutputTensor": "y"}}],
    )  # fmt: skip

    assert main(["run", path]) == 1
    assert "dispatchables.r: needs at most 4294967296 bytes of memory" in capsys.readouterr().err


def test_owned_tensors_count_with_all_elements(tmp_path, capsys):
    out = TENSOR | {"Sizes": [10**6], "Strides": None}
    inputs = [TENSOR | {"Sizes": [10**6], "Flags": flags} for flags in ("NONE", "OWNED_BY_DML")]
    for tensor, code in zip(inputs, (0, 1), strict=True):
        identity = {"type": "ELEMENT_WISE_IDENTITY",
                    "desc": {"InputTensor": tensor, "OutputTensor": out}}  # fmt: skip
        if code:
            identity["bindings"] = {"InputTensor": "x"}
        path = model_file(tmp_path, resources={"x": resource([1])}, dispatchables={"i": identity})

        # 4 bytes are counted for each element that is copied, none for what programs do.
        assert main(["validate", path, "--memory-limit", f"{3e6 / 2**30}"]) == code
    assert "bytes of memory" in capsys.readouterr().out


FLOATS, INTEGERS = (np.float32, np.float16), (np.int64, np.int8)


def descriptors():
    """Yield what makes descriptors over a quarter of a million elements, and inputs."""
    tensor = {dt: dml.TensorDesc(dt, [1, 1, 512, 512]) for dt in (*FLOATS, *INTEGERS)}
    for data_type, t in tensor.items():
        x = np.full(t.sizes, 3, data_type)
        for function in dml.ReduceFunction:
            out = np.uint32 if "ARG" in function.name else data_type
            row = dml.TensorDesc(out, [1, 1, 512, 1])
            yield lambda t=t, f=function, row=row: dml.ReduceOperatorDesc(f, t, row, [3]), [x]
        for name in implemented_operators():
            words = name.title().replace("_", "")
            make = getattr(dml, f"{words}OperatorDesc")
            if name.startswith("ELEMENT_WISE") and "CLIP" not in name:
                yield lambda make=make, t=t: make(t, t, t), [x, x]
                yield lambda make=make, t=t: make(t, t), [x]
            elif name.startswith("ACTIVATION"):
                for numbers in ((), (1.0,), (1.0, 1.0)):
                    yield lambda make=make, t=t, n=numbers: make(t, t, *n), [x]
        for kind in ("Summation", "Product"):
            make = getattr(dml, f"Cumulative{kind}OperatorDesc")
            yield lambda make=make, t=t: make(t, t, 3, 0, False), [x]  # noqa: FBT003
        yield lambda t=t: dml.CastOperatorDesc(t, tensor[np.float32]), [x]
        yield lambda t=t: dml.GemmOperatorDesc(t, t, None, t, 0, 0, 1.0, 0.0), [x, x, None]
        both = dml.TensorDesc(data_type, [1, 2, 512, 512])
        yield lambda t=t, both=both: dml.JoinOperatorDesc([t, t], both, 1), [x, x]


def peak_of(call):
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_operators_take_no_more_memory_than_is_counted():
    device = dml.Device()
    measured = 0
    for make, inputs in descriptors():
        try:
            compiled = device.compile_operator(device.create_operator(make()))
        except (TypeError, dml.DirectMLError):
            continue  # another number of fields, or a data type that it does not take
        out = compiled(inputs)
        peak = peak_of(partial(compiled, inputs, out=out))
        assert peak <= dispatch_bytes(compiled.plan) + 100_000, (compiled.name, inputs[0].dtype)
        measured += 1
    assert measured > 80


POOLING = {"strides": [1, 1], "start_padding": [0, 0], "end_padding": [0, 0]}
WINDOWED = {
    "average": lambda x: dml.average_pooling(
        x, window_sizes=[5, 5], dilations=[1, 1], include_padding=False, **POOLING
    ),
    "average of one": lambda x: dml.average_pooling(
        x, window_sizes=[1, 1], dilations=[1, 1], include_padding=False, **POOLING
    ),
    "max": lambda x: dml.max_pooling(x, window_sizes=[9, 9])[0],
    "response": lambda x: dml.local_response_normalization(
        x, cross_channel=False, local_size=7, alpha=1, beta=0.75, bias=1
    ),
    "softmax": dml.activation_softmax,
    "convolution": lambda x: dml.convolution(x, x.graph.constant(np.ones((8, 1, 3, 3), x.dtype))),
}


@pytest.mark.parametrize("name", WINDOWED)
@pytest.mark.parametrize("dtype", FLOATS)
def test_windows_take_no_more_memory_than_is_counted(name, dtype):
    graph = dml.Graph(dml.Device())
    x = graph.input([1, 1, 256, 256], dtype=dtype)
    compiled = graph.compile([WINDOWED[name](x)])
    array = np.ones(x.shape, dtype)
    compiled({x: array})
    peak = peak_of(lambda: compiled({x: array}))

    # A call also makes its output, of up to 8 times as many elements, and may copy its input.
    assert peak <= dispatch_bytes(compiled.plan) + 40 * array.size + 100_000


def test_text_takes_no_more_memory_than_is_counted():
    cases = {
        "strings": '["ab"' + ',"ab"' * 30_000 + "]",
        "numbers": "[1" + ",12345" * 30_000 + "]",
        "floats": "[1" + ",0.5" * 30_000 + "]",
        "members": "{" + ",".join(f'"{i}":1' for i in range(20_000)) + "}",
        "small numbers": "[1" + ",1" * 60_000 + "]",
    }
    for name, text in cases.items():
        tracemalloc.start()
        document = read_json(text)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert document.is_complete
        # The bytes of the file and the text itself are counted too.
        assert peak + 2 * len(text) <= MEMORY_PER_BYTE * len(text), name


def test_the_text_counts_too(tmp_path, capsys):
    path = model_file(tmp_path, resources={"a": resource([1] * 20_000, "INT8")})

    assert main(["validate", path, "--memory-limit", "0.002"]) == 0
    assert main(["validate", path, "--memory-limit", "0.001"]) == 3
    assert "a model of more than 44739 bytes" in capsys.readouterr().err


def test_containers_are_bounded():
    document = read_json("[" + "{}," * MAX_CONTAINERS + "]")

    assert str(document.problems[0].error) == "needs at most 262144 objects and arrays, got more"
    assert read_json("[" + "{}," * (MAX_CONTAINERS - 1) + "]").is_complete


# ---- time ----


def misspelled(count):
    names = [f"result_{i:05}" for i in range(count)]
    prints = [{"type": "print", "resource": name.replace("result", "reslt")} for name in names]
    return {"resources": {name: resource([0]) for name in names}, "commands": prints}


def test_many_misspelled_names_are_counted_and_some_of_them_listed(tmp_path, capsys):
    names = list(misspelled(2000)["resources"])

    assert main(["validate", model_file(tmp_path, **misspelled(2000))]) == 1

    shown = capsys.readouterr().out
    assert f"did you mean {names[0]!r}" in shown
    assert shown.count("needs the name of a resource") == 100
    assert shown.splitlines()[-2].endswith("model.json: and 1900 more")
    assert shown.splitlines()[-1].endswith("invalid: 2000 mistakes")


def test_many_mistakes_are_counted_and_some_of_them_listed(tmp_path, capsys):
    resources = {"a": resource([300] * 40_000, "INT8")}

    assert main(["validate", model_file(tmp_path, resources=resources)]) == 1
    assert "and 39900 more" in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "model.json"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["mistakes"], len(found["problems"])) == (40_000, MAX_PROBLEMS)


def repeated_keys(count):
    return '{"resources": {' + ",".join(['"a":1'] * count) + '}, "dispatchables": {}}'


def of_operators(count):
    return {"dispatchables": {f"a{i}": {"type": "FILL_VALUE_SEQUENC"} for i in range(count)}}


def of_data_types(count):
    return {"resources": {f"a{i}": resource([1], "FLOAT31") for i in range(count)}}


def of_members(count):
    return {"resources": {"a": resource([1]) | {f"sizeInByte{i}": 1 for i in range(count)}}}


#: How many of each, of which a hundred are listed, with what may have been meant.
MANY = [
    pytest.param(misspelled, 125, id="names"),
    pytest.param(of_operators, 125, id="operators"),
    pytest.param(of_data_types, 125, id="data types"),
    pytest.param(lambda count: {"commands": [{"type": "prnt"}] * count}, 500, id="commands"),
    pytest.param(of_members, 500, id="members"),
    pytest.param(repeated_keys, 1000, id="duplicate keys"),
]


@pytest.mark.parametrize(("parts", "count"), MANY)
def test_steps_are_in_proportion_to_the_text(parts, count, tmp_path):
    def work(count):
        path = tmp_path / f"{count}.json"
        given = parts(count)
        text = given if isinstance(given, str) else model_text(**given)
        path.write_text(text, encoding="utf-8")
        return lambda: main(["validate", str(path)])

    assert_in_proportion(work, count)


def test_strides_that_are_hard_to_decide_end_after_so_many_steps(tmp_path):
    strides = [2_487_580_289, 3_723_779_836, 2_790_596_335, 2_247_253_170, 2_802_903_493,
               3_440_968_470, 2_758_884_110, 1_152_661_412]  # fmt: skip
    tensor = {"DataType": "INT8", "Sizes": [10] * 8, "Strides": strides}
    desc = {"ValueDataType": "INT8", "Value": 1, "OutputTensor": tensor}
    constant = {"type": "FILL_VALUE_CONSTANT", "desc": desc}
    path = model_file(tmp_path, dispatchables={"a": constant})

    _, steps = counted(lambda: main(["validate", path]))

    assert steps < 2 * 10**6


# ---- writing ----

WRITE = {
    "resources": {"a": resource([1], "INT8")},
    "commands": [{"type": "writeFile", "resource": "a", "targetPath": "a.bin"}],
}


def test_replacing_a_file_is_said_or_refused(tmp_path, capsys):
    path, target = model_file(tmp_path, **WRITE), tmp_path / "a.bin"
    arguments = ["run", path, "--output_path", str(tmp_path)]

    assert main([*arguments, "--no-replace"]) == 0
    assert capsys.readouterr().err == ""
    assert main(arguments) == 0
    assert capsys.readouterr().err == f"indirectml: {target} exists and is replaced\n"
    target.write_bytes(b"former")
    assert main([*arguments, "--no-replace"]) == 1
    assert "needs the name of a file that does not exist" in capsys.readouterr().err
    assert target.read_bytes() == b"former"


def test_separators_of_windows_make_folders(tmp_path):
    command = WRITE["commands"][0] | {"targetPath": "out\\deep\\a.bin"}

    assert main(["run", model_file(tmp_path, **WRITE | {"commands": [command]}),
                 "--output_path", str(tmp_path)]) == 0  # fmt: skip
    assert (tmp_path / "out/deep/a.bin").read_bytes() == b"\x01\0\0\0"


# ---- the terminal ----

ODD_NAME = "a\x1b[2J\n\u202eb"


def test_nothing_acts_on_the_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = tmp_path / ODD_NAME
    odd.mkdir()
    parts = {
        "resources": {ODD_NAME: resource([1], "INT8")},
        "dispatchables": {ODD_NAME: {
            "type": "FILL_VALUE_CONSTANT", "OutputTensor": {"DataType": "INT8", "Sizes": [1]},
            "ValueDataType": "INT8", "Value": 1}},
        "commands": [
            {"type": "dispatch", "dispatchable": ODD_NAME, "bindings": {"OutputTensor": ODD_NAME}},
            {"type": "print", "resource": ODD_NAME},
            {"type": "writeFile", "resource": ODD_NAME, "targetPath": f"{ODD_NAME}.npy"},
        ],
    }  # fmt: skip
    path = model_file(odd, **parts)
    runs = [
        ["run", path, "--output_path", str(odd), "--print_commands", "-v", "2"],
        ["run", path, "--output_path", str(odd)],
        ["run", path, path + "x"],
        ["validate", path, "--no-replace", "--output_path", str(odd)],
        ["explain", path],
        ["diff", path, ODD_NAME],
        ["run", str(tmp_path / ODD_NAME / "none.json")],
        ["fill", "constant", "--value", ODD_NAME, "--count", "1", "-o", ODD_NAME],
        ["fill", "constant", "--value", "1", "--count", "1", "-o", str(odd / ODD_NAME / "x")],
        ["diff", str(odd / f"{ODD_NAME}.npy"), "--expect", "constant", "--value", "2"],
    ]
    for arguments in runs:
        main(arguments)
        out, errors = capsys.readouterr()
        for character in "\x1b\u202e":
            assert character not in out + errors, arguments
        assert all(line.lstrip()[:1] != "b" for line in (out + errors).splitlines())
    for arguments in (["explain", "x", f"--{ODD_NAME}"], ["fill", ODD_NAME], [ODD_NAME]):
        with pytest.raises(SystemExit):
            main(arguments)
        assert "\x1b" not in capsys.readouterr().err


def test_commands_are_printed_as_json_that_does_not_act(tmp_path, capsys):
    command = {"type": "print", "resource": "\u00e9\x1b\u202e"}
    path = model_file(tmp_path, resources={"\u00e9\x1b\u202e": resource([1])}, commands=[command])

    assert main(["run", path, "--print_commands"]) == 0

    line = next(line for line in capsys.readouterr().out.splitlines() if "StartCmd" in line)
    assert line == '[StartCmd][0000]\t: {"type":"print","resource":"\u00e9\\u001b\\u202e"}'
    assert json.loads(line.partition(": ")[2]) == command


# ---- streams ----


def shell(command, **environment):
    # Written at once, or kept until the end: both ways have to be noticed.
    environment.setdefault("PYTHONUNBUFFERED", "")
    return subprocess.run(
        ["sh", "-c", command.replace("indirectml", f"{sys.executable} -m indirectml")],
        capture_output=True, text=True, check=False, env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip


def test_a_model_comes_from_standard_input():
    done = shell("indirectml run - < examples/fill_value_sequence.json")
    assert done.stdout.endswith("Resource 'Out': 3.2, 4.7, 6.2, 7.7, 9.2\n")
    assert shell("indirectml explain - < examples/fill_value_sequence.json").returncode == 0
    assert shell("yes | indirectml validate - --memory-limit 0.01").returncode == 3


@pytest.mark.parametrize("command", ["info", "run --help", "run examples"])
def test_output_that_cannot_be_written_ends_with_a_sentence(command):
    closed = shell(f"indirectml {command} >&-")
    assert (closed.returncode, closed.stderr) == (3, "indirectml: standard output is closed\n")
    if Path("/dev/full").exists():
        for unbuffered in ("", "1") if command == "info" else ("",):
            full = shell(f"indirectml {command} > /dev/full", PYTHONUNBUFFERED=unbuffered)
            assert (full.returncode, full.stderr) == (3, "indirectml: No space left on device\n")
    assert "Traceback" not in shell(f"indirectml {command} 2>&-").stdout


def test_standard_input_that_is_closed_ends_with_a_sentence():
    for command in ("run -", "diff - --expect constant --value 0 --data-type INT8"):
        done = shell(f"indirectml {command} <&-")
        assert (done.returncode, done.stderr) == (3, "indirectml: standard input is closed\n")


def test_the_version_is_told_without_numpy():
    code = (
        "import sys; from indirectml.cli import main; code = main(['--version']); "
        "print('numpy' in sys.modules); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == f"indirectml {dml.__version__}\nFalse\n"
