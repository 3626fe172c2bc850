"""The site: `python -m sphinx -W docs build/site`, in an environment with the extra `docs`.

Pages are the .md files beside this one, files of the repository that `project/` names, and a
reference that is made of docstrings and of the commands' help when the site is built.
"""

import html
import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.logging import getLogger

import indirectml
from indirectml.cli.explain_operator import with_imports
from indirectml.cli.operator_runs import function_name
from indirectml.descriptors.definitions import implemented_operators
from indirectml.descriptors.names import class_name
from indirectml.operators import descriptor_class

LOG = getLogger(__name__)
HERE = Path(__file__).parent
ROOT = HERE.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]

project = "IndirectML"
author = copyright = "the contributors of IndirectML"  # noqa: A001 (Sphinx's name)
version = release = indirectml.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
]
exclude_patterns = ["pictures"]
nb_execution_mode = "off"  # tests run the notebooks and compare what they print
nb_merge_streams = True
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure", "toc.empty_glob"]  # models are JSON with comments
default_role = "py:obj"
autodoc_typehints = "none"  # docstrings say more
numpydoc_show_class_members = False
myst_fence_as_directive = ["math"]  # as GitHub shows it, too
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "IndirectML"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]

# ---- Files of the repository as pages -----------------------------------------------------------

#: Which file of the repository each page in project/ shows.
SHOWN = {
    path: ROOT / re.search(r"shows: (\S+)", path.read_text(encoding="utf-8"))[1]
    for path in sorted((HERE / "project").glob("*.md"))
}


def address(link, source, page):
    """Return a link of a file of the repository as a link of a page of the site."""
    path, _, anchor = link.partition("#")
    if not path or "://" in link:
        return link
    target = (source.parent / path).resolve()
    shown = {file: shower for shower, file in SHOWN.items()}.get(target, target)
    if not shown.is_relative_to(HERE) or shown.suffix == ".json":
        return f"{REPOSITORY}/blob/main/{target.relative_to(ROOT).as_posix()}"
    return Path(os.path.relpath(shown, page.parent)).as_posix() + (f"#{anchor}" if anchor else "")


def read_source(app, name, content):
    """Put the file that a page shows in its place, and make its links those of the site."""
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return
    source = SHOWN.get(page, page)
    text = source.read_text(encoding="utf-8")
    if not any(HERE.glob("operators/*.md")):  # a pattern without pages would be a warning
        text = text.replace("operators/*\n", "")
    text = re.sub(r"(?<=\]\()[^)\s]+", lambda m: address(m[0], source, page), text)
    content[0] = with_links(name, text)


# ---- What is said of an operator, in several places ---------------------------------------------

DEFINED = {name: descriptor_class(name).definition for name in implemented_operators()}
#: Tables with a row for each operator, or for some.
TABLES = {
    "oracles": "what it is compared with",
    "onnx-operators": "in ONNX",
    "decisions": "where its page could not be followed",
}


def home(name):
    """Return the address of an operator's definition, from the top of the site."""
    definition = DEFINED[name]
    return f"operators/{definition.module}.html#{definition.name.lower().replace('_', '-')}"


#: The operators that each function stands for.
OPERATORS_OF = {}
for each_ in DEFINED:
    OPERATORS_OF.setdefault(function_name(each_), []).append(each_)

#: A field above the table of all operators, which a script shows.
FILTER = (
    '<p class="operator-filter" hidden><label>Filter <input type="search" autocomplete="off" '
    'placeholder="such as: pooling 2_1" title="Enter opens the first, Arrow Down goes to it, '
    'Escape clears"></label> <output aria-live="polite"></output></p>'
)


def with_links(name, text):
    """Return a page whose operators lead to all that is said of them elsewhere.

    Only the site has these links: what the files show elsewhere has no anchors in tables.
    """
    if name in TABLES:
        seen = set()
        return re.sub(ROW, lambda m: row_with_anchor(m[1] or m[2], seen), text, flags=re.MULTILINE)
    if name == "all-operators":
        return text.replace("\n| operator,", f"\n{FILTER}\n\n| operator,", 1)
    if name.startswith("operators/"):
        text = re.sub(r"(?<=function )`(\w+)`", function_link, text)
        heads, *entries = re.split(r"^(?=## )", text, flags=re.MULTILINE)
        return heads + "\n".join(f"{each}\n{others(each.split()[1])}\n" for each in entries)
    return text


