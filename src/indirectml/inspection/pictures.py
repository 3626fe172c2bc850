"""Pictures of graphs with names: SVG, Graphviz's text, and Mermaid."""

from __future__ import annotations

import html
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indirectml.core.errors import SettingError, cut, label
from indirectml.core.tensors import TensorDesc
from indirectml.descriptors.definitions import index
from indirectml.inspection.layered import Layout, laid_out
from indirectml.inspection.profiling import Profile
from indirectml.serialized.graph import SerializedGraph

#: What a picture may be, by the end of its file's name.
SUFFIXES = (".svg", ".dot", ".gv", ".mmd")

#: How many characters a line of a box has.
_LONGEST = 30

#: In pixels, of what browsers draw.
_TITLE_CHARACTER, _CHARACTER, _LINE, _PADDING, _LAYER_GAP = 8.6, 6.2, 15.0, 9.0, 28.0

#: How operators are coloured: by what they do, as hues.
_HUES = {
    "convolution": 212, "matrices": 212, "attention": 212, "recurrent": 232,
    "activations": 14, "normalization": 140, "pooling": 174, "reductions": 174,
    "quantized": 284, "gathering": 44, "movement": 44, "layouts": 44, "resampling": 174,
}  # fmt: skip
_HUE_OF_OTHERS = 262

#: From cold to hot.
_HEAT = ((255, 250, 235), (254, 217, 118), (253, 141, 60), (189, 0, 38))

_PREFIXES = ("ELEMENT_WISE_", "ACTIVATION_")


@dataclass(frozen=True)
class Box:
    """A node of a picture.

    Attributes
    ----------
    title : str
        The operator, or the name of an input or output of the graph.
    lines : tuple of str
        Its name, and what it makes.
    kind : str
        "input", "output", or the family of the operator.
    seconds : float or None
        What it took in a profile.
    """

    title: str
    lines: tuple[str, ...]
    kind: str
    seconds: float | None = None


@dataclass(frozen=True)
class Drawing:
    """Boxes and edges, each from the number of a box to that of another, with a tensor's sizes."""

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int, str], ...]


def drawing(graph: SerializedGraph, profile: Profile | None = None) -> Drawing:
    """Return what a picture of a graph has: inputs, operators and outputs. Constants are counted.

    Parameters
    ----------
    graph : SerializedGraph
        The graph.
    profile : Profile, optional
        Of this graph, compiled: what nodes took becomes their colour.
    """
    times = {share.name: share.seconds for share in (profile.by_node() if profile else ())}
    constants = set(graph.constants)
    families = index()["operators"]
    boxes: list[Box] = []
    edges: list[tuple[int, int, str]] = []
    made: dict[str, tuple[int, str]] = {}
    for name, tensor in graph.inputs.items():
        made[name] = len(boxes), _sizes(tensor)
        boxes.append(Box(label(name), (_described(tensor),), "input"))
    for node in graph.operators:
        number = len(boxes)
        seen: set[int] = set()
        for name in node.input_names:
            source, sizes = made.get(name, (-1, ""))
            if source >= 0 and source not in seen:
                edges.append((source, number, sizes))
                seen.add(source)
        count = sum(name in constants for name in node.input_names)
        with_constants = f"with {count} constant{'' if count == 1 else 's'}" if count else ""
        outputs = [tensor for tensor in node.outputs if tensor is not None]
        for name, made_tensor in zip(node.output_names, node.outputs, strict=True):
            if made_tensor is not None:
                made[name] = number, _sizes(made_tensor)
        lines = [label(node.name), *map(_described, outputs), with_constants]
        seconds = times.get(label(node.name), 0.0 if times else None)
        family = str(families.get(node.operator_name, ""))
        boxes.append(
            Box(_short(node.operator_name), tuple(line for line in lines if line), family, seconds)
        )
    for name, tensor in graph.outputs.items():
        source, sizes = made[name]
        edges.append((source, len(boxes), sizes))
        boxes.append(Box(label(name), (_described(tensor),), "output"))
    return Drawing(tuple(boxes), tuple(edges))


def _short(operator: str) -> str:
    for prefix in _PREFIXES:
        operator = operator.removeprefix(prefix)
    return operator


def _sizes(tensor: TensorDesc) -> str:
    return "x".join(map(str, tensor.sizes))


def _described(tensor: TensorDesc) -> str:
    return f"{tensor.data_type.name} {_sizes(tensor)}"


# ---- formats ----


