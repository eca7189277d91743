# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev bench learning: its graphs can run, its numbers of weights match, its tables show what was seen and nothing else."""

import copy
import dataclasses
import json
import types

import pytest
from attempt import attempt, found_runs, settings_of
from engine import Engine
from field import field, state_numbers
from graphs import of_data, on_a_task
from running import ROOT, program, slow, small_text
from runs import Record
import context
import mru_lm
import pair
import shakespeare
import tables
import texts
import tracking
from trials import TASKS

PARITY = TASKS["parity"]
RNN = next(trial for trial in PARITY.trials if trial.cell.title == "RNN")


@pytest.fixture(scope="module")
def engine():
    return Engine(program(), 1)


def test_what_the_program_does_not_know_is_not_trained(engine, tmp_path):
    document = copy.deepcopy(on_a_task(PARITY, RNN.cell, PARITY.settings(RNN)))
    document["graph"]["nodes"][0]["params"]["future"] = 1
    file = tmp_path / "of-a-later-version.unroll"
    file.write_text(json.dumps(document))
    with pytest.raises(SystemExit, match="has no parameter future"):
        engine.train(file, tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()


def can_run(engine, file, task, trial):
    file.write_text(json.dumps(on_a_task(task, trial.cell, task.settings(trial))))
    return engine.parameters(file) > 0


def test_every_task_can_run(engine, tmp_path):
    for task in TASKS.values():
        assert can_run(engine, tmp_path / "trial.unroll", task, task.trials[0]), task.title


@slow
def test_every_cell_can_run(engine, tmp_path):
    for task in TASKS.values():
        for trial in task.trials:
            assert can_run(engine, tmp_path / "trial.unroll", task, trial), f"{task.title}: {trial.cell.title}"


def test_titles_tell_the_cells_of_a_task_apart():
    for task in TASKS.values():
        titles = [trial.cell.title for trial in task.trials]
        assert len(set(titles)) == len(titles), task.title
    assert len({cell.title for cell in shakespeare.CELLS}) == len(shakespeare.CELLS)


def test_shakespeare_names_what_was_not_run_in_one_line(tmp_path):
    record, (known, *others) = Record(tmp_path / "runs.json"), shakespeare.CELLS
    record.add({"task": "shakespeare", "cell": known.title, "seed": 1, "settings": shakespeare.settings_of(known, shakespeare.CELLS[known]),
                "figures": {"loss": 1.5}, "parameters": 10, "mlp": 8, "rate": 1e-3, "seconds": 1.0, "date": "2026-01-01", "machine": "a", "threads": 1})
    made = shakespeare.table(record, None)
    assert f"Not run: {'; '.join(cell.title for cell in others)}." in made.splitlines()
    assert "| not run |" not in made and f"| {known.title} | 1.500 |" in made and f"\n| {others[0].title} |" not in made


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.title, marks=() if cell.block == "lrumml" else slow) for cell in shakespeare.CELLS])
def test_the_frame_holds_as_many_weights_with_every_cell(engine, tmp_path, cell):
    text = str(small_text(tmp_path / "text.txt"))
    _, wanted = shakespeare.of_this_width(engine, tmp_path, shakespeare.ATTENTION, 512, text, 1e-3, shakespeare.TRAINING)
    _, found, _ = shakespeare.matched(engine, tmp_path, cell, text, 1e-3)
    assert abs(found / wanted - 1) <= shakespeare.MATCH


def test_a_run_that_was_broken_off_goes_on(tmp_path):
    told = []
    engine = types.SimpleNamespace(train=lambda *words: told.append("train"), go_on=lambda run: told.append("go on"))
    shakespeare.train_or_go_on(engine, "a file", tmp_path / "run", 1)
    (tmp_path / "run" / "checkpoints").mkdir(parents=True)
    shakespeare.train_or_go_on(engine, "a file", tmp_path / "run", 1)
    assert told == ["train", "go on"]


