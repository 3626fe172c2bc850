"""Notebooks of the documentation print what they say."""

from pathlib import Path

import pytest

from tests import notebooks

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_cells_print_what_is_stored(path):
    notebook = notebooks.load(path)
    ran = 0
    for cell, printed, picture in notebooks.run(notebook):
        stored = {output["output_type"] for output in cell["outputs"]}

        assert printed == notebooks.stored_text(cell), "".join(cell["source"])
        assert (picture is not None) == ("display_data" in stored)
        ran += 1
    assert ran >= sum(map(notebooks.is_runnable, notebook["cells"])) / 3
