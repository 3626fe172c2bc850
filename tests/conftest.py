"""What all tests share: a seeded Hypothesis, the setting put back after every test, counts.

Tests that compile come first, so that what follows keeps the other processors busy meanwhile.
"""

import os
import sys
from collections import Counter, defaultdict

import pytest
from hypothesis import settings

from indirectml.core.settings import Settings
from tests import bits, extent

ALWAYS = {"deadline": None, "derandomize": True, "print_blob": True}
settings.register_profile("whole", **ALWAYS)
settings.register_profile("default", max_examples=50, **ALWAYS)


#: What PoCL adds to the options of each build.
POCL_FLAGS = "POCL_EXTRA_BUILD_FLAGS"

#: What tests ask for that take minutes by themselves, the longest first.
LONG_FIXTURES = ("builds", "record")


def pytest_collection_modifyitems(items):
    def place(item):
        asked = [name in item.fixturenames for name in LONG_FIXTURES]
        return asked.index(True) if any(asked) else len(asked)

    items.sort(key=place)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """Return a folder that all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def builds(shared_folder):
    """Return the folder for builds of the native code."""
    return shared_folder / "builds"


@pytest.fixture(scope="session", autouse=True)
def _programs_compile_modules_once(shared_folder):
    """Let programs that tests start share what Python compiles, wherever it may not lie."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared_folder / "bytecode"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _pocl_compiles_without_optimizing():
    """Take half of the time for OpenCL's kernels, unless the environment says otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        if POCL_FLAGS not in os.environ:
            patch.setenv(POCL_FLAGS, "-cl-opt-disable")
        yield


# ---- Counts --------------------------------------------------------------------------------------

_counts = defaultdict(Counter)


def pytest_addoption(parser):
    parser.addoption("--counts", action="store_true", help="say how much each file compared")
    parser.addoption(
        extent.WHOLE,
        action="store_true",
        help="all that could be tried; see docs",
    )
    parser.addoption(
        extent.ALL_COMPILERS,
        action="store_true",
        help="the native code with sanitizers, by other compilers, for other processors",
    )


def pytest_configure(config):
    extent.Extent.whole = config.getoption(extent.WHOLE)
    settings.load_profile("whole" if extent.Extent.whole else "default")
    extent.Extent.all_compilers = extent.Extent.whole or config.getoption(extent.ALL_COMPILERS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Put the setting back, and count."""
    former = Settings.policy, Settings.policy_for_new
    bits.compared.clear()
    try:
        return (yield)
    finally:
        Settings.policy, Settings.policy_for_new = former


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item):
    result = yield
    counted = {name: int(count) for name, count in bits.compared.items()}
    if counted:  # a property travels from a process of pytest-xdist
        item.user_properties.append(("compared", counted))
    return result


def pytest_runtest_logreport(report):
    found = _counts[report.fspath.rpartition("/")[2]]
    if report.when == "teardown":
        found.update(dict(report.user_properties).get("compared", {}))
    found["seconds"] += report.duration
    found["tests"] += report.when == "call"


def pytest_terminal_summary(terminalreporter, config):
    if not config.getoption("--counts"):
        return
    titles = ("tests", "seconds", "arrays", "elements")
    terminalreporter.write_line("".join(f"{t:>16}" for t in titles) + "  compared bit by bit by")
    total = Counter()
    for counted in _counts.values():
        total.update(counted)
    for name, found in [*sorted(_counts.items()), ("all", total)]:
        numbers = "".join(f"{round(found[t]):>16,}" for t in titles)
        terminalreporter.write_line(f"{numbers}  {name}")
