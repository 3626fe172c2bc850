"""Notebooks of the documentation: what their cells print, and their pictures.

`python -m tests.notebooks docs/ranges.ipynb` runs a notebook and stores its outputs. Tests run it
too and compare what is printed; pictures only have to come.
"""

import base64
import contextlib
import importlib.util
import io
import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt


def load(path):
    """Return a notebook as the objects of its JSON."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def is_runnable(cell):
    """Return whether a code cell's library, named by a tag such as needs-torch, is installed."""
    tags = cell["metadata"].get("tags", [])
    needed = [tag.removeprefix("needs-") for tag in tags if tag.startswith("needs-")]
    return all(importlib.util.find_spec(name) for name in needed)


def run(notebook):
    """Yield each code cell that can run, what it printed, and its picture as PNG or None."""
    scope = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code" or not is_runnable(cell):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), scope)  # noqa: S102 (this repository's own pages)
        picture = None
        if plt.get_fignums():
            file = io.BytesIO()
            plt.gcf().savefig(file, format="png", dpi=110, metadata={"Software": None})
            plt.close("all")
            picture = file.getvalue()
        yield cell, printed.getvalue(), picture


def stored_text(cell):
    """Return what a cell is said to print."""
    return "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")


def store(path):
    """Run a notebook and write its outputs into it."""
    notebook = load(path)
    for number, (cell, printed, picture) in enumerate(run(notebook), 1):
        cell["execution_count"] = number
        cell["outputs"] = []
        if printed:
            lines = printed.splitlines(keepends=True)
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": lines})
        if picture:
            data = {"image/png": base64.b64encode(picture).decode("ascii")}
            output = {"data": data, "metadata": {}, "output_type": "display_data"}
            cell["outputs"].append(output)
    Path(path).write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        store(name)
