"""Pictures of graphs: what is in them, that nothing overlaps, and that edges go down."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import onnx
import pytest

import indirectml as dml
from indirectml.cli import main
from indirectml.inspection.layered import GAP, laid_out
from indirectml.inspection.pictures import picture
from tests.onnx_models import Model

SEED = 7


def random_graph(random, count):
    """Return widths and edges of a random graph without cycles, in order."""
    widths = random.uniform(20, 120, count)
    edges = {
        (int(source), target)
        for target in range(1, count)
        for source in random.integers(0, target, random.integers(1, 4))
    }
    return list(widths), sorted(edges)


@pytest.mark.parametrize("count", [1, 2, 9, 40, 150])
def test_nodes_stand_below_what_feeds_them_and_apart(count):
    random = np.random.default_rng([SEED, count])
    widths, edges = random_graph(random, count)

    found = laid_out(widths, edges)

    for number, (source, target) in enumerate(edges):
        assert found.layers[source] < found.layers[target]
        passed = [layer for _, layer in found.routes[number]]
        assert passed == list(range(found.layers[source] + 1, found.layers[target]))
    for a, b in combinations(range(count), 2):
        if found.layers[a] == found.layers[b]:
            apart = abs(found.centres[a] - found.centres[b])
            assert apart >= (widths[a] + widths[b]) / 2 + GAP - 1e-6
    for x, width in zip(found.centres, widths, strict=True):
        assert x - width / 2 >= -1e-6
        assert x + width / 2 <= found.width + 1e-6


def test_a_chain_is_a_straight_line():
    found = laid_out([30, 80, 50, 20], [(0, 1), (1, 2), (2, 3)])

    assert found.centres == pytest.approx([40] * 4)


@pytest.fixture
def graph():
    made = dml.Graph(dml.Device())
    x = made.input([2, 3], name="x")
    weights = made.constant(np.ones((3, 4), np.float32))
    return dml.SerializedGraph.of_outputs(
        [dml.activation_relu(dml.gemm(x, weights)), dml.abs(x)], output_names=["<y>", "z"]
    )


def test_svg_has_every_node_with_name_and_sizes(graph):
    root = ET.fromstring(picture(graph))  # noqa: S314 (ours)

    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    for wanted in ("x", "GEMM", "RELU", "ABS", "<y>", "z", "FLOAT32 2x4", "with 1 constant"):
        assert wanted in texts
    edges = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if e.get("class") == "edge"]
    assert len(edges) == 5
    for edge in edges:
        _, top, *_, bottom = map(float, re.findall(r"-?[\d.]+", edge.get("d")))
        assert top < bottom


def test_time_becomes_colour(graph):
    profile = graph.compile(dml.Device()).profile({"x": np.ones((2, 3), np.float32)}, runs=1)

    hottest = max(profile.by_node(), key=lambda share: share.seconds)
    drawn = picture(graph, profile=profile)
    at = drawn.index(f">{hottest.name}<")
    box = drawn[drawn.rindex("<g ", 0, at) : at]
    assert 'class="hottest"' in box
    assert "#bd0026" in box
    assert f"{hottest.seconds * 1e3:.3f} ms" in drawn


def test_graphviz_and_mermaid_escape_what_means_something_there(graph, tmp_path):
    for suffix in ("dot", "gv", "mmd"):
        graph.plot(tmp_path / f"graph.{suffix}")
    dot, mermaid = ((tmp_path / f"graph.{s}").read_text() for s in ("dot", "mmd"))

    assert dot.startswith("digraph {\n")
    assert dot.count(" -> ") == mermaid.count(" -->") == 5
    assert "&lt;y&gt;" in mermaid
    assert '"<y>\\nFLOAT32 2x4"' in dot
    with pytest.raises(dml.DirectMLError, match=r"ends with .svg, .dot, .gv, .mmd"):
        graph.plot(tmp_path / "graph.jpg")


def test_notebooks_show_graphs_and_profiles(graph):
    assert graph._repr_svg_().startswith("<svg ")
    model = dml.load_onnx(graph.to_onnx())
    assert "RELU" in model._repr_svg_()
    profile = graph.compile(dml.Device()).profile({"x": np.ones((2, 3), np.float32)}, runs=1)
    assert profile._repr_html_().startswith("<pre>")
    x = dml.Graph(dml.Device()).input([2], name="x")
    large = x
    for _ in range(301):
        large = dml.abs(large)
    assert dml.SerializedGraph.of_outputs([large])._repr_svg_() is None


def test_explain_and_run_draw(tmp_path, capsys):
    model = Model()
    path = str(tmp_path / "model.onnx")
    onnx.save(model.proto(model.node("Exp", model.input("x", [2]))), path)

    assert main(["explain", path, "--plot", str(tmp_path / "cold.svg")]) == 0
    assert main(["run", path, "--plot", str(tmp_path / "hot.svg")]) == 0
    assert " ms</text>" in (tmp_path / "hot.svg").read_text()
    assert " ms</text>" not in (tmp_path / "cold.svg").read_text()
    assert main(["explain", path, "--plot", str(tmp_path / "cold.png")]) == 2
    assert "needs a .svg or .dot or .gv or .mmd file" in capsys.readouterr().err
