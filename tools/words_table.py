"""The words in docs/arithmetic.md: what each does, and the section that defines it."""

from __future__ import annotations

from pathlib import Path

from tools import device_page

PAGE = Path(__file__).parents[1] / "docs/arithmetic.md"
BEGIN, END = "<!-- words -->\n", "<!-- end -->\n"
#: What defines the words of a file.
SECTIONS = {
    "attention": "Attention",
    "contraction": "Contraction",
    "convolution": "Contraction",
    "functions": "Functions",
    "gathering": "Gathering",
    "movement": "Numbers as they lie",
    "normalization": "Softmax and normalization",
    "quantization": "Quantization",
    "recurrence": "Recurrence",
    "reductions": "Sums",
    "regions": "Regions and random bits",
    "resampling": "Resampling",
    "scans": "Running results and orders",
    "settling": "Settling",
    "softmax": "Softmax and normalization",
    "stored_weights": "Quantization",
    "sums": "Sums",
    "windows": "Pooling",
}


def page() -> str:
    """Return the page with the table of today's words."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


def table() -> str:
    """Return the table."""
    text = "| word | does | defined in |\n|---|---|---|\n"
    for file, own in device_page.words().items():
        section = SECTIONS[file]
        link = f"[{section}](#{section.lower().replace(' ', '-')})"
        for word in own:
            text += f"| `{word.name}` | {device_page.sentence(word)} | {link} |\n"
    return text
