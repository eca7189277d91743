# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's table, JSON and section of the document, from a run at sizes at which nothing is to be learnt."""

import contextlib
import dataclasses
import io
import json
import math
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import time
import types
from unittest import mock

import pytest
import torch

from cases import families
from kinds import COMPILED, CPU, CUDA, FORMULA, LOOP, MODES, PACKAGE, PRODUCTS, UNROLL
from measuring import Measuring
from processes import OverLimit, Settings, answered, run
from record import OfAnotherMachine, Record, Row
from report import BEGIN, END, GPU_BEGIN, GPU_END, document, write_into
from targets import Ahead, Outcome, Share, outcomes
from timing import Processor, Turns

PROGRAM = pathlib.Path(__file__).parents[2] / "bench" / "peers"


def program(*words, code=None):
    """In this process, which has imported torch already."""
    said, erred, handler, ended = io.StringIO(), io.StringIO(), signal.getsignal(signal.SIGTERM), 0
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(erred), mock.patch.object(sys, "argv", [str(PROGRAM), *map(str, words)]):
            runpy.run_path(str(PROGRAM), run_name="__main__")
    except SystemExit as end:
        ended, words_at_the_end = (end.code, "") if isinstance(end.code, int) else (1, end.code)
        erred.write(words_at_the_end)
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert code is None or ended == code, said.getvalue() + erred.getvalue()
    return types.SimpleNamespace(returncode=ended, stdout=said.getvalue(), stderr=erred.getvalue())


@pytest.fixture(scope="module")
def place(library, tmp_path_factory):
    """A folder with the files of a run in two pieces."""
    folder = tmp_path_factory.mktemp("peers")
    common = ("--tiny", "--quick", "--threads", 1, "--library", library, "--json", folder / "peers.json", "--table", folder / "peers.md")
    first = program(*common, "--only", "gated_scan", "--rounds", 2)
    second = program(*common, "--only", "matrix_scan", "--peer", "loop", "--rounds", 1)
    (folder / "printed.txt").write_text(first.stdout + second.stdout)
    assert first.returncode in (0, 1) and (first.returncode == 1) == ("MISSED" in first.stdout), first.stderr
    assert second.returncode in (0, 1), second.stderr
    return folder


def rows_of(place):
    return [Row(**row) for row in json.loads((place / "peers.json").read_text())["rows"]]


def test_json(place):
    held = json.loads((place / "peers.json").read_text())
    assert held["machine"]["cores"] > 0 and held["versions"]["torch"] and held["memory"] and held["threads"] == 1
    rows = rows_of(place)
    assert {row.case for row in rows} == {"gated_scan", "matrix_scan"}
    assert {row.mode for row in rows} == set(MODES)
    for row in (row for row in rows if not row.problem):
        assert len(row.seconds) == len(row.ours) == len(row.copy) == len(row.others) == (2 if row.case == "gated_scan" else 1)
        assert row.samples >= 2 * len(row.seconds) and min(row.seconds) > 0 and row.error < 1e-4
        assert row.bytes == math.prod(row.size) * {("gated_scan", 0): 20, ("gated_scan", 1): 52, ("matrix_scan", 0): 24, ("matrix_scan", 1): 72}[
            row.case, MODES.index(row.mode)]
    assert {row.kind for row in rows if row.case == "matrix_scan"} == {UNROLL, LOOP}, "--peer chooses"
    assert not any(row.kind == COMPILED for row in rows), "--quick leaves torch.compile out"


def test_printed(place):
    printed = (place / "printed.txt").read_text()
    for words in ("gated_scan (33, 2, 5)", "matrix_scan (2, 1, 33, 3)", "PyTorch loop: step by step", "% of copy", "Targets", "not measured"):
        assert words in printed


def test_table(place):
    table = (place / "peers.md").read_text()
    lines = [line for line in table.splitlines() if line.startswith("|")]
    widths = {line.count("|") for line in lines}
    assert widths == {lines[0].count("|"), 8}, "two tables, every row as wide as its head"
    for row in (row for row in rows_of(place) if row.kind == LOOP and row.mode == MODES[1]):
        assert f"({row.ratio:.1f}×), step by step" in table