def test_an_attempt_goes_into_the_record_and_the_table(engine, tmp_path):
    trial = dataclasses.replace(RNN, training={"steps": 3})
    task = dataclasses.replace(PARITY, trials=(trial,), seeds=(1,))
    record = Record(tmp_path / "runs.json")
    record.add(attempt(engine, task, trial, 1, "here"))
    again = Record(tmp_path / "runs.json")
    [[run]] = found_runs(again, task)
    assert set(run["figures"]) == set(PARITY.examinations) and run["machine"] == "here" and run["parameters"] > 0
    assert "| RNN |" in tables.table(task, [[run]]) and "not run" not in tables.table(task, [[run]])
    assert found_runs(again, PARITY)[PARITY.trials.index(RNN)] == []  # other settings: not that run


def test_longer_sequences_are_what_is_examined(engine, tmp_path):
    file = tmp_path / "trial.unroll"
    file.write_text(json.dumps(on_a_task(PARITY, RNN.cell, dict(PARITY.settings(RNN), steps=1))))
    engine.train(file, tmp_path / "run", 1)
    for settings in PARITY.examinations.values():
        assert engine.examine(tmp_path / "run", of_data(settings))["targets"] == settings["evaluation_sequences"]


def run_of(trial, **more):
    return {"task": "parity", "cell": trial.cell.title, "seed": 1, "settings": settings_of(PARITY, trial), "notes": [], "parameters": 1000, "seconds": 9.0,
            "threads": 2, "date": "2026-01-01", "machine": "here", **more}


def test_the_worst_seed_counts_and_what_diverged_did_not_learn():
    right = dict.fromkeys(PARITY.examinations, 1.0)
    found = [[] for _ in PARITY.trials]
    assert tables.table(PARITY, found).count("not run") == len(PARITY.trials)
    found[PARITY.trials.index(RNN)] = [run_of(RNN, figures=right), run_of(RNN, seed=2, figures=dict(right, **{"256 bits": 0.5}))]
    line = next(line for line in tables.table(PARITY, found).splitlines() if line.startswith("| RNN |"))
    assert "| 1.000 | 1.000 | 0.500 |" in line and "**theory says otherwise**" in line
    found[PARITY.trials.index(RNN)] = [run_of(RNN, figures=right)]
    assert "learns, as in theory" in tables.table(PARITY, found)
    assert "seed 2 not run; seed 3 not run" in tables.table(PARITY, found)
    assert not tables.learned(PARITY, [run_of(RNN, figures={})])
    adding = TASKS["adding"]
    assert tables.learned(adding, [run_of(RNN, figures={"as trained": adding.good})])
    assert not tables.learned(adding, [run_of(RNN, figures={"as trained": 0.1})])


def parity_figures(*values):
    return dict(zip(PARITY.examinations, values, strict=True))


def test_what_theory_forbids_must_fail_at_every_length_beyond_training():
    trial = next(trial for trial in PARITY.trials if trial.cell.title == "GRUMML")
    by_heart, nothing = run_of(trial, figures=parity_figures(1.0, 0.5, 0.5)), run_of(trial, figures={})
    assert tables.as_expected(PARITY, trial, [by_heart, nothing])
    assert tables.verdict(PARITY, trial, [by_heart]) == "fails, as in theory"
    for figures in (parity_figures(1.0, 0.8, 0.5), parity_figures(1.0, 0.5, 0.8)):
        in_part = run_of(trial, figures=figures)
        assert not tables.as_expected(PARITY, trial, [by_heart, in_part])
        assert tables.verdict(PARITY, trial, [in_part]) == "learns in part; **theory says otherwise**"
    for task in TASKS.values():
        assert task.poor is not None or all(trial.learns is not False for trial in task.trials), task.title


