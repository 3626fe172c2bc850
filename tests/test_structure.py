"""The house: which file may import which, what importing costs, what optional libraries do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tools import generate

import indirectml
from tests.syntax import nodes_of

PACKAGE = Path(indirectml.__file__).parent

#: A file imports only from files above it in this list.
LAYERS = [
    "core.doors",
    "core.errors",
    "core.records",
    "core.progress",
    "core.data_types",
    "core.settings",
    "core.overlap",
    "core.scalars",
    "core.tensors",
    "core.mapped_memory",
    "core.binding_rules",
    "core.buffers",
    "core.tensor_buffers",
    "core",
    "catalogue",
    "catalogue.feature_levels",
    "catalogue.enumerations",
    "catalogue.operator_types",
    "catalogue.fused_activations",
    "catalogue.published_pages",
    "fills.sequences",
    "fills.arrays",
    "fills.array_files",
    "fills.file_fills",
    "fills.comparing",
    "fills.remainders",
    "fills.explaining",
    "fills.plotting",
    "fills",
    "descriptors.names",
    "descriptors.glossary",
    "descriptors.definitions",
    "descriptors.fields",
    "arithmetic",
    "programs",
    "panels",
    "plans",
    "ranges",
    "descriptors.base",
    "descriptors.checks",
    "descriptors.examples",
    "descriptors.documentation",
    "descriptors",
    "graphs.expressions",
    "graphs.outputs",
    "operators",
    "graphs.graph_descs",
    "graphs.memory",
    "graphs.families",
    "graphs.functions",
    "operators.descs",
    "operators.functions",
    "passes.parts",
    "passes.tracing",
    "graphs.compilation",
    "passes.cells",
    "passes.array_functions",
    "passes.places",
    "passes.stand_ins",
    "passes.lowering",
    "passes.flow",
    "passes.fusion",
    "passes.sharing",
    "passes.attention",
    "passes.stored_weights",
    "passes.packing",
    "passes",
    "numpy_forms",
    "call_arguments",
    "opencl",
    "opencl.platforms",
    "opencl.launches",
    "opencl.views",
    "opencl.functions",
    "opencl.expressions",
    "opencl.spans",
    "opencl.programs",
    "opencl.fills",
    "opencl.tiles",
    "opencl.words",
    "opencl.memory",
    "opencl.steps",
    "opencl.building",
    "opencl.probe",
    "opencl.context",
    "devices",
    "runtime",
    "graphs.inputs",
    "graphs.direct_calls",
    "graphs.compiled_graphs",
    "graphs.graphs",
    "graphs.sized_graphs",
    "operators.on_arrays",
    "graphs",
    "pydirectml",
    "serialized.schema",
    "serialized.flatbuffer",
    "serialized.fields",
    "serialized.nodes",
    "serialized.weights",
    "serialized.reading",
    "serialized.writing",
    "serialized.describing",
    "serialized.compiling",
    "serialized.graph",
    "serialized",
    "onnx_import.package",
    "onnx_import.budget",
    "onnx_import.values",
    "onnx_import.evaluating",
    "onnx_import.weights",
    "onnx_import.wire",
    "onnx_import.reading",
    "onnx_import.schemas",
    "onnx_import.nodes",
    "onnx_import.inputs",
    "onnx_import.einsum",
    "onnx_import.doubles",
    "onnx_import.wide",
    "onnx_import.building",
    "onnx_import.later",
    "onnx_import.folding",
    "onnx_import.bodies",
    "onnx_import.loops",
    "onnx_import.sequences",
    "onnx_import.selecting",
    "onnx_import.own_domain",
    "onnx_import.order",
    "onnx_import.visits",
    "onnx_import.scopes",
    "onnx_import.mending",
    "onnx_import.meanings",
    "onnx_import.replaying",
    "onnx_import.translation",
    "onnx_import",
    "onnx_import.sources",
    "onnx_import.graph",
    "onnx_import.model",
    "onnxruntime.errors",
    "onnxruntime.options",
    "onnxruntime.values",
    "onnxruntime.sized_models",
    "onnxruntime.profiling",
    "onnxruntime.binding",
    "onnxruntime.session",
    "onnxruntime",
    "backend",
    "pytorch",
    "onnx_export.building",
    "onnx_export.forms",
    "onnx_export.words",
    "onnx_export.views",
    "onnx_export.functions",
    "onnx_export.exporting",
    "onnx_export.writing",
    "onnx_export.doors",
    "onnx_export",
    "models.problems",
    "models.text",
    "models.members",
    "models.printing",
    "models.model",
    "models.context",
    "models.images",
    "models.bindings",
    "models.resources",
    "models.onnx",
    "models.dispatchables",
    "models.parsing",
    "models.memory",
    "models.checking",
    "models.made_up",
    "models.running",
    "models.graphs",
    "models.schema",
    "models.writing",
    "inspection.plan_rows",
    "inspection.profiling",
    "inspection.layered",
    "inspection.pictures",
    "inspection.subjects",
    "inspection.onnx_runtime",
    "inspection.differing",
    "inspection",
    "cli.common",
    "cli.numbers",
    "cli.model_files",
    "cli.arrays",
    "cli.info",
    "cli.fills",
    "cli.model_options",
    "cli.graph_files",
    "cli.graph_runs",
    "cli.graph_texts",
    "cli.export",
    "cli.compare",
    "cli.explain_operator",
    "cli.operator_runs",
    "cli.explain",
    "cli.models",
    "cli.command",
    "cli",
]


def _layer(module):
    """Return the entry of the list that a module's name, without the package's, belongs to."""
    parts = module.split(".")
    for length in (2, 1):
        name = ".".join(parts[:length])
        if name in LAYERS:
            return name
    return None


def _modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if name not in {"__init__", "__main__", "models.__init__"}:
            yield path, name.removesuffix(".__init__")


def _imports(path):
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module == "indirectml":
                yield from (f"indirectml.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif _imports_by_name(node) and isinstance(node.args[0], ast.Constant):
            yield node.args[0].value


def _imports_by_name(node):
    """Return whether a node is a call of import_module."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")


