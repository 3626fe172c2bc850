"""Prints what each file knows, which stands in its first line: `python -m tools.files [FOLDER]`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("src/indirectml", "native", "tools", "benchmarks", "tests")
_ENDS = {".py", ".cpp", ".h", ".inl"}


def main() -> None:
    """Print a line for each file below a folder, or below all."""
    for folder in sys.argv[1:] or FOLDERS:
        for path in files(ROOT / folder):
            sys.stdout.write(f"{path.relative_to(ROOT)}: {knows(path)}\n")


def files(folder: Path) -> list[Path]:
    """Return the files below a folder that say what they know, in order."""
    return sorted(p for p in folder.rglob("*") if p.suffix in _ENDS and p.name != "_native.pyi")


def knows(path: Path) -> str:
    """Return what a file says of itself first; of C++ its header may say it. "" if nothing."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = re.match(r'(?:#.*\n)*"""(.*?)(?:\n\n|""")', text, re.DOTALL)
        return " ".join(found[1].split()) if found else ""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    if lines:
        return re.split(r"(?<=[.:]) ", " ".join(lines))[0]
    header = path.with_suffix(".h")
    return knows(header) if header != path and header.exists() else ""


if __name__ == "__main__":
    main()