def picture(graph: SerializedGraph, format_: str = "svg", profile: Profile | None = None) -> str:
    """Return a picture as text.

    Parameters
    ----------
    format_ : {"svg", "dot", "gv", "mmd"}
        SVG; Graphviz's text; Mermaid.
    profile : Profile, optional
        As for `drawing`.

    Raises
    ------
    SettingError
        There is no such format.

    Examples
    --------
    >>> graph = Graph(Device())
    >>> x = graph.input([2], name="x")
    >>> print(picture(SerializedGraph.of_outputs([exp(x)], output_names=["y"]), "mmd"))
    flowchart TD
      n0(["x<br/>FLOAT32 2"])
      n1["EXP<br/>ELEMENT_WISE_EXP_0<br/>FLOAT32 2"]
      n2(["y<br/>FLOAT32 2"])
      n0 -->|2| n1
      n1 -->|2| n2
    <BLANKLINE>
    """
    writers = {"svg": _svg, "dot": _dot, "gv": _dot, "mmd": _mermaid}
    if format_ not in writers:
        raise SettingError(f"needs a file that ends with {', '.join(SUFFIXES)}", given=format_)
    return "\n".join(writers[format_](drawing(graph, profile))) + "\n"


def save_picture(graph: SerializedGraph, path: Path, profile: Profile | None = None) -> None:
    """Write a picture to a file, in the format that its name ends with."""
    path.write_text(picture(graph, path.suffix[1:].lower(), profile), encoding="utf-8")


def _mermaid(drawn: Drawing) -> Iterator[str]:
    yield "flowchart TD"
    for number, box in enumerate(drawn.boxes):
        lines = "<br/>".join(_plain(line) for line in _lines(box))
        opening, closing = ('(["', '"])') if box.kind in {"input", "output"} else ('["', '"]')
        yield f"  n{number}{opening}{lines}{closing}"
    for source, target, sizes in drawn.edges:
        yield f"  n{source} -->|{sizes}| n{target}"
    hottest = _hottest(drawn)
    for number, box in enumerate(drawn.boxes):
        if hottest and box.seconds:
            yield f"  style n{number} fill:{_heat(box.seconds / hottest)},color:#000"


def _plain(text: str) -> str:
    return html.escape(text).replace("&quot;", "#quot;")


def _dot(drawn: Drawing) -> Iterator[str]:
    yield "digraph {"
    yield '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"]'
    hottest = _hottest(drawn)
    for number, box in enumerate(drawn.boxes):
        shape = ", shape=ellipse" if box.kind in {"input", "output"} else ""
        if hottest and box.seconds:
            shape += f', fillcolor="{_heat(box.seconds / hottest)}"'
        yield f"  n{number} [label={json.dumps(chr(10).join(_lines(box)))}{shape}]"
    for source, target, sizes in drawn.edges:
        yield f'  n{source} -> n{target} [label="{sizes}"]'
    yield "}"


def _lines(box: Box) -> list[str]:
    """Return the lines of a box."""
    time = [] if box.seconds is None or not box.seconds else [f"{box.seconds * 1e3:.3f} ms"]
    return [cut(line, _LONGEST) for line in (box.title, *box.lines, *time)]


def _hottest(drawn: Drawing) -> float:
    return max((box.seconds or 0.0 for box in drawn.boxes), default=0.0)


def _heat(share: float) -> str:
    """Return the colour of a share of the longest time."""
    place = min(max(share, 0.0), 1.0) * (len(_HEAT) - 1)
    low = min(int(place), len(_HEAT) - 2)
    mixed = (a + (b - a) * (place - low) for a, b in zip(_HEAT[low], _HEAT[low + 1], strict=True))
    return "#" + "".join(f"{round(each):02x}" for each in mixed)


# ---- SVG ----

#: Of the element alone that it stands in: a page may have several pictures, and text of its own.
_STYLE = """
.idml text { font: 12px ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.idml text { fill: #1c2230; } .idml .t { font-weight: 600; }
.idml .s { font-size: 10.5px; fill: #57606f; }
.idml .edge { fill: none; stroke: #9aa3b2; stroke-width: 1.2; } .idml .arrow { fill: #9aa3b2; }
.idml .io { fill: #ffffff; stroke: #57606f; } .idml .ground { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  .idml text { fill: #e6e9ef; } .idml .s { fill: #aab2c0; }
  .idml .ground { fill: #14171c; } .idml .io { fill: #14171c; stroke: #aab2c0; }
  .idml .edge { stroke: #69717f; } .idml .arrow { fill: #69717f; }
}
.idml .hot text { fill: #1c1c1c; } .idml .hottest text { fill: #ffffff; }
"""