#: Files that find others by names that they compute, and what for.
REGISTRIES = {
    "__init__.py": "public names",
    "arithmetic/words.py": "words, for pickle",
    "core/doors.py": "methods whose work files further down do",
    "descriptors/definitions.py": "definitions, by operator",
    "devices/__init__.py": "devices, by name",
    "graphs/functions.py": "functions for graphs, by name",
    "onnx_export/forms.py": "forms of operators",
    "onnx_import/nodes.py": "handlers of nodes",
    "onnx_import/package.py": "the onnx package",
    "opencl/words/__init__.py": "files with kernels of words",
    "pytorch.py": "PyTorch",
}


def test_only_registries_compute_what_they_import():
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in nodes_of(path)
        if _imports_by_name(node) and not isinstance(node.args[0], ast.Constant)
    }

    assert found == set(REGISTRIES)


def test_imports_point_up_the_list():
    for path, module in _modules():
        own = _layer(module)
        assert own is not None, f"{module} is missing from the list of layers"

        for imported in _imports(path):
            if not imported.startswith("indirectml.") or imported == "indirectml._native":
                continue
            name = imported.removeprefix("indirectml.")
            if name == "__version__" or _layer(name) == own:
                continue
            assert LAYERS.index(_layer(name)) < LAYERS.index(own), f"{module} imports {name}"


def test_imports_are_at_the_top_of_files():
    for path in PACKAGE.rglob("*.py"):
        for function in nodes_of(path):
            if isinstance(function, ast.FunctionDef):
                inner = [
                    n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)
                ]
                assert not inner, f"{path.name}: {function.name} imports"


def test_only_the_command_line_prints_or_exits():
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "cli" or path.name == "__main__.py":
            continue
        calls = [node.func for node in nodes_of(path) if isinstance(node, ast.Call)]
        names = {f.id for f in calls if isinstance(f, ast.Name)}
        assert not names & {"print", "exit", "input"}, path.name


def _loaded_after(statement):
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_loads_numpy_and_no_optional_library():
    loaded = _loaded_after("import indirectml; indirectml.full(3, 1)")

    optional = {
        "torch",
        "onnx",
        "onnxruntime",
        "ml_dtypes",
        "matplotlib",
        "dask",
        "hypothesis",
        "PIL",
    }
    assert not loaded & optional
    assert "numpy" in loaded


def test_importing_loads_nothing_of_the_package_until_a_name_is_asked_for():
    def loaded(statement):
        return {m for m in _loaded_after(statement) if m.startswith("indirectml.")}

    assert not loaded("import indirectml")
    assert not loaded("import indirectml; indirectml.full") & {
        "indirectml.catalogue",
        "indirectml.graphs",
        "indirectml.operators",
        "indirectml.runtime",
    }


def test_no_file_is_longer_than_one_reading():
    files = [*PACKAGE.rglob("*.py"), *Path(__file__).parent.rglob("*.py")]

    assert not [p.name for p in files if len(p.read_text(encoding="utf-8").splitlines()) > 600]


def test_importing_loads_neither_command_line_nor_models():
    loaded = _loaded_after("import indirectml")

    assert not {m for m in loaded if m.startswith(("indirectml.cli", "indirectml.models"))}


def test_the_stub_of_the_native_module_is_the_generated_one(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind generates the stub; it is a build requirement")
    stub = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "indirectml._native"]
    subprocess.run([*command, "--exclude-values", "-o", stub], check=True)

    stored = (PACKAGE / "_native.pyi").read_text(encoding="utf-8")

    assert stub.read_text(encoding="utf-8").split() == stored.split()


def test_what_follows_from_definitions_is_stored():
    stored = {path: path.read_text(encoding="utf-8") for path in generate.stored_files()}

    assert generate.generated() == stored
