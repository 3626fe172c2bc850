"""The lowest versions that are declared of what the tests of the doors need, for pip.

pip install $(python -m tests.lowest_versions)
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What runs the tests; everything else of the test extra is an oracle, or is tested itself.
RUNNERS = ("pytest", "hypothesis")


def lowest_versions():
    """Return requirements of exactly the lowest versions: of all dependencies, and the runners."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extra = {
        re.match(r"[\w-]+", line)[0]: line for line in project["optional-dependencies"]["test"]
    }
    lines = [*project["dependencies"], *(extra[name] for name in RUNNERS)]
    return [line.replace(">=", "==") for line in lines]


if __name__ == "__main__":
    print(*lowest_versions())  # noqa: T201 (a program)