def test_ldu_must_fail_at_parity_and_the_norm_monitor_must_say_why():
    trial = next(trial for trial in PARITY.trials if trial.cell.title == "MRU, ldu")
    failed = parity_figures(1.0, 0.5, 0.5)
    assert tables.as_expected(PARITY, trial, [run_of(trial, figures=failed, notes=[tables.GROWS])])
    assert not tables.as_expected(PARITY, trial, [run_of(trial, figures=failed)])
    assert not tables.as_expected(PARITY, trial, [run_of(trial, figures=parity_figures(1.0, 1.0, 1.0), notes=[tables.GROWS])])


def test_parameters_grow_with_the_context_as_the_table_says(engine, tmp_path):
    text, file = str(small_text(tmp_path / "text.txt")), tmp_path / "context.unroll"

    def parameters(kind, k):
        file.write_text(json.dumps(context.experiment(kind, k, text)))
        return engine.parameters(file)

    linear, logarithmic, constant = ({k: parameters(kind, k) for k in (2, 4, 8, 16)} for kind in ("MLP", "dilated", "GRU"))
    assert linear[16] - linear[8] == 2 * (linear[8] - linear[4]) == 4 * (linear[4] - linear[2]) > 0
    assert logarithmic[16] - logarithmic[8] == logarithmic[8] - logarithmic[4] == logarithmic[4] - logarithmic[2] > 0
    assert len(set(constant.values())) == 1


def test_the_table_against_context_shows_what_was_seen(engine, tmp_path):
    found = context.of_ngrams(engine, tmp_path, str(small_text(tmp_path / "text.txt")))
    assert list(found) == list(range(1, len(found) + 1)) and found[2]["loss"] < found[1]["loss"]
    record = Record(None)
    record.add(context.noted("n-gram", 1, 1, engine, "here", {"parameters": 12345, "figures": {"loss": 2.5}, "seconds": 0}))
    made = context.table(record)
    assert "| 1 | 12,345 | 2.500 | n/a |  | n/a |  | not run |  |" in made and made.startswith(context.BEGIN)
    page = tracking.into("head\n" + made + "tail\n", "new\n", context.BEGIN, context.END)
    assert page == "head\nnew\ntail\n"


@pytest.mark.parametrize("cell", mru_lm.CELLS)
def test_mru_lm_is_of_the_published_size(cell, engine, tmp_path):
    """As model.py of mru-lm counts them: a table, which is the head's matrix too, 13 norms without bias, and six times both branches."""
    file, text = tmp_path / "mru.unroll", small_text(tmp_path / "text.txt")
    file.write_text(json.dumps(mru_lm.experiment(cell, str(text))))
    width, square = mru_lm.WIDTH, mru_lm.WIDTH**2
    branch = 2 * square + 6 * 8 * 8 if cell == "MRU" else 4 * square
    assert engine.parameters(file) == (len(set(text.read_text())) + 13) * width + 6 * (branch + 8 * square)
    record = Record(None)
    record.add({"task": "mru-lm", "cell": cell, "seed": 1, "settings": mru_lm.settings_of(cell), "notes": [], "threads": 1, "date": "2026-01-01", "machine": "here",
                "seconds": 5, "parameters": 1, "figures": {"200": 2.25}})
    assert "| 200 | " in mru_lm.table(record) and "2.250" in mru_lm.table(record)
    assert mru_lm.curve([{"step": 200, "loss": 2.3}, {"step": 200, "val/loss": 2.2}]) == {200: 2.2}


@pytest.mark.parametrize(("cell", "name"), [("MRU", "mru-lm"), ("transformer", "mru-lm-transformer")])
def test_mru_lm_of_the_gallery_is_that_of_the_measurement(cell, name):
    bundled = json.loads((ROOT / "resources" / "experiments" / f"{name}.unroll").read_text(encoding="utf-8"))
    measured = mru_lm.experiment(cell, "")

    def blocks(graph):
        """Of every node in order, groups within: its block and parameters."""
        return [(node["block"], node.get("params", {}), blocks(node["group"]) if "group" in node else []) for node in graph["nodes"]]

    measured["graph"]["nodes"][0]["params"].pop("file")
    assert blocks(bundled["graph"]) == blocks(measured["graph"])
    own = {"sample_every", "checkpoint_every"}
    assert {key: value for key, value in bundled["training"].items() if key in mru_lm.TRAINING.keys() - own} == {
        key: value for key, value in mru_lm.TRAINING.items() if key not in own
    }
    table = ["embedding.table -> head.table"]
    assert [wire for wire in bundled["graph"]["wires"] if ".table" in wire] == table == [wire for wire in measured["graph"]["wires"] if ".table" in wire]


