"""The golden vectors are what the reference gives, and every way in gives them."""

import json
from decimal import Decimal

import numpy as np
import pytest

import indirectml as dml
from indirectml import ScalarError
from indirectml.cli import main
from indirectml.core.data_types import as_data_type
from tests import make_vectors
from tests.bits import assert_bits_equal
from tests.doors import COMMANDS, DOORS, Call
from tests.extent import APART, Extent, every
from tests.fills import filling
from tests.fills.filling import TARGETS
from tests.fills.test_fuzz import CASES
from tests.make_vectors import FOLDER
from tests.parameters import by_dtype
from tests.reference import DTYPES, number

NAMES = sorted(path.name for path in FOLDER.glob("*.json"))
SEQUENCES = [name for name in NAMES if name.startswith("sequence.")]
NUMBERS = [name for name in NAMES if name.startswith("numbers.")]
#: How far into a sequence a door is taken; only sequences themselves go on to any index.
LONGEST = {"fill_constant, fill_sequence": 1 << 25, "full, sequence": 1 << 21}
LONG = 1 << 17

target = filling.target  # a fixture


def read(name):
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def dtype_of(vectors):
    return np.dtype(vectors["data_type"].lower())


def scalar(text, dtype):
    return number(int(text, 16), dtype)


def array(texts, dtype):
    return np.array([int(t, 16) for t in texts], f"u{dtype.itemsize}").view(dtype)


def calls_of(vectors, longest):
    """Yield each case as a call, and where the parts that it reaches begin, with their bits."""
    dtype, rule = dtype_of(vectors), vectors.get("rule", "accumulate")
    for case in vectors["cases"]:
        parts = [(int(run["first"]), array(run["elements"], dtype)) for run in case["runs"]]
        parts = [(first, bits) for first, bits in parts if first + bits.size <= longest]
        count = max(first + bits.size for first, bits in parts)
        start = scalar(case.get("start", case.get("value")), dtype)
        delta = scalar(case["delta"], dtype) if "delta" in case else None
        yield Call(start, delta, rule, (count,)), parts, case["name"]


# ---- The files -----------------------------------------------------------------------------------


def test_the_files_are_what_the_generator_gives_today():
    for name, text in make_vectors.files():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name} differs"
        assert name in NAMES
    assert len(NAMES) == 4 * len(DTYPES)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_says_what_its_parts_mean(name):
    vectors = read(name)

    assert vectors["format"] == make_vectors.FORMAT
    assert all(vectors[key] for key in ("about", "definition", "source", "generated_by"))
    # numbers.FLOAT16.json, constant.FLOAT16.json, sequence.accumulate.FLOAT16.json
    *_, rule, data_type, _ = name.split(".")
    assert vectors["data_type"] == data_type
    assert vectors.get("rule", rule) == rule
    used = {key for case in vectors["cases"] for key in case}
    used |= {
        f"runs.{key}" for case in vectors["cases"] for run in case.get("runs", ()) for key in run
    }
    assert used == set(vectors["fields"])


@by_dtype([t for t in DTYPES if t.kind == "f"])
def test_the_special_values_of_floats_are_all_there(dtype):
    """Of every kind, in operands and in results of both rules."""
    info = np.finfo(dtype)
    for rule in make_vectors.RULES:
        vectors = read(f"sequence.{rule}.{dtype.name.upper()}.json")
        values = [
            scalar(case[key], dtype) for case in vectors["cases"] for key in ("start", "delta")
        ]
        results = [array(r["elements"], dtype) for case in vectors["cases"] for r in case["runs"]]
        for kind in (np.array(values), np.concatenate(results)):
            zeros, tiny = kind[kind == 0], kind[(kind != 0) & (abs(kind) < info.smallest_normal)]
            assert {True, False} == set(np.signbit(zeros)) == set(np.signbit(tiny))
            assert {np.inf, -np.inf} <= set(kind[np.isinf(kind)].tolist())
            assert np.isnan(kind).any()
            assert (kind == info.max).any()
            assert (kind == info.smallest_normal).any()


def test_pages_say_how_many_there_are():
    vectors = [read(name)["cases"] for name in NAMES]
    elements = sum(len(r["elements"]) for v in vectors for case in v for r in case.get("runs", ()))
    said = f"{len(NAMES)} files, {sum(map(len, vectors))} cases, {elements} elements"

    page = (FOLDER.parents[1] / "docs/testing.md").read_text(encoding="utf-8")

    assert said in page, said
    assert f"{len(DOORS)} doors" in page
    assert f"{CASES} cases a run" in page


