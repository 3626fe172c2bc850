"""The site in a browser: pages load, fit, are dark where asked, and the console stays empty."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native.building import ROOT

SITE = ROOT / "build/site"
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
#: What browsers write by themselves, with what pages do wrong between quotation marks.
CONSOLE = re.compile(r':CONSOLE[^"]*"(.*?)", source: (\S*)', re.DOTALL)

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium; apt-get install chromium"),
    pytest.mark.skipif(
        not (SITE / "index.html").exists(),
        reason="no site; python -m sphinx -W docs build/site makes it",
    ),
]


#: Writes of each frame what is wider than it, what is no fraction as mathematics has them, and in
#: the dark what has a light background.
LOOK = """
const light = (color) => {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return a > 0.5 && (r + g + b) / 3 > 128;
};
addEventListener("load", () => document.querySelectorAll("iframe").forEach((frame) => {
  const page = frame.contentDocument, root = page.documentElement;
  const wide = [...page.querySelectorAll("article *")].find((each) => {
    if (each.getBoundingClientRect().right <= frame.clientWidth + 1) return false;
    for (let box = each; box !== page.body; box = box.parentElement)
      if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box.matches("article *"))
        return false;
    return true;
  });
  if (wide || root.scrollWidth > frame.clientWidth)
    console.error(`${frame.src} is too wide: ${(wide || root).outerHTML.slice(0, 80)}`);
  const top = (part) => part.getBoundingClientRect().top;
  for (const each of page.querySelectorAll("mfrac"))
    if (!(top(each.firstElementChild) < top(each.lastElementChild)))
      return console.error(`${frame.src}: no fraction: ${each.outerHTML.slice(0, 80)}`);
  if (!matchMedia("(prefers-color-scheme: dark)").matches) return;
  for (const each of page.querySelectorAll("body, article *")) {
    const color = getComputedStyle(each).backgroundColor;
    if (light(color)) return console.error(`${frame.src}: ${each.outerHTML.slice(0, 80)} ${color}`);
  }
}));
"""


def loaded(page, size="1280,1000", scheme="light"):
    """Load a page; returns its text, and what was written to the console."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    options += [f"--blink-settings=preferredColorScheme={['dark', 'light'].index(scheme)}"]
    options += ["--allow-file-access-from-files"]
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


def framed(folder, pages, width, scheme):
    """Load pages in frames, and look at them; returns the text, and what was written."""
    frames = "".join(f'<iframe src="{each.as_uri()}"></iframe>' for each in pages)
    style = f":root {{ color-scheme: {scheme} }} iframe {{ width: {width}px; height: 900px }}"
    whole = folder / "all.html"
    whole.write_text(f"<style>{style}</style><script>{LOOK}</script>{frames}")
    return loaded(whole, f"{width},1000", scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_too_wide_or_too_light_would_be_seen(tmp_path, scheme):
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><article><pre style='width: 500px; background: white'>x\n</pre></article>"
        "<style>@media (prefers-color-scheme: dark) { body { background: black } }</style>"
    )

    _, written = framed(tmp_path, [page], 390, scheme)

    texts = [text for text, _ in written]
    assert len(texts) == (2 if scheme == "dark" else 1), texts
    assert "wide" in texts[0]
    assert all("<pre" in text for text in texts[1:]), texts


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_pages_fit_and_load_without_a_word_on_the_console(tmp_path, width, scheme):
    pages = [*SITE.glob("*.html"), *SITE.glob("operators/*.html"), *SITE.glob("project/*.html")]
    assert len(pages) > 40

    text, written = framed(tmp_path, sorted(pages), width, scheme)

    assert text.count("<iframe") == len(pages)
    assert written == []


#: Writes into a field as a person does, and then what is shown to the page's title.
TYPED = """
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  const field = page.querySelector(".operator-filter input"), told = [];
  const press = (key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  for (const text of ["", "DML_OPERATOR_GEMM", "pooling 6_2", "no such operator"]) {
    field.value = text;
    field.dispatchEvent(new Event("input"));
    const rows = [...page.querySelectorAll("article tbody tr")].filter((row) => row.offsetHeight);
    told.push(page.querySelector(".operator-filter output").textContent, rows.length);
  }
  press("Escape");
  press("ArrowDown");
  document.title = [...told, field.value === "", page.activeElement.textContent].join(";");
});
"""


def test_the_table_of_operators_has_a_field_that_filters(tmp_path):
    page = tmp_path / "typed.html"
    frame = f'<iframe src="{(SITE / "all-operators.html").as_uri()}"></iframe>'
    page.write_text(f"<title></title><script>{TYPED}</script>{frame}")

    text, written = loaded(page)

    assert written == []
    told = re.search("<title>(.*)</title>", text)[1].split(";")
    assert told[:4] == ["177 of 177", "177", "1 of 177", "1"]
    assert told[4] == f"{told[5]} of 177"
    assert int(told[5]) >= 1
    assert told[6:] == ["0 of 177", "0", "true", "ACTIVATION_CELU"]


def test_formulas_are_mathematics_that_needs_nothing_from_elsewhere():
    pages = {path: path.read_text("utf-8") for path in SITE.glob("operators/*.html")}

    assert sum(text.count("<math ") for text in pages.values()) > 100
    for path, text in pages.items():
        assert "\\mathrm" not in text, path
        assert "mathjax" not in text.lower(), path


def test_the_front_page_leads_to_every_door():
    text, written = loaded(SITE / "index.html")

    assert written == []
    for page in ("all-operators", "inside", "moving", "from-torch-directml", "onnx-runtime"):
        assert f'href="{page}.html"' in text
        assert (SITE / f"{page}.html").exists()
    assert Path(SITE / "genindex.html").exists()