def timed(speeds, build, behind=0):
    """A record of the cells in their order. behind: in how many rounds those that are ahead by little are not."""
    record = Record(None)
    for cell, speed in zip(shakespeare.CELLS, speeds, strict=True):
        record.add({"task": "shakespeare speed", "cell": cell.title, "seed": 1, "settings": shakespeare.settings_of(cell, shakespeare.CELLS[cell]),
                    "notes": [], "threads": 2, "date": "2026-01-01", "machine": "here", "tokens_per_s": speed,
                    "times_attention": [speed / speeds[0] - 0.02, speed / speeds[0], speed / speeds[0] + 0.02], "memory_mb": 200, "build": build,
                    "rounds_behind": 0 if speed > 1.02 * speeds[0] else behind if speed > speeds[0] else shakespeare.ROUNDS})
    return record


def test_speeds_are_judged_by_the_block_and_within_one_build():
    slow_ones = len(shakespeare.CELLS) - 4
    # The three makers of the MRU are one block.
    two_blocks = timed([100, 110, 110, 110, *[90] * (slow_ones - 1), 110], "new")
    assert shakespeare.blocks_ahead(two_blocks, "new") == (["lstm", "mru"], ["lstm", "mru"])
    assert "**3 are asked for**" in shakespeare.table(two_blocks, "new")
    assert not shakespeare.are_enough(shakespeare.blocks_ahead(two_blocks, "new"))
    nearly_all = [100, *[101] * (len(shakespeare.CELLS) - 2), 110]
    by_median, beyond_chance = shakespeare.blocks_ahead(timed(nearly_all, "new", behind=2), "new")
    assert shakespeare.are_enough((by_median, beyond_chance)) and beyond_chance == ["lstm"]
    by_median, beyond_chance = shakespeare.blocks_ahead(timed(nearly_all, "new", behind=1), "new")
    assert beyond_chance == by_median
    good = timed([100, *[110] * (len(shakespeare.CELLS) - 1)], "new")
    assert "as asked" in shakespeare.table(good, "new") and ", another build" not in shakespeare.table(good, None)
    assert shakespeare.blocks_ahead(good, "newer") is None
    assert shakespeare.table(good, "newer").count("110, another build") == len(shakespeare.CELLS) - 1


def test_a_build_is_told_by_the_program_and_its_kernels(tmp_path):
    cli, kernels = tmp_path / "app" / "cli" / "unroll-cli", tmp_path / "core" / "libunroll_kernels.so"
    builds = set()
    for file, words in ((cli, "a"), (kernels, "b"), (kernels, "c"), (cli, "d")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words)
        builds.add(Engine(cli, 1).build)
    assert len(builds) == 4


def test_a_record_keeps_one_run_a_line_and_the_newest_of_each(tmp_path):
    record = Record(tmp_path / "runs.json")
    for seconds in (9.0, 8.0):
        record.add(run_of(RNN, figures={}, seconds=seconds))
    assert [run["seconds"] for run in json.loads((tmp_path / "runs.json").read_text())] == [8.0]
    assert record.of("parity", "RNN", "other settings") == []