# ---- Every door ----------------------------------------------------------------------------------


@by_dtype()
@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_vectors(door, dtype, target, monkeypatch):
    # Files are of several windows.
    monkeypatch.setattr("indirectml.fills.file_fills._WINDOW_BYTES", 1 << 14)
    count = 0
    for name in (n for n in NAMES if n.split(".")[-2] == dtype.name.upper() and n not in NUMBERS):
        cases = list(calls_of(read(name), LONGEST.get(door, LONG)))
        cases = [case for case in cases if DOORS[door].takes(case[0])]
        if door in COMMANDS or not Extent.whole:  # every case on one target, not on all of them
            cases = cases[TARGETS.index(target) :: len(TARGETS)]
        count += len(cases)
        written = DOORS[door].fill([call for call, *_ in cases])
        for (_, parts, case), out in zip(cases, written, strict=True):
            for first, bits in parts:
                where = f"{target}, {name}: {case}, from {first}"
                assert_bits_equal(actual=out[first : first + bits.size], expected=bits, where=where)
    assert count >= 10


@pytest.mark.parametrize("name", SEQUENCES)
def test_any_element_of_a_sequence_is_that_of_the_vectors(name, target):
    vectors = read(name)
    dtype, rule = dtype_of(vectors), vectors["rule"]
    for case in vectors["cases"]:
        start, delta = (scalar(case[key], dtype) for key in ("start", "delta"))
        s = dml.Sequence(start, delta, dtype, rule=rule)
        for run in case["runs"]:
            first, expected = int(run["first"]), array(run["elements"], dtype)
            end = first + expected.size
            where = f"{target}, {name}: {case['name']}, from {first}"
            assert_bits_equal(actual=s[first:end], expected=expected, where=where)
            alone = np.array([s[k] for k in range(first, end)])
            assert_bits_equal(actual=alone, expected=expected, where=where)
            backwards = np.empty(expected.size, dtype)
            s.write(backwards[::-1], first)
            assert_bits_equal(actual=backwards[::-1], expected=expected, where=where)


# ---- Numbers -------------------------------------------------------------------------------------


def value_of(text):
    """Read a number of the vectors, exactly."""
    try:
        return int(text)
    except ValueError:
        return float(text) if "0x" not in text else float.fromhex(text)


def json_text(text):
    """Write it as JSON does: exactly, in decimal digits."""
    value = value_of(text)
    if isinstance(value, int) or not np.isfinite(value):
        return str(value)
    return str(value) if value == 0 else str(Decimal(value)).replace("E+", "e").replace("E", "e")


def union_of(dtype, role, value):
    tensor = dml.TensorDesc(dtype, [2])
    if role == "value":
        return dml.FillValueConstantOperatorDesc(tensor, dtype, value).value
    return dml.FillValueSequenceOperatorDesc(tensor, dtype, 0, value).value_delta


def sequence_of(dtype, role, value):
    zero = dtype.type(0)
    return dml.Sequence(*((value, zero) if role == "value" else (zero, value)), dtype)


#: From data type, role and number to the operand that it became.
OPERANDS = {
    "Sequence": lambda t, role, x: getattr(
        sequence_of(t, role, x), "start" if role == "value" else "delta"
    ),
    "fill_sequence": lambda t, role, x: (
        dml.fill_sequence(np.empty(1, t), x, 0)[0]
        if role == "value"
        else dml.fill_sequence(np.empty(2, t), -0.0 if t.kind == "f" else 0, x)[1]
    ),
    "long double": lambda t, role, x: OPERANDS["Sequence"](
        t, role, np.longdouble(x) if isinstance(x, float) else x
    ),
    "descriptor": lambda t, role, x: number(union_of(t, role, x).bits(as_data_type(t)), t),
}


