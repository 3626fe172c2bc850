"""The table of ONNX's operators in docs/onnx-in.md: of the handlers; as a program, it writes it.

python -m tests.onnx_import.pages
"""

from pathlib import Path

from indirectml.onnx_import import nodes

PAGE = Path(__file__).parents[2] / "docs/onnx-in.md"
MARKS = "<!-- operators -->\n", "<!-- end -->\n"


def table():
    """Return the lines of the table, each with its end."""
    nodes.find_handler("", "Add", 1)  # loads the families
    families = {}
    for (domain, operator), known in nodes.HANDLERS.items():
        family = known[0].function.__module__.rpartition(".")[2]
        if family == "refusals":  # which says why there is none
            continue
        families.setdefault(family, []).append(f"{domain}.{operator}" if domain else operator)
    lines = ["| family | operators |", "|---|---|"]
    lines += [f"| {family} | {', '.join(sorted(names))} |" for family, names in families.items()]
    return [f"{line}\n" for line in (*lines[:2], *sorted(lines[2:]))]


def page():
    """Return the page with the table that belongs in it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}\n{''.join(table())}\n{MARKS[1]}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