def test_programs_that_add_to_one_file_keep_what_the_others_added(tmp_path):
    first, second = Record(tmp_path / "runs.json"), Record(tmp_path / "runs.json")
    first.add(run_of(RNN, figures={}))
    second.add(run_of(RNN, figures={}, seed=2))
    first.add(run_of(RNN, figures={}, seed=3))
    assert [run["seed"] for run in json.loads((tmp_path / "runs.json").read_text())] == [1, 2, 3]
    assert [path.name for path in tmp_path.iterdir()] == ["runs.json"]
    settings = settings_of(PARITY, RNN)
    assert first.has("parity", "RNN", settings, 2) and not first.has("parity", "RNN", settings, 4) and not first.has("parity", "RNN", "others", 2)


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.title, marks=() if cell.block == "lru" else slow) for cell in tracking.CELLS])
def test_the_frame_of_tracking_holds_as_many_weights_with_every_cell(engine, tmp_path, cell):
    for data in tracking.DATA:
        _, wanted = tracking.of_this_width(engine, tmp_path, data, tracking.ATTENTION, tracking.DENSE)
        _, found, _ = tracking.matched(engine, tmp_path, data, cell)
        assert abs(found / wanted - 1) <= tracking.MATCH


def test_what_units_track_goes_from_the_run_into_the_page(engine, tmp_path):
    data = dataclasses.replace(tracking.PARITY, training={"steps": 4, "batch": 8, "threads": 1})
    found = tracking.train_once(engine, tmp_path, data, tracking.CELLS[1], 1)
    assert set(found["features"]) == set(data.features) and found["figures"]["loss"] > 0
    record = Record(None)
    run = {"task": "tracking parity", "cell": "GRU", "seed": 1, "settings": tracking.settings_of(tracking.PARITY, tracking.CELLS[1]), "threads": 1,
           "date": "2026-01-01", "machine": "here", **found}  # fmt: skip
    record.add(run)
    page = tracking.into("# Page\n", tracking.table(record))
    assert "| GRU | 1 |" in page and page.count("Not run.") == 2
    again = tracking.into(page + "Behind.\n", tracking.table(Record(None)))
    assert again.startswith("# Page\n") and again.endswith("Behind.\n") and "| GRU |" not in again and again.count(tracking.BEGIN) == 1


def test_entries_say_what_is_tracked_and_since_when():
    feature = {"kind": "AUC", "score": 0.973, "chance": 0.61, "found": 5, "units": 3, "since": 150}
    assert tracking.entry(feature) == "0.97 (0.61), 3 since 150"
    assert tracking.entry(dict(feature, kind="r", score=0.5, units=0, since=None)) == "r 0.50 (0.61)"
    assert tracking.entry(dict(feature, found=0, score=0.6)) == "- 0.60 (0.61)"
    assert tracking.entry(None) == "n/a"
    assert tracking.number_of("37 of lstm_2: AUC 0.008") == ("AUC", 0.992) and tracking.number_of("4 of gru: r -0.500") == ("r", 0.5)


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.title, marks=() if cell.block == "rwkv7" else slow) for cell in texts.CELLS])
def test_the_frame_of_the_texts_holds_as_many_weights_with_every_cell(engine, tmp_path, cell):
    _, costs = texts.matched(engine, tmp_path, texts.TEXTS[0], cell, {})
    assert costs["flops"] > costs["parameters"] and state_numbers(engine, cell, texts.WIDTH) > 0


def test_a_text_is_named_with_its_file(tmp_path):
    text, at_hand, names = texts.chosen(["lstm", "gru"], None)
    assert text == at_hand == texts.TEXTS[0] and names == ["lstm", "gru"]
    text, at_hand, names = texts.chosen(["king-james", "lstm"], tmp_path / "kjv.txt")
    assert names == ["lstm"] and at_hand.params == {**text.params, "file": str(tmp_path / "kjv.txt")}
    assert texts.settings_of(text, texts.CELLS[0]) == texts.settings_of(texts.chosen(["king-james"], tmp_path / "other.txt")[0], texts.CELLS[0])
    with pytest.raises(SystemExit, match="Tiny Shakespeare in small: name its file by --data"):
        texts.chosen(["shakespeare"], None)