def _svg(drawn: Drawing) -> Iterator[str]:
    texts = [_lines(box) for box in drawn.boxes]
    widths = [
        max(len(lines[0]) * _TITLE_CHARACTER, max(map(len, lines)) * _CHARACTER) + 2 * _PADDING
        for lines in texts
    ]
    heights = [len(lines) * _LINE + 2 * _PADDING - 3 for lines in texts]
    layout = laid_out(widths, [(source, target) for source, target, _ in drawn.edges])
    tops, bottom = _tops(layout, heights)
    margin = 16.0
    width, height = layout.width + 2 * margin, bottom + 2 * margin
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="idml" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="{-margin:.0f} {-margin:.0f} {width:.0f} {height:.0f}" '
        f'role="img" aria-label="graph of {len(drawn.boxes)} nodes">'
    )
    yield f"<style>{_STYLE}</style>"
    yield (
        f'<rect class="ground" x="{-margin:.0f}" y="{-margin:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}"/>'
    )
    middles = _middles(layout, heights, tops)
    for number, (source, target, _) in enumerate(drawn.edges):
        yield from _edge(layout, number, source, target, tops, heights, middles)
    hottest = _hottest(drawn)
    for number, box in enumerate(drawn.boxes):
        x, y = layout.centres[number] - widths[number] / 2, tops[number]
        yield from _box(box, texts[number], x, y, widths[number], heights[number], hottest)
    yield "</svg>"


def _rows(layout: Layout, heights: list[float]) -> list[float]:
    """Return the height of each layer."""
    rows = [0.0] * (max(layout.layers, default=-1) + 1)
    for layer, height in zip(layout.layers, heights, strict=True):
        rows[layer] = max(rows[layer], height)
    return rows


def _tops(layout: Layout, heights: list[float]) -> tuple[list[float], float]:
    """Return where boxes begin, and where the last ends."""
    rows = _rows(layout, heights)
    begins = [0.0]
    for row in rows:
        begins.append(begins[-1] + row + _LAYER_GAP)
    tops = [
        begins[layer] + (rows[layer] - height) / 2
        for layer, height in zip(layout.layers, heights, strict=True)
    ]
    return tops, begins[-1] - _LAYER_GAP


def _middles(layout: Layout, heights: list[float], tops: list[float]) -> dict[int, float]:
    """Return the middle of each layer."""
    return {
        layer: top + height / 2
        for layer, top, height in zip(layout.layers, tops, heights, strict=True)
    }


def _edge(
    layout: Layout,
    number: int,
    source: int,
    target: int,
    tops: list[float],
    heights: list[float],
    middles: dict[int, float],
) -> Iterator[str]:
    begin = layout.centres[source], tops[source] + heights[source]
    end = layout.centres[target], tops[target] - 5
    points = [begin, *((x, middles[layer]) for x, layer in layout.routes[number]), end]
    path = f"M{begin[0]:.1f},{begin[1]:.1f}"
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        middle = (y0 + y1) / 2
        path += f"C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}"
    yield f'<path class="edge" d="{path}"/>'
    x, y = end
    yield f'<path class="arrow" d="M{x - 3.5:.1f},{y - 1:.1f}h7l-3.5,6z"/>'


def _box(
    box: Box, lines: list[str], x: float, y: float, width: float, height: float, hottest: float
) -> Iterator[str]:
    is_end = box.kind in {"input", "output"}
    share = (box.seconds or 0.0) / hottest if hottest else 0.0
    kind, colours = "cold", ""
    if is_end:
        colours = 'class="box io"'
    elif box.seconds is not None:
        kind = "hottest" if share > 0.75 else "hot"  # noqa: PLR2004 (white reads better on dark red)
        colours = f'class="box" fill="{_heat(share)}" stroke="#b08968"'
    else:
        hue = _HUES.get(box.kind, _HUE_OF_OTHERS)
        colour = f"hsl({hue} 75% 55%)"
        colours = f'class="box" fill="{colour}" fill-opacity="0.17" stroke="{colour}"'
    radius = height / 2 if is_end else 6
    title = html.escape("\n".join((box.title, *box.lines)))
    yield f'<g class="{kind}"><title>{title}</title>'
    yield (
        f'<rect {colours} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{radius:.1f}"/>'
    )
    for number, line in enumerate(lines):
        style = "s" if number else "t"
        yield (
            f'<text class="{style}" text-anchor="middle" x="{x + width / 2:.1f}" '
            f'y="{y + _PADDING + 9 + number * _LINE:.1f}">{html.escape(line)}</text>'
        )
    yield "</g>"