def test_section_of_the_document(place):
    document = place / "document.md"
    document.write_text(f"# Figures\n\nBefore.\n{BEGIN}\nold\n{END}\nAfter.\n")
    for _ in range(2):  # again: it is replaced, not added
        program("--docs", "--json", place / "peers.json", "--document", document, code=0)
    text = document.read_text()
    assert text.startswith(f"# Figures\n\nBefore.\n{BEGIN}\n") and text.endswith(f"{END}\nAfter.\n")
    assert text.count("| gated_scan (33, 2, 5) | forward |") == 1 and "old" not in text


def test_document_without_a_place(place):
    assert "--document PAGE" in program("--docs", "--json", place / "peers.json", code=2).stderr
    document = place / "other.md"
    document.write_text("# Figures\n")
    assert "has no place for the table" in program("--docs", "--json", place / "peers.json", "--document", document, code=1).stderr
    assert document.read_text() == "# Figures\n"


def test_nothing_chosen(library):
    assert "No case holds 'perceptron'" in program("--tiny", "--library", library, "--only", "perceptron", code=1).stderr


def test_library_is_asked_for(tmp_path):
    assert "libunroll_kernels.so" in program("--quick", "--library", tmp_path / "none.so", code=2).stderr
    assert "needs --json" in program("--docs", code=2).stderr


def test_time_limit(library, tmp_path):
    settings = Settings("tiny", seconds=0, least=1, rounds=1, limit=0.05, threads=1, library=library, copy_mb=1)
    case = families("tiny")[0][0]
    with pytest.raises(OverLimit):
        run([(case, case.forms[:1])], settings, tmp_path, limit=settings.limit)


def test_the_limit_is_of_a_processor_not_of_the_clock():
    """A machine that does other things besides takes no time from what is compiled."""
    program = "import sys, time; time.sleep(1.2); print(sys.stdin.read())"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert answered(process, "order", limit=0.8)[0] == "order\n"


def row(kind, seconds, ours=(), **more):
    return Row("gated_scan", [2, 3, 4], kind, kind, MODES[1], seconds=list(seconds), ours=list(ours), copy=[1e9] * len(seconds),
               **{"bytes": 4_000_000, "others": [0.0] * len(seconds), **more})


def test_figures_favour_the_peer():
    peer = row(LOOP, [0.030, 0.024, 0.050], ours=[0.004, 0.009, 0.005])
    assert peer.ratio == pytest.approx(0.024 / 0.005)
    assert row(UNROLL, [0.004, 0.009, 0.005]).counts == 0.005
    assert row(UNROLL, [0.004, 0.016, 0.008]).share == pytest.approx(0.5)
    disturbed = row(UNROLL, [0.004, 0.040, 0.050], others=[0.05, 0.5, 0.3])
    assert disturbed.counts == 0.004 and disturbed.share == pytest.approx(1.0)
    assert row(UNROLL, [0.040, 0.050], others=[0.5, 0.3]).counts == 0.050, "all disturbed: the least"
    assert row(PACKAGE, []).ratio is None and row(PACKAGE, []).share is None


def test_targets():
    rows = [row(UNROLL, [0.008]), row(LOOP, [0.056], ours=[0.008]), row(COMPILED, [], problem="not done after 120 s.")]
    found = {(type(o.target), o.target.least): o.verdict for o in outcomes(Record({}, rows))}
    assert found == {(Share, 0.6): "MISSED", (Ahead, 6): "met", (Ahead, 3): "not measured"}
    assert Outcome(Ahead("x", 2, (LOOP,)), (1,), 2.0).met is True


