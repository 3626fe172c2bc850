"""What is no serialized graph, or breaks a rule of the format: one error type, with the place."""

import os
import struct
import tracemalloc

import pytest

import indirectml as dml
from indirectml.core.errors import FileFormatError
from tests.serialized.graphs import TENSOR, example, one_node, written

ADD = ("ELEMENT_WISE_ADD", [TENSOR, TENSOR], [TENSOR], [])
GEMM = [
    ("TransA", "UInt32", 0),
    ("TransB", "UInt32", 0),
    ("Alpha", "Float32", 1.0),
    ("Beta", "Float32", 1.0),
    (None, "Activation", None),
]


def refusal(path):
    """Return the text of the refusal without the path of the file."""
    with pytest.raises(FileFormatError) as caught:
        dml.read_serialized_graph(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    return text.removeprefix(str(path)).lstrip(".: ")


def gemm(*attributes):
    return one_node("GEMM", [TENSOR] * 3, [TENSOR], list(attributes))


def add(inputs, outputs, name=""):
    return ("operator", ADD, name, inputs, outputs)


CASES = {
    "no operator": (
        one_node("NO_SUCH", [], [TENSOR], []),
        "nodes[0] ('node'): needs the name of a DirectML operator, got 'DML_OPERATOR_NO_SUCH'",
    ),
    "unknown input": (
        ([add(["x", "b"], ["y"])], ["x"], ["y"]),
        ("nodes[0].inputNames[1]: needs the name of an input of the graph, or of an output of an "
        "earlier node, got 'b'"),
    ),
    "a cycle": (
        ([add(["x", "b"], ["a"]), add(["a", "x"], ["b"])], ["x"], ["b"]),
        ("nodes[0].inputNames[1]: needs the name of an input of the graph, or of an output of an "
        "earlier node, got 'b'"),
    ),
    "a name twice": (
        ([add(["x", "x"], ["y"]), add(["x", "x"], ["y"], "second")], ["x"], ["y"]),
        "nodes[1] ('second').outputNames[0]: needs a name of its own, got 'y'",
    ),
    "an output that is an input": (
        ([add(["x", "x"], ["x"])], ["x"], ["x"]),
        "nodes[0].outputNames[0]: needs a name of its own, got 'x'",
    ),
    "inputs of one name": (
        ([add(["x", "x"], ["y"])], ["x", "x"], ["y"]),
        "graphInputNames[1]: needs a name of its own, got 'x'",
    ),
    "an output of no node": (
        ([add(["x", "x"], ["y"])], ["x"], ["y", "z"]),
        "graphOutputNames[1]: needs the name of a node's output, got 'z'",
    ),
    "a tensor too many": (
        ([("operator", ("ELEMENT_WISE_ADD", [TENSOR] * 3, [TENSOR], []), "", ["x", "x"], ["y"])],
         ["x"], ["y"]),
        ("nodes[0].ELEMENT_WISE_ADD.inputs: needs at most 2 names, and a tensor for each that is "
        "not empty, got 2 names, 2 of them not empty, and 3 tensors"),
    ),
    "a required tensor left out": (
        ([("operator", ("ELEMENT_WISE_ADD", [TENSOR], [TENSOR], []), "", ["x", ""], ["y"])],
         ["x"], ["y"]),
        "nodes[0].ELEMENT_WISE_ADD.BTensor: is required, got an empty name",
    ),
    "an attribute missing": (
        gemm(*GEMM[:2], *GEMM[3:]),
        "nodes[0] ('node').GEMM.attributes.Alpha: is required",
    ),
    "attributes in another order": (
        gemm(*GEMM[:2], GEMM[3], GEMM[2], GEMM[4]),
        "nodes[0] ('node').GEMM.attributes.Alpha: is required",
    ),
    "an attribute too many": (
        gemm(*GEMM, ("Axis", "UInt32", 0)),
        ("nodes[0] ('node').GEMM.attributes[5]: needs attributes of GEMM in DirectML's order, "
        "got 'Axis'"),
    ),
    "an attribute of another kind": (
        gemm(*GEMM[:2], ("Alpha", "UInt32", 1), *GEMM[3:]),
        "nodes[0] ('node').GEMM.attributes[2] (Alpha): needs Float32, got UInt32",
    ),
    "no number of the enumeration": (
        gemm(("TransA", "UInt32", 7), *GEMM[1:]),
        "nodes[0] ('node').GEMM.attributes[0] (TransA): needs a number of MatrixTransform, got 7",
    ),
    "a value out of range": (
        one_node("JOIN", [TENSOR], [TENSOR], [("Axis", "UInt64", 2**32)]),
        ("nodes[0] ('node').JOIN.attributes[0] (Axis): needs an integer from 0 to 4294967295, "
        "got 4294967296"),
    ),
    "a count that is wrong": (
        one_node("JOIN", [TENSOR], [TENSOR], [("InputCount", "UInt32", 2), ("Axis", "UInt32", 2)]),
        ("nodes[0] ('node').JOIN.InputTensors: needs a count of 1, as many as it has elements, "
        "got 2"),
    ),
    "a fused operator that is no activation": (
        gemm(*GEMM[:4], ("FusedActivation", "Activation", ("JOIN", []))),
        "nodes[0] ('node').GEMM.attributes[4] (FusedActivation): needs an activation, got JOIN",
    ),
    "no data type": (
        one_node("ELEMENT_WISE_ADD", [("FLOAT128", [1], None, 4), TENSOR], [TENSOR], []),
        "nodes[0] ('node').ELEMENT_WISE_ADD.inputs[0]: needs one of ",
    ),
    "a size of zero": (
        one_node("ELEMENT_WISE_ADD", [("FLOAT32", [0], None, 4), TENSOR], [TENSOR], []),
        ("nodes[0] ('node').ELEMENT_WISE_ADD.inputs[0].sizes: each size is from 1 to "
        "4294967295, got [0]"),
    ),
    "a total size that is too small": (
        one_node("ELEMENT_WISE_ADD", [("FLOAT32", [2], None, 4), TENSOR], [TENSOR], []),
        ("nodes[0] ('node').ELEMENT_WISE_ADD.inputs[0].total_tensor_size_in_bytes: needs at least "
        "8 bytes, got 4"),
    ),
    "a constant with an input": (
        ([("constant", ("raw", b"1234"), "c", ["x"], ["y"])], ["x"], []),
        "nodes[0] ('c'): a constant has no inputs and one output with a name, got 1 and 1",
    ),
    "a constant without bytes": (
        ([("constant", ("raw", b""), "c", [], ["y"])], [], []),
        "nodes[0] ('c').data: needs at least one byte, got none",
    ),
    "text with a zero byte": (
        ([add(["x", "x"], ["y"], "a\0b")], ["x"], ["y"]),
        "nodes[0].name: needs text without zero bytes, got 'a\\x00b'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refuses(name, tmp_path):
    graph, text = CASES[name]

    found = refusal(written(tmp_path, graph))

    assert found == text or (text.endswith(" ") and found.startswith(text))


# ---- Files of weights ----------------------------------------------------------------------------


def _weight(name):
    return [("constant", ("name", name), "c", [], ["y"])], [], []


@pytest.mark.parametrize("name", ["../secret", "a/../../secret", "..", "..\\secret", "a/.."])
def test_a_name_that_leads_out_of_the_folder_is_refused(name, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"1234")

    assert refusal(written(folder, _weight(name))) == (
        f"nodes[0] ('c'): needs a constant whose name stays within the folder of the graph, "
        f"got {name!r}"
    )


def test_an_absolute_path_is_a_name_within_the_folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"1234")
    name = str(tmp_path / "secret")

    text = refusal(written(tmp_path, _weight(name)))

    assert text.startswith(f"nodes[0] ('c'): needs the bytes of constant {name[:40]!r}"[:-1])
    assert text.endswith("got no such file or directory")


def test_characters_that_windows_has_no_file_names_with_are_underscores(tmp_path):
    (tmp_path / "_a_b_c_d_e_f_g_h_i.bin").write_bytes(b"1234")
    path = written(tmp_path, _weight('/a\\b:c*d?e"f<g>h|i'))

    assert bytes(dml.read_serialized_graph(path).constants["y"]) == b"1234"


def test_a_missing_file_of_weights_is_named(tmp_path):
    assert refusal(written(tmp_path, _weight("w"))) == (
        "nodes[0] ('c'): needs the bytes of constant 'w' in a file beside the graph, 'w.bin', "
        "got no such file or directory"
    )


def test_an_empty_file_of_weights_is_refused(tmp_path):
    (tmp_path / "w.bin").write_bytes(b"")

    assert refusal(written(tmp_path, _weight("w"))) == (
        "nodes[0] ('c').w.bin: needs at least one byte, got none"
    )


@pytest.mark.parametrize("kind", ["link", "folder link", "circle"])
def test_a_link_that_leads_out_of_the_folder_is_refused(kind, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(b"1234")
    target = {"link": secret, "folder link": tmp_path, "circle": folder / "w.bin"}[kind]
    try:
        (folder / "w.bin").symlink_to(target)
    except OSError:
        pytest.skip("this system has no symbolic links for everyone")

    assert refusal(written(folder, _weight("w"))) == (
        "nodes[0] ('c'): needs a file within the folder of the graph, got a link that leads out "
        "of it, 'w.bin'; put the file itself there"
    )


def test_a_link_within_the_folder_is_followed(tmp_path):
    (tmp_path / "data").write_bytes(b"1234")
    try:
        (tmp_path / "w.bin").symlink_to("data")
    except OSError:
        pytest.skip("this system has no symbolic links for everyone")

    path = written(tmp_path, _weight("w"))

    assert bytes(dml.read_serialized_graph(path).constants["y"]) == b"1234"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "w.bin")

    assert refusal(written(tmp_path, _weight("w"))) == (
        "nodes[0] ('c').w.bin: needs a regular file, got a device or a pipe"
    )


def test_a_graph_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        dml.read_serialized_graph(tmp_path / "none.bin")


# ---- Bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [b"", b"\1", bytes(4), bytes(100), b"\xff" * 64, b"PK\3\4" * 20])
def test_bytes_that_are_no_graph_are_refused(raw, tmp_path):
    assert refusal(written(tmp_path, raw))


def test_a_file_that_ends_early_is_refused_at_every_length(tmp_path):
    graph, weights = example()
    whole = written(tmp_path, graph, weights).read_bytes()
    for length in range(len(whole) - 40):
        path = written(tmp_path, whole[:length], name="short.bin")
        assert refusal(path)


def test_an_unknown_member_of_a_union_is_refused(tmp_path):
    graph, _ = example()
    raw = bytearray(written(tmp_path, graph).read_bytes())
    tables = [k for k in range(len(raw)) if raw[k] == 2]
    texts = set()
    for k in tables:
        path = written(tmp_path, bytes(raw[:k] + b"\x63" + raw[k + 1 :]), name="other.bin")
        try:
            dml.read_serialized_graph(path)
        except FileFormatError as error:
            texts.add(error.required)
    assert "needs a member of NodeDesc, from 1 to 2" in texts


def test_tables_that_are_used_again_and_again_are_refused_before_they_take_memory(tmp_path):
    # A root whose nodes are one and the same table without fields, 100,000 times.
    count = 100_000
    root_vtable, node_vtable = struct.pack("<HHH", 6, 8, 4), struct.pack("<HH", 4, 4)
    vector, node = 24, 28 + 4 * count
    raw = struct.pack("<I", 16) + root_vtable.ljust(8, b"\0") + node_vtable  # at 4 and at 12
    raw += struct.pack("<iI", 16 - 4, vector - 20)
    raw += struct.pack("<I", count)
    raw += b"".join(struct.pack("<I", node - (vector + 4 + 4 * k)) for k in range(count))
    raw += struct.pack("<i", node - 12)
    path = written(tmp_path, raw)
    tracemalloc.start()

    text = refusal(path)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "needs tables and vectors that are not used again and again, got more than 4" in text
    assert peak < 64 * len(raw)


def _activations(depth):
    """Return a GEMM whose fused activation has a fused activation, and so on."""
    fused = ("ACTIVATION_RELU", [])
    for _ in range(depth):
        fused = ("GEMM", [("FusedActivation", "Activation", fused)])
    return gemm(*GEMM[:4], ("FusedActivation", "Activation", fused))


def test_tables_that_lie_deep_in_each_other_are_refused(tmp_path):
    text = refusal(written(tmp_path, _activations(100)))

    assert text.endswith("needs at most 32 tables within each other")


def test_names_and_ranks_that_are_too_long_give_short_sentences(tmp_path):
    vast = ("FLOAT32", [1] * 5000, None, 4)
    name = "\x1b[2J" + "n" * 1_000_000
    node = ("operator", ("ELEMENT_WISE_ADD", [vast, vast], [vast], []), name, ["x", "x"], ["y"])

    text = refusal(written(tmp_path, ([node], ["x"], ["y"])))

    assert "needs" in text
    assert len(text) < 1000
    assert text.isprintable()


def test_names_that_act_on_a_terminal_are_escaped(tmp_path):
    names = ["\x1b[2J", "y" * 1000]
    graph = dml.read_serialized_graph(
        written(tmp_path, ([add([names[0]] * 2, [names[1]], "\x1b")], [names[0]], [names[1]]))
    )

    for text in (repr(graph), repr(graph.nodes)):
        assert text.isprintable()
        assert len(text) < 200