def test_the_state_is_counted_by_the_formula_with_the_parameters_that_are_set(engine):
    cells = {cell.title: cell for cell in field(128, 4)}
    assert state_numbers(engine, cells["sLSTM"], 128) == 4 * 128 and state_numbers(engine, cells["GLA"], 128) == 128 * 32
    assert state_numbers(engine, cells["LSTM"], 128) == 2 * 128  # num_layers is the program's


def test_the_texts_are_sorted_by_loss_and_by_speed():
    record, text = Record(None), texts.TEXTS[0]
    for title, loss, seconds, seed in (("GRU", 1.5, 10.0, 1), ("RNN", 1.9, 5.0, 1), ("LSTM", 1.4, 20.0, 1), ("LSTM", 1.3, 20.0, 2)):
        cell = next(cell for cell in texts.CELLS if cell.title == title)
        record.add({"task": "fables", "cell": title, "seed": seed, "settings": texts.settings_of(text, cell), "parameters": 108_000, "state": 128, "flops": 2e5,
                    "tokens": 256_000, "seconds": seconds, "threads": 1, "date": "2026-01-01", "machine": "here", "figures": {"loss": loss}})  # fmt: skip
    by_loss, by_speed = texts.section(record, text).split("By speed:")
    assert by_loss.index("| LSTM | 1.350 | 0.100 |") < by_loss.index("| GRU | 1.500 | 0.000 |") < by_loss.index("| RNN |")
    assert by_speed.index("| RNN |") < by_speed.index("| GRU |") < by_speed.index("| LSTM |")
    assert "Not run: sLSTM" in by_speed and "| RNN | 51,200 |" in by_speed
    made = texts.table(record)
    assert made.count("Not run.") == 2 and made.startswith(texts.BEGIN) and made.endswith(texts.END + "\n")


def test_shakespeare_is_sorted_by_loss_and_by_speed():
    record = timed([100, *[90] * (len(shakespeare.CELLS) - 2), 110], "new")
    for title, loss in (("GRU", 1.5), ("Mamba", 1.4)):
        cell = next(cell for cell in shakespeare.CELLS if cell.title == title)
        common = {"cell": title, "seed": 1, "settings": shakespeare.settings_of(cell, shakespeare.CELLS[cell]), "parameters": 800_000, "threads": 2, "date": "2026-01-01", "machine": "here"}
        record.add({"task": "shakespeare", "figures": {"loss": loss}, "mlp": 512, "rate": 2e-3, "seconds": 60, **common})
        record.add({"task": "shakespeare costs", "state": 1024, "flops": 1.6e6, **common})
    by_loss, by_speed = shakespeare.table(record, "new").split("By speed:")
    assert by_loss.index("| Mamba | 1.400") < by_loss.index("| GRU | 1.500") < by_loss.index("Not run: ") < by_loss.index("LSTM")
    assert "| 1,024 | 1,600,000 |" in by_loss and by_speed.index("| LSTM | 110") < by_speed.index("| attention | 100") < by_speed.index("| GRU | 90")


def test_the_matmul_free_pair_differs_in_its_maps_alone(engine, tmp_path):
    free, full = (pair.experiment(name) for name in pair.FILES)
    assert free["training"] == full["training"]
    sizes = []
    for name in pair.FILES:
        (tmp_path / "pair.unroll").write_text(json.dumps(pair.experiment(name)))
        sizes.append(engine.parameters(tmp_path / "pair.unroll"))
    assert abs(sizes[0] / sizes[1] - 1) < 0.02
    record = Record(None)
    for seed, loss in ((1, 0.8), (2, 0.9)):
        record.add({"task": "pair", "cell": "char-matmul", "seed": seed, "settings": pair.settings_of("char-matmul"), "parameters": 1_090_459, "flops": 2e6, "threads": 1,
                    "date": "2026-01-01", "machine": "here", "seconds": 1.0, "figures": {"loss": loss}})  # fmt: skip
    lines = pair.table(record).splitlines()
    assert any("| 0.8500 (0.8000 to 0.9000) | 1,090,459 |" in line for line in lines) and any(line.startswith("| char-matmul-free |") and "not run" in line for line in lines)
