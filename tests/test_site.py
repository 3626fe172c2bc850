"""The site in a browser: pages load, and nothing is written to their console."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native import ROOT

SITE = ROOT / "build/site"
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
#: What browsers write by themselves, with what pages do wrong between quotation marks.
CONSOLE = re.compile(r':CONSOLE[^"]*"(.*?)", source: (\S*)')

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium; apt-get install chromium"),
    pytest.mark.skipif(
        not (SITE / "index.html").exists(),
        reason="no site; python -m sphinx -W docs build/site makes it",
    ),
]


def loaded(page, size="1280,1000"):
    """Load a page; returns its text, and what was written to the console."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    options += ["--virtual-time-budget=30000", f"--window-size={size}", "--dump-dom"]
    done = subprocess.run(
        [BROWSER, *options, page.as_uri()],
        capture_output=True, text=True, encoding="utf-8", check=True, timeout=300,
    )  # fmt: skip
    return done.stdout, [match.groups() for match in CONSOLE.finditer(done.stderr)]


def test_an_error_would_be_seen(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<script>throw new Error('seen')</script><script src='none.js'></script>")

    _, written = loaded(page)

    assert any("seen" in text for text, _ in written), written


@pytest.mark.parametrize("width", [390, 1280])
def test_pages_load_without_a_word_on_the_console(tmp_path, width):
    pages = [*SITE.glob("*.html"), *SITE.glob("operators/*.html"), *SITE.glob("project/*.html")]
    assert len(pages) > 40
    frames = "".join(f'<iframe src="{each.as_uri()}"></iframe>' for each in sorted(pages))
    whole = tmp_path / "all.html"
    whole.write_text(f"<style>iframe {{ width: {width}px; height: 900px }}</style>{frames}")

    text, written = loaded(whole, f"{width},1000")

    assert text.count("<iframe") == len(pages)
    assert written == []


def test_the_front_page_leads_to_every_door():
    text, written = loaded(SITE / "index.html")

    assert written == []
    for page in ("all-operators", "inside", "moving", "from-torch-directml", "onnx-runtime"):
        assert f'href="{page}.html"' in text
        assert (SITE / f"{page}.html").exists()
    assert Path(SITE / "genindex.html").exists()
