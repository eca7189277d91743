# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of the bundled fables, a second text beside tiny Shakespeare: the whole field in one small frame at equal numbers of weights."""

import dataclasses
import json
import math
import pathlib
import statistics
import tempfile

import graphs
import reporting
from engine import DIVERGED
from field import field, state_numbers
from runs import run_made, settings_hash
from tables import circumstances
from trials import QUIET

WIDTH, LAYERS = 64, 2
DENSE = 256  # inner width of the dense layers beside attention; beside the others it is solved for
NARROW = 8  # the inner width that weights are counted at to solve for it
EACH = 2 * WIDTH * LAYERS  # weights of a unit of the dense layers, which have no bias
MATCH = 0.02
SEEDS = [1]
TRAINING = {**QUIET, "steps": 500, "batch": 8, "learning_rate": 3e-3, "final_learning_rate": 3e-4, "beta2": 0.99, "weight_decay": 0.1, "warmup": 50,
            "schedule": "cosine", "evaluate_whole": True}  # fmt: skip
BEGIN, END = "<!-- the fables: written by ./dev bench learning --only fables -->", "<!-- end of the fables -->"


@dataclasses.dataclass(frozen=True)
class Text:
    title: str = "The bundled fables"
    source: str = "text"
    params: dict = dataclasses.field(default_factory=lambda: {"order": "windows"})
    masks: bool = False


TEXT = Text()
CELLS = field(WIDTH, LAYERS)


def windowed(cell):
    """Attention keeps as many steps as a sequence has."""
    return dataclasses.replace(cell, params={**cell.params, "window": 64}) if cell.block == "attention" else cell


def written(folder, cell, dense):
    file = folder / "fables.unroll"
    file.write_text(json.dumps(graphs.in_a_frame(TEXT, windowed(cell), WIDTH, LAYERS, dense, TRAINING)), encoding="utf-8")
    return file


def matched(engine, folder, cell, known):
    """The file, its number of weights and what a token costs. known: attention's number of weights, counted once."""
    if None not in known:
        known[None] = engine.parameters(written(folder, CELLS[-1], DENSE))
    dense = NARROW + round((known[None] - engine.parameters(written(folder, cell, NARROW))) / EACH)
    file = written(folder, cell, dense)
    costs = engine.costs(file)
    assert abs(costs["parameters"] / known[None] - 1) <= MATCH, f"{cell.title}: {costs['parameters']} weights, attention {known[None]}"
    return file, costs


def settings_of(cell):
    return settings_hash(graphs.in_a_frame(TEXT, windowed(cell), WIDTH, LAYERS, 0, TRAINING), MATCH, DENSE)


def train_once(engine, folder, cell, seed, known):
    file, costs = matched(engine, folder, cell, known)
    trained = engine.train(file, folder / "run", seed)
    last = trained.metrics[-1]
    loss = last.get("final/loss", math.nan) if trained.code != DIVERGED else math.nan
    return {"figures": {"loss": loss} if math.isfinite(loss) else {}, "tokens": last["tokens"], "seconds": trained.processor_seconds,
            "state": LAYERS * state_numbers(engine, windowed(cell), WIDTH), **costs}  # fmt: skip


def run(engine, record, options, machine):
    known = {}
    for cell in (cell for cell in CELLS if cell.is_named(options.only[1:])):
        for seed in options.seeds or SEEDS:
            if options.lacking and record.has("fables", cell.title, settings_of(cell), seed):
                continue
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(place), cell, seed, known)
            record.add(run_made(engine, machine, task="fables", cell=cell.title, seed=seed, settings=settings_of(cell), **found))
            print(f"fables {cell.title:22} seed {seed}  {found['figures'].get('loss', math.nan):.4f} nats/character  {found['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## The bundled fables

A second text, and the whole field: the next of 75 characters, {LAYERS} layers of norm, cell, sum, norm, two dense layers, sum; width {WIDTH}, windows of 64 from a
state of zeros, {TRAINING["steps"]} updates of {TRAINING["batch"]} of them (256,000 characters), AdamW, cosine from {TRAINING["learning_rate"]:g} for every cell. The
inner width of the dense layers is solved for, so that the numbers of weights are equal within {MATCH:.0%}. Nothing was tuned. So short a run tells what is learned
first, not where a cell ends. Loss: nats a character on the whole validation part. State: numbers kept between two steps, of both layers; of attention the window's
keys and values. FLOPs: of a token read (forward), as `check` counts them. Speed: characters trained on in a second of processor time of the whole program,
its start and the evaluation included: other programs ran on the same cores, so that differences of a fifth mean nothing.
"""


def rows(record):
    """A cell each that has been run, the mean of its seeds."""
    for cell in CELLS:
        runs = record.of("fables", cell.title, settings_of(cell))
        if runs:
            losses = [run["figures"].get("loss", math.nan) for run in runs]
            yield {"cell": cell.title, "loss": statistics.mean(losses), "speed": statistics.mean(run["tokens"] / run["seconds"] for run in runs), "run": runs[0],
                   "seeds": " ".join(str(run["seed"]) for run in runs)}  # fmt: skip


def table(record):
    found = list(rows(record))
    runs = [run for cell in CELLS for run in record.of("fables", cell.title, settings_of(cell))]
    lines = [BEGIN, ABOUT, *([circumstances(runs, "their mean is shown"), ""] if runs else [])]
    if not found:
        return "\n".join([*lines, "Not run.", END]) + "\n"
    by_loss = [[row["cell"], f"{row['loss']:.3f}" if math.isfinite(row["loss"]) else "diverged", f"{row['run']['parameters']:,}", f"{row['run']['state']:,}",
                f"{row['run']['flops']:,.0f}", row["seeds"]] for row in sorted(found, key=lambda row: (math.isnan(row["loss"]), row["loss"]))]  # fmt: skip
    by_speed = [[row["cell"], f"{row['speed']:,.0f}", f"{row['loss']:.3f}"] for row in sorted(found, key=lambda row: -row["speed"])]
    lacking = [cell.title for cell in CELLS if cell.title not in {row["cell"] for row in found}]
    lines += ["By loss:", "", reporting.table(["cell", "loss", "weights", "state, numbers", "FLOPs a token", "seeds"], by_loss), "",
              "By speed:", "", reporting.table(["cell", "characters a second", "loss"], by_speed), ""]  # fmt: skip
    return "\n".join([*lines, *([f"Not run: {'; '.join(lacking)}.", ""] if lacking else []), END]) + "\n"