@pytest.mark.parametrize("door", OPERANDS)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_become_the_bits_of_the_vectors_or_are_refused(name, door):
    vectors = read(name)
    dtype = dtype_of(vectors)
    for case in vectors["cases"]:
        role, value = case["role"], value_of(case["number"])
        where = f"{name}: {role} {case['number'][:40]}"
        if case["bits"] is None:
            with pytest.raises(ScalarError):
                OPERANDS[door](dtype, role, value)
            continue
        actual = OPERANDS[door](dtype, role, value)
        assert_bits_equal(actual=actual, expected=scalar(case["bits"], dtype), where=where)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_models_become_the_bits_of_the_vectors_or_are_refused(name, tmp_path, capsys):
    """Half precision takes infinities and NaNs by their bits alone."""
    vectors = read(name)
    dtype, data_type = dtype_of(vectors), vectors["data_type"]
    # A delta is element 1 of a sequence from 0, or from -0, whose sum with a delta is the delta.
    operator = {
        "value": '"FILL_VALUE_CONSTANT", "Value": %s',
        "delta": '"FILL_VALUE_SEQUENCE", "ValueStart": -0.0, "ValueDelta": %s',
    }
    if dtype.kind != "f":
        operator = {role: text.replace("-0.0", "0") for role, text in operator.items()}
    member = dtype.name.title().replace("Uint", "UInt")
    models = {True: {}, False: {}}
    for k, case in enumerate(vectors["cases"]):
        text = json_text(case["number"])
        if case["number"].strip("-") in {"inf", "nan"}:
            if dtype == np.float16:
                continue
            text = f'{{"{member}": "{text}"}}'
        if case["role"] == "delta" and dtype == np.float64:
            continue  # no feature level has such sequences
        tensor = f'"OutputTensor": {{"DataType": "{data_type}", "Sizes": [2]}}'
        body = operator[case["role"]] % text
        models[case["bits"] is None][f"r{k}"] = (
            f'{{"type": {body}, "ValueDataType": "{data_type}", {tensor}}}'
        )
    for is_refused, dispatchables in models.items():
        path = tmp_path / f"{is_refused}.json"
        path.write_text(_model_text(dispatchables, data_type), encoding="utf-8")
        command = ["validate"] if is_refused else ["run", "--output_path", str(tmp_path)]
        code = main([*command, str(path)])
        printed = capsys.readouterr()
        assert code == int(is_refused), printed.out + printed.err
        for resource in dispatchables:
            case = vectors["cases"][int(resource[1:])]
            where = f"{name}: {case['role']} {case['number'][:40]}"
            if is_refused:
                assert f"dispatchables.{resource}." in printed.out, where
                continue
            actual = np.fromfile(tmp_path / f"{resource}.bin", dtype)[1]
            assert_bits_equal(actual=actual, expected=scalar(case["bits"], dtype), where=where)


def _model_text(dispatchables, data_type):
    resources = ", ".join(
        f'"{name}": {{"initialValuesDataType": "{data_type}", "initialValues": [1, 1]}}'
        for name in dispatchables
    )
    bindings = '"bindings": {"OutputTensor": "%s"}'
    commands = ", ".join(
        f'{{"type": "dispatch", "dispatchable": "{name}", {bindings % name}}}, '
        f'{{"type": "writeFile", "resource": "{name}", "targetPath": "{name}.bin"}}'
        for name in dispatchables
    )
    texts = ", ".join(f'"{name}": {text}' for name, text in dispatchables.items())
    return (
        f'{{"resources": {{{resources}}}, "dispatchables": {{{texts}}}, "commands": [{commands}]}}'
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_the_command_become_the_bits_of_the_vectors_or_are_refused(
    name, tmp_path, capsys
):
    vectors = read(name)
    dtype = dtype_of(vectors)
    zero = "-0x0p0" if dtype.kind == "f" else "0"
    for case in vectors["cases"][:: every(APART)]:
        path = tmp_path / "out.npy"
        kind = ["constant", f"--value={case['number']}"]
        if case["role"] == "delta":
            kind = ["sequence", f"--start={zero}", f"--delta={case['number']}"]
        code = main(["fill", *kind, "--data-type", dtype.name, "--count", "2", "-o", str(path)])
        capsys.readouterr()
        where = f"{name}: {case['role']} {case['number'][:40]}"
        if case["bits"] is None:
            assert code != 0, where
            assert not path.exists(), where
            continue
        assert code == 0, where
        actual = np.load(path)[1]
        assert_bits_equal(actual=actual, expected=scalar(case["bits"], dtype), where=where)
        path.unlink()
