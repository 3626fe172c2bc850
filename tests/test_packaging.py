"""What is made for others to install: wheels, the sdist, and what they say of themselves."""

import importlib.metadata
import importlib.util
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import indirectml
from tests.native.building import ROOT, build_folder, find_tool, need, need_compiling, run

EXAMPLE = ROOT / "examples" / "fill_value_sequence.json"
#: A link or a picture that is not found where the page is shown by itself.
RELATIVE = re.compile(r"\]\((?!https://)[^)]*\)")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, builds):
    """Return the path of a wheel of this tree, built by pip without a network.

    Beside the check programs that are built without options, so that this is compiled once.
    """
    need_compiling()
    builders = ("scikit_build_core", "nanobind", "hatch_fancy_pypi_readme", "pip")
    need({name: importlib.util.find_spec(name) for name in builders})
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    settings = ["cmake.define.INDIRECTML_CHECK=ON", "cmake.define.INDIRECTML_MODULE=ON"]
    settings.append("build.targets=_native")
    with build_folder(builds) as shared:
        settings.append(f"build-dir={shared}")
        options += tuple(f"--config-settings={each}" for each in settings)
        run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


def read(wheel, name):
    with zipfile.ZipFile(wheel) as archive:
        (found,) = [member for member in archive.namelist() if member.endswith(name)]
        return archive.read(found).decode("utf-8")


def test_a_wheel_runs_where_it_is_installed(wheel, tmp_path):
    site = tmp_path / "site"
    command = ("install", "--no-deps", "--no-index", "--quiet", "--target", site)
    run(sys.executable, "-m", "pip", *command, wheel)
    # Without the site packages of this interpreter but NumPy, and without any program to call.
    numpy = Path(np.__file__).parents[1]
    environment = {"PYTHONPATH": os.pathsep.join([str(site), str(numpy)]), "PATH": ""}

    def python(*words):
        return run(sys.executable, "-S", *words, cwd=tmp_path, env={**os.environ, **environment})

    assert python("-m", "indirectml", "run", EXAMPLE).endswith(
        "Resource 'Out': 3.2, 4.7, 6.2, 7.7, 9.2\n"
    )
    where = "import indirectml as m; print(m.__file__, m.available_targets(), m.__version__)"
    assert python("-c", where) == (
        f"{site / 'indirectml' / '__init__.py'} {indirectml.available_targets()} "
        f"{indirectml.__version__}\n"
    )


def test_a_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    assert {name.partition("/")[0] for name in names} == {
        "indirectml",
        f"indirectml-{indirectml.__version__}.dist-info",
    }
    assert "indirectml/py.typed" in names
    assert "indirectml/__init__.pyi" in names


def test_a_wheel_holds_the_licences_of_what_is_linked_in(wheel):
    nanobind = Path(importlib.util.find_spec("nanobind").origin).parent
    header = (nanobind / "ext/robin_map/include/tsl/robin_hash.h").read_text(encoding="utf-8")
    robin_map = re.sub(r"^ \* ?", "", header[: header.index("*/")], flags=re.MULTILINE)
    licence = importlib.metadata.files("nanobind")
    (licence,) = [file for file in licence if file.name == "LICENSE"]

    assert read(wheel, "licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert read(wheel, "licenses/licenses/nanobind.txt") == licence.read_text(encoding="utf-8")
    assert read(wheel, "licenses/licenses/robin-map.txt").split() == robin_map.split()[1:]
    assert "\nLicense-Expression: MIT AND BSD-3-Clause\n" in read(wheel, "METADATA")


def test_a_wheel_binds_its_symbols_before_it_runs_and_guards_the_stack(wheel, tmp_path):
    need(
        {"readelf": find_tool("readelf"), "a system of ELF files": sys.platform == "linux" or None}
    )
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".so")]
        path = archive.extract(name, tmp_path)

    said = run(find_tool("readelf"), "-dlW", "--dyn-syms", path)

    assert re.search(r"\(FLAGS(_1)?\).*NOW", said)
    assert "GNU_RELRO" in said
    assert "__stack_chk_fail" in said


def test_the_readme_of_a_wheel_shows_where_no_other_file_is(wheel):
    metadata = read(wheel, "METADATA")

    assert f"\nVersion: {indirectml.__version__}\n" in metadata
    assert "\nDescription-Content-Type: text/markdown\n" in metadata
    assert "\n# IndirectML\n" in metadata
    assert not RELATIVE.search(metadata)
    assert not re.search(r"!\[|<img", metadata)
    assert RELATIVE.search((ROOT / "README.md").read_text(encoding="utf-8"))


def test_an_sdist_has_what_builds_and_tests_and_no_records(tmp_path):
    need({"scikit_build_core": importlib.util.find_spec("scikit_build_core")})
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
    run(sys.executable, "-c", code, cwd=ROOT)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}

    assert {"CMakeLists.txt", "native/module.cpp", "LICENSE", "tests/test_vectors.py"} <= names
    assert {"licenses/nanobind.txt", "licenses/robin-map.txt"} <= names
    assert not [name for name in names if "speed" in name or name.startswith(("benchmarks", "."))]
    assert path.stat().st_size < 5 << 19


def test_the_version_is_the_same_wherever_it_is_said():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == indirectml.__version__
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == indirectml.__version__
    assert importlib.metadata.version("indirectml") == indirectml.__version__
    recipe = (ROOT / "packaging/meta.yaml").read_text(encoding="utf-8")
    assert f'{{% set version = "{indirectml.__version__}" %}}' in recipe
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for tool in ("scikit-build-core", "nanobind", "hatch-fancy-pypi-readme"):
        assert (
            re.search(rf"{tool} =(\S+)", recipe)[1] == re.search(rf"{tool}==([\d.]+)", project)[1]
        )


def test_what_makes_a_release_is_named_exactly():
    workflows = [
        path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")
    ]
    used = [each for text in workflows for each in re.findall(r"uses: (.*)", text)]
    run_tools = [each for text in workflows for each in re.findall(r"pipx run (.*)", text)]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    build_tools = re.findall(r'^  "(.*)"', project[: project.index("build-backend")], re.MULTILINE)

    assert len(used) >= 6
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+", action)
    assert len(run_tools) == 3
    assert len(build_tools) == 3
    for tool in (*run_tools, *build_tools):
        assert re.match(r'"?[\w-]+==[\d.]+', tool), tool


def test_hooks_before_a_commit_are_commands_of_the_deciding_script():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()

    commands = re.findall(r"^ +entry: (.*)$", hooks, re.MULTILINE)
    assert len(commands) == 3
    assert set(commands) <= set(script)