def test_products_alone_bound_a_layer():
    def layer(kind, seconds, ours=()):
        return Row("SRU layer", [2, 3, 4], kind, kind, MODES[1], seconds=seconds, ours=list(ours), others=[0.0] * len(seconds))

    rows = [layer(UNROLL, [0.050]), layer(PACKAGE, [0.160, 0.150], [0.050, 0.050]), layer(PRODUCTS, [0.045, 0.040], [0.050, 0.050])]
    (found,) = outcomes(Record({}, rows))
    assert (found.verdict, found.texts()[-3:]) == ("MISSED", ("5.00x", "3.00x", "3.75x"))
    (without,) = outcomes(Record({}, rows[:2]))
    assert without.most is None and without.texts()[-1] == ""


@pytest.mark.parametrize("name, products", (("SRU layer", 3), ("RNN layer", 2), ("GRU layer", 6), ("LSTM layer", 8)))
def test_products_alone_are_all_of_a_layers(library, name, products):
    torch.ops.load_library(library)
    case = next(case for family in families("tiny") for case in family if case.name == name)
    (form,) = (form for form in case.forms if form.kind == PRODUCTS)
    width = case.size[-1]
    assert form.prepare(case.draw()).call().shape == (*case.size[:2], products * width)


FACTS = {"machine": {}, "versions": {}, "memory": {}, "threads": 2, "build": "new"}


class Worker:
    """In the place of the processes: every form takes a second."""

    def __init__(self, monkeypatch):
        self.asked = []
        monkeypatch.setattr("measuring.run", self)

    def __call__(self, pairs, settings, cache, *, timed=True, **more):
        self.asked.append([form.name for _, forms in pairs for form in forms])
        figures = {mode: {"seconds": 1.0, "copy": 1e9, "others": 0.0, "samples": 3} for mode in MODES if timed}

        def found(form):
            return {"form": form.name, "kind": form.kind, "error": 1e-7, "compile_s": 9.0 if form.kind == COMPILED else None, **figures}

        return [{"case": case.title, "forms": [found(form) for form in forms]} for case, forms in pairs]


def measuring(record, cache_is_kept=False):
    settings = Settings("tiny", seconds=0, least=1, rounds=2, limit=1, threads=1, library="", copy_mb=1)
    return Measuring(record, settings, "", cache_is_kept, contextlib.nullcontext)


def test_a_run_goes_on_where_it_was_broken_off(monkeypatch):
    worker, record, case = Worker(monkeypatch), Record(FACTS), families("tiny")[0][0]
    ours, loop, whole = case.forms[:3]
    assert (ours.kind, loop.kind, whole.kind) == (UNROLL, LOOP, COMPILED)

    measuring(record).time([(case, [ours, loop])])
    assert worker.asked == [["Unroll", loop.name]] * 2
    worker.asked.clear()
    everything = [(case, [ours, loop, whole])]
    measuring(record).compile(everything)
    measuring(record).time(everything)
    assert worker.asked == [["whole loop"], ["Unroll", "whole loop"], ["Unroll", "whole loop"]], "what is there is not measured again"
    assert record.processes(case, ours) == 4 and record.processes(case, loop) == 2
    worker.asked.clear()
    measuring(record).compile(everything)
    measuring(record).time(everything)
    assert not worker.asked

    record.forget([(case, whole)])
    assert record.without_uncompiled(everything) == [(case, [ours, loop])]
    measuring(record, cache_is_kept=True).compile(everything)
    assert worker.asked == [["whole loop"]], "forgotten, so that compiling is counted anew"


def test_figures_of_another_build_give_way(monkeypatch):
    worker, case = Worker(monkeypatch), families("tiny")[0][0]
    pairs = [(case, [case.forms[0], case.forms[2]])]
    old = Record({**FACTS, "build": "old"})
    measuring(old).compile(pairs)
    measuring(old).time(pairs)
    worker.asked.clear()

    record = Record(FACTS).after(old)
    assert record.processes(case, case.forms[0]) == 0 and record.of(case.name, case.size)[0].seconds == [1.0, 1.0]
    measuring(record, cache_is_kept=True).compile(pairs)
    assert not worker.asked, "peers know nothing of our build"
    measuring(record, cache_is_kept=True).time(pairs)
    assert len(worker.asked) == 2 and {row.build for row in record.rows.values()} == {"new"}
    assert {row.compile_s for row in record.rows.values() if row.kind == COMPILED} == {9.0}


