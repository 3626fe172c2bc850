"""`indirectml explain` as a person meets it."""

import importlib
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from indirectml.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
HALVES = ["explain", "sequence", "--data-type", "FLOAT16", "--start", "0", "--delta", "0.1"]


def test_tells_both_rules_side_by_side(capsys):
    assert main([*HALVES, "--count", "4096"]) == 0

    shown = capsys.readouterr().out.splitlines()
    assert shown[:15] == [
        "FILL_VALUE_SEQUENCE, FLOAT16, 4096 elements",
        "  start  0.0 (0x0000)",
        "  delta  0.1 (0x2E66), which is 0.0999755859375",
        "",
        "                        accumulate        multiply",
        "segments                13                13",
        "exact up to element     2                 2",
        "no change from element  2207              -",
        "same as the one before  1888, first 2208  1177, first 1282",
        "largest error           153.4 at 4095     0.125 at 3072",
        "last element            256.0             409.5",
        "",
        "The rules part at element 6.",
        "Largest distance: 614 ULP at 4095; in value 153.5 at 4095.",
        "",
    ]
    assert max(map(len, shown)) <= 80


def test_wide_numbers_still_fit_a_terminal(capsys):
    main(["explain", "sequence", "--start", "0", "--delta", "1", "--count", "10**12"])

    assert max(map(len, capsys.readouterr().out.splitlines())) <= 90


BEYOND_DOUBLE = [
    (["--start", "1e308", "--delta", "1e308", "--count", "5"], "inf at 1", "inf"),
    (["--start=-1.7e308", "--delta", "1e291", "--count", "340000000000000000"],
     "3.40000e+308 at 339999999999999999", "3.40000e+308"),
]  # fmt: skip


@pytest.mark.parametrize(("numbers", "shown", "value"), BEYOND_DOUBLE)
def test_errors_beyond_double_precision_are_shown(numbers, shown, value, tmp_path, capsys):
    command = ["explain", "sequence", "--data-type", "FLOAT64", *numbers]

    assert main(command) == 0
    assert f"largest error           {shown}" in capsys.readouterr().out

    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["rules"]["accumulate"]
    assert found["largest_error"]["value"] == value

    pytest.importorskip("matplotlib", reason="matplotlib draws the pictures; it is an extra")
    assert main([*command, "--plot", str(tmp_path / "a.svg")]) == 0


def test_the_table_of_segments_shows_fractions(capsys):
    ties = ["--start", "1023.5", "--delta", "1", "--count", "10", "--rule", "multiply"]

    assert main(["explain", "sequence", "--data-type", "FLOAT16", *ties]) == 0

    assert capsys.readouterr().out.splitlines()[-4:] == [
        "  element  count  first bits  bits per step  value",
        "        0      1      0x63FF              2  1.0235e+03",
        "        1      9    0x6400.8              1  1.024e+03",
        "  (patterns between two are rounded to the nearest, ties to the even one)",
    ]


def test_explains_the_fills_of_a_model(capsys):
    assert main(["explain", str(EXAMPLES / "published_sequence_2d.json")]) == 0

    shown = capsys.readouterr().out
    assert shown.startswith("countdown: FILL_VALUE_SEQUENCE, UINT8, 4 elements\n")
    assert "delta  254 (0xFE), counting as -2" in shown
    assert "exact up to element     3" in shown
    assert "Both rules are the same for integers." in shown


def test_constants_never_change(capsys):
    assert main(["explain", str(EXAMPLES / "published_constant.json")]) == 0
    assert main(["explain", "constant", "--value", "-0.0", "--count", "3"]) == 0

    assert capsys.readouterr().out.count("no change from element  0") == 2


