# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to do without matrix products: the two gallery files that differ in nothing else, at equal numbers of weights, on the bundled fables."""

import json
import math
import pathlib
import statistics
import tempfile

import reporting
from engine import DIVERGED
from runs import run_made, settings_hash
from tables import circumstances
from trials import QUIET

FILES = {"char-matmul-free": "every map ternary", "char-matmul": "full precision; of GRUMML the gates are ternary"}
EXPERIMENTS = pathlib.Path(__file__).resolve().parents[3] / "resources" / "experiments"
SEEDS = [1, 2, 3]
BEGIN, END = "<!-- what matmul-free costs: written by ./dev bench learning --only pair -->", "<!-- end of what matmul-free costs -->"


def experiment(name):
    """As bundled, evaluated once, at the end, on the whole validation part."""
    made = json.loads((EXPERIMENTS / f"{name}.unroll").read_text(encoding="utf-8"))
    made["training"].update(QUIET, evaluate_whole=True)
    return made


def settings_of(name):
    made = experiment(name)
    return settings_hash(made["training"], made["graph"])


def train_once(engine, folder, name, seed):
    file = folder / f"{name}.unroll"
    file.write_text(json.dumps(experiment(name)), encoding="utf-8")
    costs = engine.costs(file)
    trained = engine.train(file, folder / "run", seed)
    last = trained.metrics[-1]
    loss = last.get("final/loss", math.nan) if trained.code != DIVERGED else math.nan
    return {"figures": {"loss": loss} if math.isfinite(loss) else {}, "tokens": last["tokens"], "seconds": trained.processor_seconds, **costs}


def run(engine, record, options, machine):
    for name in (name for name in FILES if not options.only[1:] or name in options.only[1:]):
        for seed in options.seeds or SEEDS:
            if options.lacking and record.has("pair", name, settings_of(name), seed):
                continue
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(place), name, seed)
            record.add(run_made(engine, machine, task="pair", cell=name, seed=seed, settings=settings_of(name), **found))
            print(f"pair {name:18} seed {seed}  {found['figures'].get('loss', math.nan):.4f} nats/character  {found['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


def row(record, name):
    runs = record.of("pair", name, settings_of(name))
    losses = [run["figures"].get("loss", math.nan) for run in runs]
    if not runs:
        return [name, FILES[name], "not run"]
    shown = f"{statistics.mean(losses):.4f} ({min(losses):.4f} to {max(losses):.4f})" if all(map(math.isfinite, losses)) else "diverged"
    return [name, FILES[name], shown, f"{runs[0]['parameters']:,}", f"{runs[0]['flops']:,.0f}", " ".join(str(run["seed"]) for run in runs)]


ABOUT = f"""## What it costs to do without matrix products

Two experiments of the gallery that differ in the maps of their layers alone; embedding and output head are full-precision in both. As bundled:
{experiment("char-matmul")["training"]["steps"]:,} updates on the bundled fables. Loss: nats a character on the whole validation part, the mean of the seeds. FLOPs: of a token read (forward).
"""


def table(record):
    runs = [run for name in FILES for run in record.of("pair", name, settings_of(name))]
    rows = [row(record, name) for name in FILES]
    return "\n".join([BEGIN, ABOUT, *([circumstances(runs, "their mean is shown"), ""] if runs else []),
                      reporting.table(["experiment", "maps", "loss", "weights", "FLOPs a token", "seeds"], [[*row, *[""] * (6 - len(row))] for row in rows]), "", END]) + "\n"  # fmt: skip
