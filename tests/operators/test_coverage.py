"""Every operator has an oracle, or is listed here with the reason why not."""

import importlib
import pkgutil
from pathlib import Path

from indirectml.descriptors.definitions import implemented_operators
from tests import operators

EXAMPLES = "examples only"

#: Operators without an oracle among these tests, and where they are compared with something else.
WITHOUT = {
    # fills
    "FILL_VALUE_CONSTANT": "tests/reference.py, in tests/fills/test_fills.py and others",
    "FILL_VALUE_SEQUENCE": "tests/reference.py, in tests/fills/test_fills.py and others",
}


def operators_in_tables():
    """Return the operators in the tables of oracles by family, and the files with each."""
    found = {}
    own = {f"test_{name.lower()}" for name in implemented_operators()}
    for module in pkgutil.iter_modules(operators.__path__):
        if module.name.startswith("test_") and module.name not in own:
            file = importlib.import_module(f"{operators.__name__}.{module.name}")
            for name in getattr(file, "ORACLES", {}):
                found.setdefault(name, []).append(module.name)
    return found


def operators_with_files():
    """Return the operators that have a test file of their own."""
    files = {path.stem for path in Path(operators.__path__[0]).glob("test_*.py")}
    return {name for name in implemented_operators() if f"test_{name.lower()}" in files}


def test_every_operator_has_an_oracle_or_is_listed():
    with_oracle = operators_in_tables().keys() | operators_with_files()
    without = set(implemented_operators()) - with_oracle

    assert sorted(without - set(WITHOUT)) == [], "write an oracle, or list it in WITHOUT"
    assert sorted(set(WITHOUT) - without) == [], "take them out of WITHOUT"


def test_tables_name_operators_that_there_are_once():
    tables = operators_in_tables()

    assert set(tables) <= set(implemented_operators())
    assert [name for name, files in tables.items() if len(files) > 1] == []


def test_reasons_are_given():
    assert all(WITHOUT.values())
