"""The benchmark itself: that it runs, what it records, and what pages and pictures make of it."""

import importlib
import re
import sys
import xml.etree.ElementTree as ET

import pytest
from benchmarks import engine, networks, pages, readme
from benchmarks.__main__ import main
from benchmarks.sections import SECTIONS, threads
from benchmarks.timing import Job, measure, spread_of

from tests.native.building import ROOT, run
from tests.real_models import MODELS
from tests.samples.test_samples import SAMPLES
from tests.steps import Clock


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Return what a run of tiny sizes records."""
    path = tmp_path_factory.mktemp("record") / "speed.json"
    run(sys.executable, "-m", "benchmarks", "--smoke", "--json", path, cwd=ROOT)
    return pages.read(path)


def test_a_run_records_machine_versions_and_every_section(record):
    assert {"date", "processor", "Python", "NumPy", "IndirectML", "limit"} <= set(record["machine"])
    assert record["machine"]["effort"] == "smoke"
    assert [s["name"] for s in record["sections"]] == [module.NAME for module in SECTIONS]


def test_rows_have_medians_with_spreads_or_say_why_not(record):
    for section in record["sections"]:
        assert section["rows"]
        for row in section["rows"]:
            assert not row["failed"], row
            assert (row["value"] is None) == (row["unit"] == ""), row
            assert row["value"] is not None or row["note"], row
            assert row["ratio"] is None or row["lowest"] <= row["ratio"] <= row["highest"], row


def test_a_bar_is_met_or_not(record):
    asked = [row for section in record["sections"] for row in section["rows"] if row["bar"]]

    assert asked
    assert all(row["met"] in {True, False} for row in asked)


def test_every_picture_is_drawn_the_same_each_time_and_names_machine_and_date(record, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    from benchmarks import pictures  # noqa: PLC0415 (it needs matplotlib)

    paths, again = (pictures.draw(record, tmp_path / name) for name in ("first", "second"))

    assert [path.stem for path in paths] == [picture.name for picture in pictures.PICTURES]
    for path in paths:
        text = " ".join(" ".join(ET.parse(path).getroot().itertext()).split())  # noqa: S314
        assert record["machine"]["date"] in text
        assert record["machine"]["processor"] in text
        assert path.stat().st_size < 200_000
    assert [p.read_bytes() for p in paths] == [p.read_bytes() for p in again]


def test_labels_are_moved_apart_and_keep_their_order():
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    from benchmarks import pictures  # noqa: PLC0415 (it needs matplotlib)

    moved = pictures._apart({"c": 0.52, "a": 0.1, "b": 0.5}, 0.1)  # noqa: SLF001

    assert list(moved) == ["a", "b", "c"]
    assert moved["a"] == pytest.approx(0.1)
    assert moved["c"] - moved["b"] == pytest.approx(0.1)


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda path: path.name)
def test_pages_hold_the_recorded_figures(page):
    text = page.read_text(encoding="utf-8")

    assert "<!-- speed: " in text
    advice = "python -m benchmarks.pictures writes them again"
    assert pages.fill(text, pages.read(pages.RECORD)) == text, advice


def test_the_pages_of_speed_show_every_recorded_picture():
    text = "".join(page.read_text(encoding="utf-8") for page in pages.PAGES)
    shown = re.findall(r"\]\(pictures/([\w-]+)\.svg\)", text)

    assert sorted(shown) == sorted(path.stem for path in pages.PICTURES.glob("*.svg"))


def parts(record, keep):
    """Return a record with some of its rows and no empty section."""
    sections = [s | {"rows": [row for row in s["rows"] if keep(row)]} for s in record["sections"]]
    return record | {"sections": [s for s in sections if s["rows"]]}


@pytest.mark.parametrize(
    "keep",
    [
        pytest.param(lambda row: False, id="nothing"),
        pytest.param(lambda row: row["value"] is None, id="what could not be measured"),
        pytest.param(lambda row: row["note"] == "the limit", id="limits"),
        pytest.param(lambda row: row["group"] in {"", "constant"}, id="some panels"),
    ],
)
def test_pages_and_pictures_are_made_of_what_there_is(record, keep, tmp_path):
    few = parts(record, keep)

    for page in pages.PAGES:
        text = page.read_text(encoding="utf-8")
        assert record["machine"]["date"] in pages.fill(text, few)
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    from benchmarks import pictures  # noqa: PLC0415 (it needs matplotlib)

    assert len(pictures.draw(few, tmp_path)) < len(pictures.PICTURES)


def test_a_section_that_breaks_leaves_the_others(tmp_path, monkeypatch, capsys):
    path = tmp_path / "speed.json"
    monkeypatch.setattr(threads, "run", lambda context: 1 / 0)

    code = main(["--smoke", "--only", "threads", "thresholds", "--json", str(path)])

    assert code == 1
    assert "failed: threads: threads: could not be measured: ZeroDiv" in capsys.readouterr().out
    assert [s["name"] for s in pages.read(path)["sections"]] == ["threads", "thresholds"]


def test_a_ratio_is_how_often_the_job_could_be_done_in_the_time_of_the_limit():
    clock = Clock(tick_s=0)

    def job(what, seconds, **more):
        return Job(what, lambda: clock.sleep(seconds), clock=clock.perf_counter, **more)

    limit = job("limit", 0.25)
    jobs = [
        job("half", 0.25, scale=2, series="s", group="g", x=1),
        job("slow", 2),
        Job("theirs", "missing()", peer=True),
        Job("ours", "missing()"),
    ]

    (own, half, slow, theirs, ours), spread = measure(limit, jobs, 9, sample_s=1)

    assert (own.note, own.value, own.unit) == ("the limit", 250_000, "us")
    assert (half.ratio, half.value) == (2, 125_000)
    assert (slow.ratio, slow.samples) == (0.125, 3)
    assert (half.samples, half.series, half.group, half.x) == (9, "s", "g", 1)
    assert (theirs.failed, ours.failed) == (False, True)
    assert "cannot do it: NameError" in theirs.note
    assert spread == 1


def test_a_spread_leaves_out_the_extreme_tenths():
    assert spread_of([0.1, *[1.0] * 17, 1.5, 9.0]) == 1.0
    assert spread_of([1.0, 2.0]) == 2.0


@pytest.mark.parametrize("page", engine.PAGES, ids=lambda path: path.name)
def test_pages_hold_the_recorded_figures_of_the_engine(page):
    text = page.read_text(encoding="utf-8")

    assert "<!-- engine: " in text
    advice = "python -m benchmarks.engine --pages writes them again"
    assert engine.fill(text, pages.read(engine.RECORD)) == text, advice


def test_no_label_of_the_picture_of_the_engine_is_cut_off(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    figures, figure_module = [], importlib.import_module("matplotlib.figure")
    save = figure_module.Figure.savefig

    def kept(figure, *arguments, **options):
        figures.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(figure_module.Figure, "savefig", kept)
    engine.draw(pages.read(engine.RECORD), tmp_path / "engine.png")

    (figure,) = figures
    (axes,) = figure.axes
    canvas = importlib.import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    canvas.draw()
    labels = [axes.xaxis.label, *axes.get_yticklabels(), *figure.texts]
    for label in labels:
        box = label.get_window_extent(canvas.get_renderer())
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1, label


def test_every_work_of_the_engine_is_of_a_kind(record):
    works = {threads for _, threads, _ in engine.rows_of(record)}

    assert works <= {"1 thread", "2 threads"}
    assert {"1 thread"} <= works


def test_the_readme_has_the_recorded_figures():
    text = readme.README.read_text(encoding="utf-8")

    assert "whole networks" in text
    assert readme.filled(text) == text, "python -m benchmarks.readme writes them again"


def test_networks_that_are_not_there_are_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr(networks.logging, "disable", lambda _: None)  # for good
    with pytest.raises(SystemExit):
        networks.main(["--only", "resnet5000"])
    assert "name of a network that is there, such as 'resnet50', got 'resnet5000'" in (
        capsys.readouterr().err
    )


def test_the_page_of_networks_is_the_one_of_its_records():
    records = networks.records()

    assert networks.PAGE.read_text(encoding="utf-8") == networks.page(records)
    for record in records:
        found = record["networks"]
        assert {f"sample {n}" for n in SAMPLES} | MODELS.keys() <= found.keys()
        assert all(of["difference"] < of["bound"] for of in found.values())


def test_a_new_record_takes_the_place_of_its_processors():
    old, other, new = (
        {"machine": {"processor": name, "date": date}, "networks": {}}
        for name, date in (("one", "yesterday"), ("two", "yesterday"), ("one", "today"))
    )

    assert networks.with_newest(new, [old, other]) == [new, other]
