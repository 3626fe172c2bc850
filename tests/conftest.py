"""What all tests share: a seeded Hypothesis, the setting put back after every test, counts."""

import os
from collections import Counter, defaultdict

import pytest
from hypothesis import settings

from indirectml.core.settings import State
from tests import bits, extent

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _setting_is_put_back():
    former = State.policy
    yield
    State.set(former)


@pytest.fixture(scope="session")
def builds(tmp_path_factory):
    """Return the folder for builds of the native core, which all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    return (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "builds"


# ---- Counts --------------------------------------------------------------------------------------

_counts = defaultdict(Counter)


def pytest_addoption(parser):
    parser.addoption("--counts", action="store_true", help="say how much each file compared")
    parser.addoption(
        extent.WHOLE,
        action="store_true",
        help="all that could be tried; see docs",
    )


def pytest_configure(config):
    extent.Extent.whole = config.getoption(extent.WHOLE)


@pytest.fixture(autouse=True)
def _is_counted(request):
    before = bits.compared.copy()
    yield
    counted = {name: int(count) for name, count in (bits.compared - before).items()}
    if counted:  # a property travels from a process of pytest-xdist
        request.node.user_properties.append(("compared", counted))


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