def function_link(match):
    """Return a function's name as a link of its page."""
    shown = f"<code>{match[1]}</code>"
    known = match[1] in dir(indirectml)
    return f'<a href="../reference/{match[1]}.html">{shown}</a>' if known else match[0]


#: How the row of an operator begins: with its name, or with a link of it.
ROW = r"^\| (?:([A-Z][A-Z0-9_]+)|\[([A-Z][A-Z0-9_]+)\]\([^)]*\)) (?=\|)"


def row_with_anchor(operator, seen):
    """Return the first cell of an operator's row, with an anchor if it is the first row."""
    if operator not in DEFINED:
        return f"| {operator} "
    anchor = "" if operator in seen else f'id="{operator.lower()}" '
    seen.add(operator)
    return f'| <a {anchor}href="{home(operator)}">{operator}</a> '


def others(operator):
    """Return the links below an operator's definition."""
    names = DEFINED[operator].names
    described = ", ".join(
        f'`DML_OPERATOR_{each}` (<a href="../reference/{class_name(each)}.html">'
        f"{class_name(each)}</a>)"
        for each in names
    )
    tables = {page: (HERE / f"{page}.md").read_text("utf-8") for page in TABLES}
    said = [
        f'<a href="../{page}.html#{operator.lower()}">{what}</a>'
        for page, what in TABLES.items()
        if re.search(rf"^\| \[?{operator}\b", tables[page], re.MULTILINE)
    ]
    said += ['<a href="../operator-vectors.html">golden vectors</a>']
    return f"{described}. See {', '.join(said)}; [all operators](../all-operators.md)."


# ---- The reference ------------------------------------------------------------------------------

GROUPS = {
    "arrays": "Arrays and sequences",
    "graphs": "Functions of graphs",
    "descriptors": "Descriptors of operators",
    "errors": "Errors",
    "objects": "Devices, graphs and everything else",
}


def group_of(name, value):
    """Return the group of a public name."""
    if name.endswith("OperatorDesc"):
        return "descriptors"
    if isinstance(value, type):
        if issubclass(value, Exception):
            return "errors"
        return "arrays" if value.__module__.startswith("indirectml.fills") else "objects"
    module = importlib.import_module(value.__module__)
    if module.__name__.startswith("indirectml.fills"):
        return "arrays"
    return "objects" if module.__name__.startswith("indirectml.core") else "graphs"


def title(text, underline="="):
    """Return a heading."""
    return f"{text}\n{underline * len(text)}\n\n"


def page_of(name, value):
    """Return the page of a public name."""
    kind = "class" if isinstance(value, type) else "function"
    kind = "exception" if kind == "class" and issubclass(value, Exception) else kind
    members = "   :members:\n" if kind == "class" else ""
    lead = ""
    if name.endswith("OperatorDesc") and name != "OperatorDesc":
        operator = value.operator_name
        lead = f"Descriptor of `{operator} <../{home(operator)}>`__.\n\n"
        members += "   :exclude-members: definition\n"
    elif name in OPERATORS_OF:
        links = ", ".join(f"`{each} <../{home(each)}>`__" for each in OPERATORS_OF[name])
        lead = f"Function of {links}, on arrays and in graphs.\n\n"
    return f"{title(name)}{lead}.. currentmodule:: indirectml\n\n.. auto{kind}:: {name}\n{members}"


def write_reference(folder):
    """Write a page for each public name, a page for each group, and one for the commands."""
    folder.mkdir(exist_ok=True)
    groups = {group: [] for group in GROUPS}
    for name in sorted(dir(indirectml), key=str.lower):
        value = getattr(indirectml, name)
        groups[group_of(name, value)].append(name)
        write(folder / f"{name}.rst", page_of(name, value))
    for group, names in groups.items():
        rows = "".join(
            f"   * - :py:obj:`~indirectml.{name}`\n     - {summary(name)}\n" for name in names
        )
        tree = "".join(f"   {name}\n" for name in names)
        write(
            folder / f"{group}.rst",
            f"{title(GROUPS[group])}.. list-table::\n   :widths: 35 65\n\n{rows}\n"
            f".. toctree::\n   :hidden:\n\n{tree}",
        )
    tree = "".join(f"   {group}\n" for group in GROUPS)
    text = f"{title('Reference of Python')}.. toctree::\n   :maxdepth: 1\n\n{tree}"
    write(folder / "index.rst", text)
    write(folder / "commands.rst", f"{title('Reference of the command line')}{commands()}")