def test_what_failed_is_not_tried_again(monkeypatch):
    case = families("tiny")[0][0]
    record, pairs = Record(FACTS), [(case, [case.forms[0], case.forms[2]])]

    def over_limit(*_, **__):
        raise OverLimit

    monkeypatch.setattr("measuring.run", over_limit)
    measuring(record).compile(pairs)
    assert {row.problem for row in record.rows.values()} == {"not ready after 1 s of a processor."}
    worker = Worker(monkeypatch)
    measuring(record).compile(pairs)
    measuring(record).time(pairs)
    assert worker.asked == [["Unroll"]] * 2
    worker.asked.clear()
    of_next_build = Record({**FACTS, "build": "next"}).after(record)
    measuring(of_next_build).compile(pairs)
    assert not worker.asked, "nor beside another build of ours"
    of_next_build.forget([(case, case.forms[2])])
    measuring(of_next_build).compile(pairs)
    assert worker.asked == [["whole loop"]], "until it is asked for anew"


def names(device):
    return {form.name for family in families("tiny", device) for case in family for form in case.forms}


def test_forms_of_a_device():
    """Some packages have kernels for one kind of device alone."""
    on_cpu, on_gpu = names(CPU), names(CUDA)
    assert on_gpu - on_cpu == {"accelerated-scan", "flash-linear-attention chunk_hgrn", "flash-linear-attention fused_recurrent_hgrn"}
    of_fla = {name for name in on_cpu - on_gpu if name.startswith("flash-linear-attention")}
    assert on_cpu - on_gpu - of_fla == {"sru (its C++ op)", "nn.Linear in int8"}


class Counted:
    """A clock that every call moves on by a millisecond."""

    def seconds(self, call, count):
        for _ in range(count):
            call()
        return [1e-3] * count