def test_json_has_the_same_facts(capsys):
    assert main([*HALVES, "--count", "4096", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["rules_part_at"] == 6
    assert found["largest_ulp_distance"] == {"value": 614, "index": 4095, "exact": True}
    accumulate = found["rules"]["accumulate"]
    assert (accumulate["absorbed_at"], accumulate["last_exact"]) == (2207, 2)
    assert sum(segment["count"] for segment in accumulate["segments"]) == 4096


#: A sequence, the scale of its indices in a picture, and what is marked.
PICTURES = [
    pytest.param("0", "0.1", "10**12", "symlog", ["rules part", "absorbed"], id="the README's"),
    pytest.param("0", "0.1", "10**8", "linear", ["rules part", "absorbed"], id="a part of it"),
    pytest.param("16777214", "1", "40", "linear", ["absorbed", "rules part"], id="neighbours"),
    pytest.param("3e38", "1e38", "10**6", "symlog", ["infinite"], id="left edge"),
    pytest.param("0", "0.1", "18073726", "linear", ["rules part", "absorbed"], id="right edge"),
]


@pytest.mark.parametrize(("start", "delta", "count", "scale", "marks"), PICTURES)
def test_a_picture_shows_what_it_marks(start, delta, count, scale, marks, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib draws the pictures; it is an extra")
    plotting = importlib.import_module("indirectml.fills.plotting")
    figures = []

    def canvas(figure):
        figures.append(figure)
        return plotting.FigureCanvasAgg(figure)

    monkeypatch.setitem(plotting.CANVASES, ".png", canvas)
    arguments = ["--start", start, "--delta", delta, "--count", count]

    assert main(["explain", "sequence", *arguments, "--plot", str(tmp_path / "a.png")]) == 0

    axes = figures[0].axes[1]
    renderer = figures[0].canvas.get_renderer()
    extents = [text.get_window_extent(renderer) for text in axes.texts]
    assert axes.get_xscale() == scale
    assert [text.get_text().partition(":")[0] for text in axes.texts] == marks
    for one, other in itertools.combinations(extents, 2):
        assert not one.overlaps(other)
    assert all(axes.bbox.x0 <= each.x0 and each.x1 <= axes.bbox.x1 for each in extents)
    ticks = [tick.label1 for tick in axes.yaxis.get_major_ticks() if tick.label1.get_text()]
    shown = [tick.get_window_extent(renderer) for tick in ticks]
    shown = [each for each in shown if axes.bbox.y0 <= each.y0 and each.y1 <= axes.bbox.y1]
    assert len(shown) > 2
    for one, other in itertools.combinations(shown, 2):
        assert not one.overlaps(other)


STARTS = {".png": b"\x89PNG", ".svg": b"<?xml"}


@pytest.mark.parametrize("suffix", STARTS)
def test_draws_pictures(suffix, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib draws the pictures; it is an extra")
    path = tmp_path / f"drift{suffix}"

    assert main([*HALVES, "--count", "4096", "--plot", str(path)]) == 0
    assert main(["explain", "sequence", "--start", "0", "--delta", "inf", "--count", "3",
                 "--plot", str(tmp_path / f"inf{suffix}")]) == 0  # fmt: skip

    assert path.read_bytes().startswith(STARTS[suffix])
    if suffix == ".svg":
        assert "accumulate" in re.sub(r"<!--|-->", "", path.read_text(encoding="utf-8"))
    assert capsys.readouterr().err == ""


def test_names_of_a_model_do_not_choose_which_files_are_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib draws the pictures; it is an extra")
    fill = {
        "type": "FILL_VALUE_CONSTANT", "ValueDataType": "FLOAT32", "Value": 1,
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [4]},
    }  # fmt: skip
    names = ["../../up", "a/b", "x" * 300, "\x1b[2J", "good"]
    model = {"resources": {}, "dispatchables": dict.fromkeys(names, fill), "commands": []}
    (tmp_path / "in").mkdir()
    path = tmp_path / "in/model.json"
    path.write_text(json.dumps(model), encoding="utf-8")

    assert main(["explain", str(path), "--plot", str(tmp_path / "in/p.svg")]) == 0

    drawn = sorted(p.name for p in tmp_path.rglob("*.svg"))
    assert drawn == ["p-0-______up.svg", "p-1-a_b.svg", f"p-2-{'x' * 50}.svg", "p-3-__2J.svg",
                     "p-4-good.svg"]  # fmt: skip
    assert {p.parent.name for p in tmp_path.rglob("*.svg")} == {"in"}


def test_without_matplotlib_a_sentence_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None; "
        "from indirectml.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = [*HALVES, "--count", "9", "--plot", str(tmp_path / "a.svg")]

    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (
        2,
        (
            "indirectml: --plot: needs matplotlib, which is not installed; "
            "pip install 'indirectml[plot]'\n"
        ),
    )


WRONG = [
    pytest.param(["sequence", "--start", "0", "--delta", "1"], 2,
                 "--count: is required, from 1 up", id="no count"),
    pytest.param(["sequence", "--start", "0", "--delta", "1", "--count", "9", "--plot", "a.gif"],
                 2, "--plot: needs a .svg or .png file, got a.gif", id="suffix"),
    pytest.param(["nothing.json"], 3, "nothing.json: No such file or directory", id="no file"),
    pytest.param([str(EXAMPLES / "fill_value_sequence.json"), "--dispatchable", "rump"], 2,
                 f"{EXAMPLES / 'fill_value_sequence.json'}: --dispatchable: needs the name "
                 "of a dispatchable of this model, got 'rump'; did you mean 'ramp'",
                 id="no dispatchable"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG)
def test_wrong_questions_get_a_sentence(arguments, code, message, capsys):
    assert main(["explain", *arguments]) == code

    assert capsys.readouterr().err == f"indirectml: {message}\n"


@pytest.mark.parametrize(
    "subject", ["GEMM", str(EXAMPLES / "published_constant.json"), "operators"]
)
def test_a_device_that_is_not_there_is_refused_before_anything_is_told(subject, capsys):
    assert main(["explain", subject, "--device", "gpu"]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err == "indirectml: Device.name: needs the name of a device (cpu, opencl), got 'gpu'\n"