def summary(name):
    """Return the first line of the docstring of a public name."""
    doc = inspect.getdoc(getattr(indirectml, name)) or ""
    return doc.partition("\n")[0].replace("|", r"\|") or name


def write(path, text):
    """Write a page if it changed, so that nothing else is built anew."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def commands():
    """Return the help of every command."""

    def shown(*words):
        command = [sys.executable, "-m", "indirectml", *words, "--help"]
        environment = {**os.environ, "COLUMNS": "88", "NO_COLOR": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    top = shown()
    names = re.findall(r"^    (\w+) ", top, re.MULTILINE)
    parts = [("indirectml", top), *((f"indirectml {name}", shown(name)) for name in names)]
    return "\n".join(
        f"{title(name, '-')}.. code-block:: text\n\n"
        + "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())
        for name, text in parts
    )


write_reference(HERE / "reference")


def add_imports(app, what, name, object_, options, lines):  # noqa: ARG001 (what Sphinx passes)
    """Have examples begin with what they import, so that they can be pasted."""
    lines[:] = with_imports("\n".join(lines)).splitlines()


def escape_bars(app, what, name, object_, options, lines):  # noqa: ARG001 (what Sphinx passes)
    """Keep |x| of a docstring a magnitude; in reStructuredText it would be a substitution."""
    lines[:] = [
        line if line.lstrip().startswith((">>>", "...")) else re.sub(r"\|(?=\S)", r"\|", line)
        for line in lines
    ]


def show_formula(translator, node):
    """Write mathematics as MathML, which browsers show without fonts or scripts from elsewhere."""
    block = isinstance(node, nodes.math_block)
    written = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f'<div class="formula">{written}</div>' if block else written)
    raise nodes.SkipNode


def stack_tables(app, doctree, name):  # noqa: ARG001 (what Sphinx passes)
    """Mark tables of few columns and much text, which narrow pages show row after row."""
    columns, characters = 3, 60
    for table in doctree.findall(nodes.table):
        rows = [[cell.astext() for cell in row] for row in table.findall(nodes.row)]
        if max(map(len, rows)) <= columns and max(len("".join(row)) for row in rows) > characters:
            table["classes"].append("stacked")


def show_branch(app, page, template, context, doctree):  # noqa: ARG001 (what Sphinx passes)
    """Have the sidebar show what lies around a page, not all 430 names of the reference."""
    if whole := context.get("toctree"):
        context["toctree"] = lambda **options: whole(**options | {"collapse": True})


# ---- Links of the finished site -----------------------------------------------------------------


def check_links(app, exception):
    """Warn of links between pages to what does not exist; other sites are not asked."""
    if exception or app.builder.name != "html":
        return
    pages = {path: path.read_text(encoding="utf-8") for path in Path(app.outdir).rglob("*.html")}
    anchors = {path: {*re.findall(r'\bid="([^"]+)"', text)} for path, text in pages.items()}
    for page, text in pages.items():
        if page.is_relative_to(Path(app.outdir) / "_modules"):  # back to what has no entry, too
            continue
        for link in {*re.findall(r'<a [^>]*href="([^"]*)"', text)}:
            path, _, anchor = html.unescape(unquote(link)).partition("#")
            if ":" in path:
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                LOG.warning("%s: no page: %s", page.name, link)
            elif anchor and target in anchors and anchor not in anchors[target]:
                LOG.warning("%s: no anchor: %s", page.name, link)


def setup(app):
    """Connect what is above to the build."""
    app.add_html_math_renderer("mathml", (show_formula, None), (show_formula, None))
    app.connect("source-read", read_source)
    app.connect("autodoc-process-docstring", add_imports, priority=90)
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    app.connect("doctree-resolved", stack_tables)
    app.connect("html-page-context", show_branch, priority=400)  # the theme asks for it at 500
    app.connect("build-finished", check_links)