def test_turns_take_any_clock():
    called = []
    turns = Turns({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 0.1, 3, Counted()).run()
    assert turns.median("a") == turns.median("b") == 1e-3
    assert len(turns.samples["a"]) == 100 and called.count("a") >= 100, "by that clock, not by the wall's"
    assert len(Processor().seconds(lambda: None, 4)) == 4


GPU_FACTS = {**FACTS, "machine": {"gpu": "NVIDIA X", "processor": "Y", "cores": 16, "memory_gb": 128}}


def test_a_gpu_has_targets_and_a_section_of_its_own(tmp_path):
    def on_gpu(kind, seconds, ours=()):
        return dataclasses.replace(row(kind, seconds, ours), size=[1024, 64, 1024], date="2026-11-25")

    record = Record(GPU_FACTS, [on_gpu(UNROLL, [0.005]), on_gpu(LOOP, [0.056], [0.005])])
    found = {(type(o.target), o.target.least, o.target.mode): o.verdict for o in outcomes(record) if o.value is not None}
    assert found == {(Share, 0.7, MODES[1]): "met", (Ahead, 1, MODES[1]): "met"}
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\nof the processor\n{END}\n{GPU_BEGIN}\nnothing\n{GPU_END}\n")
    write_into(page, record)
    text = page.read_text()
    assert f"{BEGIN}\nof the processor\n{END}" in text and "NVIDIA X; Y, 16 cores" in text and "nothing" not in text


def test_gpu_is_asked_for_where_there_is_none(library, tmp_path):
    assert "libunroll_cuda.so" in program("--gpu", "--library", library, "--cuda-library", tmp_path / "none.so", code=2).stderr
    if not torch.cuda.is_available():
        assert "no GPU" in program("--gpu", "--library", library, "--cuda-library", library, code=1).stderr


def test_other_machines_have_files_of_their_own():
    with pytest.raises(OfAnotherMachine, match="its threads: 1, here: 2"):
        Record(FACTS).after(Record({**FACTS, "threads": 1}))


def test_what_a_reader_must_know():
    rows = [row(UNROLL, [0.008], build="new"), row(LOOP, [0.056], ours=[0.008], build="old"),
            row(PACKAGE, [], problem="not installed.", build="new"),
            row(COMPILED, [0.024], ours=[0.008], build="new", others=[0.3], error=2e-3, compile_s=31.4, same_values=False)]
    for each in rows:
        each.date = "2026-11-23"
    facts = {**FACTS, "machine": {"processor": "X", "cores": 2, "memory_gb": 8}, "versions": {"torch": "2.11"}}
    record = Record(facts, rows)
    form = types.SimpleNamespace(name="pscan", kind=FORMULA)
    record.expect([types.SimpleNamespace(name=name, size=(2, 3, 4), forms=[form]) for name in ("gated_scan", "minGRU")])
    text = document(record)
    assert "0.056" not in text and "| 1 | 8.00 | 4.0 | 50 % | 56.0 (7.0×), loop | 24.0 (3.0×), compiled †, compiled in 31 s |" in text
    assert "| 60 % | 50 % |  | **missed** |" in text and "| 3.00x | 3.00x |  | met |" in text
    for words in ("Not measured yet: minGRU (2, 3, 4); formulation: pscan of gated_scan (2, 3, 4).",
                  "PyTorch loop: loop: beside an earlier build", "package: not installed. (gated_scan (2, 3, 4))", "programs took at least 30 %",
                  "differ from the definition's by 2.0e-03"):
        assert words in text


def test_file(tmp_path):
    rows = [row(LOOP, [0.01235], error=1.235e-7, date="2026-11-23"), row(UNROLL, [], problem="no.")]
    record = Record(FACTS, rows)
    record.write(tmp_path / "x.json")
    held = Record.read(tmp_path / "x.json")
    assert held.facts == FACTS and len(held.rows) == 2
    loop, ours = held.rows.values()
    assert loop.seconds == [0.01235] and loop.error == 1.235e-7 and ours.problem == "no." and ours.seconds == []


def test_pieces_under_way_add_up(tmp_path):
    first, second, path = Record(FACTS), Record(FACTS), tmp_path / "x.json"
    forms = [types.SimpleNamespace(name=kind, kind=kind) for kind in (LOOP, PACKAGE)]
    second.expect([types.SimpleNamespace(name=name, size=size, forms=forms) for name, size in (("fo-pooling", (2,)), ("gated_scan", (2, 3, 4)))])
    with first.newest(path):
        first.rows = {each.key: each for each in [row(LOOP, [1.0])]}
    with second.newest(path):
        each = dataclasses.replace(row(PACKAGE, [2.0]), case="fo-pooling", size=[2])
        second.rows[each.key] = each
    found = Record.read(path)
    assert [each.case for each in found.rows.values()] == ["fo-pooling", "gated_scan"], "in the order of the cases"
    assert found.unmeasured() == [["fo-pooling", [2], LOOP, LOOP], ["gated_scan", [2, 3, 4], PACKAGE, PACKAGE]]
    with pytest.raises(ZeroDivisionError), first.newest(path):
        first.rows.clear()
        1 / 0
    assert len(Record.read(path).rows) == 2, "not written when something went wrong"


def test_leaves_nothing_running(library, tmp_path):
    """A program that is told to end ends its workers, which have sessions of their own."""
    words = [sys.executable, str(PROGRAM), "--library", library, "--eager", "--only", "LSTM layer (1024", "--json", str(tmp_path / "x.json")]
    mark = f"UNROLL_TEST_MARK={tmp_path}"
    process = subprocess.Popen(words, env={**os.environ, "UNROLL_TEST_MARK": str(tmp_path)})

    def marked():
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark.encode() in entry.read_bytes().split(b"\0"):
                    found.append(int(entry.parent.name))
            except OSError:
                pass
        return found

    wait_until(lambda: len(marked()) >= 2)
    process.terminate()
    assert process.wait(timeout=240) == 143
    wait_until(lambda: not marked())


def wait_until(true, seconds=240):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)
