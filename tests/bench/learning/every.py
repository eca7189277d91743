# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of SRU++ needs attention: ten layers of which every one, every second, fifth, only the tenth or none attends, at equal numbers of weights; then
the same weights with a longer window at evaluation. The bundled fables, or a text named by --data."""

import hashlib
import json
import math
import pathlib
import tempfile

import graphs
import reporting
from engine import DIVERGED
from runs import run_made, settings_hash
from tables import circumstances
from trials import QUIET

LAYERS, UNITS, PROJECTION, WINDOW = 10, 128, 32, 64
NARROW = 64  # units that weights are counted at to solve for how many there are to be
MATCH = 0.02
LONGER = [3, 8]  # times the window of training
SEEDS = [1]
NONE = 0  # no layer attends
PUBLISHED = {1: 1.022, 2: 1.025, 5: 1.032, 10: 1.033, NONE: 1.190}  # bits per character of enwik8, 42 million weights
TITLES = {n: "none" if n == NONE else "every layer" if n == 1 else f"every {n}th layer" if n > 2 else "every 2nd layer" for n in PUBLISHED}
TRAINING = {**QUIET, "steps": 1500, "batch": 8, "optimizer": "radam", "learning_rate": 2e-3, "final_learning_rate": 2e-4, "beta2": 0.99, "weight_decay": 0.1,
            "warmup": 50, "schedule": "cosine", "evaluate_whole": True}  # fmt: skip
BUNDLED = "the bundled fables"
BEGIN, END = "<!-- attention in every n-th layer: written by ./dev bench learning --only every -->", "<!-- end of attention in every n-th layer -->"


def attends(every):
    """Layers with attention."""
    return 0 if every == NONE else LAYERS // every


def experiment(every, units, text):
    """text: its path; empty: the bundled fables."""
    sizes = {"units": units, "projection_size": PROJECTION, "num_layers": LAYERS}
    attention = {"attention": "none"} if every == NONE else {"attention_every_n_layers": every, "window": WINDOW}
    wiring = graphs.Wiring()
    wiring.add("text", "data", {"file": text, "order": "streams", "steps": WINDOW}, gives="tokens")
    wiring.add("embedding", "embedding", {"width": units}, reads="tokens")
    wiring.add("srupp", "srupp", {**sizes, **attention})
    wiring.add("head", "head", more=["data.targets -> head.targets"])
    return graphs.experiment(f"SRU++, attention: {TITLES[every]}", TRAINING, wiring.graph())


def counted(engine, folder, every, units, text):
    file = folder / "every.unroll"
    file.write_text(json.dumps(experiment(every, units, text)), encoding="utf-8")
    return file, engine.parameters(file)


def matched(engine, folder, every, text):
    """The file with as many units as give it the weights that attention in every layer has, its number of weights, its units."""
    wanted = counted(engine, folder, 1, UNITS, text)[1]
    low, high = (counted(engine, folder, every, units, text)[1] for units in (NARROW, UNITS))
    units = NARROW + round((wanted - low) / ((high - low) / (UNITS - NARROW)))
    file, have = counted(engine, folder, every, units, text)
    assert abs(have / wanted - 1) <= MATCH, f"{TITLES[every]}: {have} weights, every layer {wanted}"
    return file, have, units


def settings_of(every):
    """Of all but the text and the units that make the weights equal."""
    return settings_hash(experiment(every, 0, ""), UNITS, NARROW, MATCH, LONGER)


def title_of(path):
    """A text is told by its name and its content."""
    return f"{pathlib.Path(path).name} ({hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:8]})" if path else BUNDLED


def train_once(engine, folder, every, seed, text):
    file, parameters, units = matched(engine, folder, every, text)
    trained = engine.train(file, folder / "run", seed)
    figures = {}
    if trained.code != DIVERGED:
        figures = {"1": trained.metrics[-1]["final/loss"]}
        for times in LONGER if every != NONE else []:
            figures[str(times)] = engine.examine(folder / "run", {"srupp.window": times * WINDOW})["loss"]
    return {"figures": {name: loss for name, loss in figures.items() if math.isfinite(loss)}, "parameters": parameters, "units": units,
            "tokens": trained.metrics[-1]["tokens"], "seconds": trained.processor_seconds}  # fmt: skip


def run(engine, record, options, machine):
    text = str(pathlib.Path(options.data).resolve()) if options.data else ""
    for every in (every for every in TITLES if not options.only[1:] or any(word in (str(every), TITLES[every]) for word in options.only[1:])):
        for seed in options.seeds or SEEDS:
            cell = f"{TITLES[every]}, {title_of(text)}"
            if options.lacking and record.has("every", cell, settings_of(every), seed):
                continue
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(place), every, seed, text)
            record.add(run_made(engine, machine, task="every", cell=cell, text=title_of(text), seed=seed, settings=settings_of(every), **found))
            told = "  ".join(f"window x{times} {loss:.4f}" for times, loss in found["figures"].items()) or "diverged"
            print(f"every {TITLES[every]:17} seed {seed}  {told}  {found['parameters']:,} weights  {found['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## SRU++: attention in every n-th layer

The table of SRU++'s paper at a small scale: {LAYERS} layers of SRU++, of which every n-th attends; the others keep the two products. Text in streams with the state and the
keys and values of the last {WINDOW} characters carried on; batch {TRAINING["batch"]}, {TRAINING["steps"]:,} updates of {WINDOW} steps, RAdam, cosine from {TRAINING["learning_rate"]:g}; projections of {PROJECTION}, one head. Layers without
attention have fewer weights, so the units are solved for: equal within {MATCH:.0%} of {UNITS} units with attention in every layer. Nothing was tuned. Loss: nats a character on the
whole validation part. The columns on the right are the same weights with a window of {" and ".join(str(times) for times in LONGER)} times as many characters at evaluation
(`eval --set srupp.window=`); a negative gain is a loss that rises. Speed: characters trained on in a second of processor time of the whole program. Published: bits per
character of enwik8 with 42 million weights, attention over 1,024 characters; what was to be seen is the step from none to one layer that attends. On tiny Shakespeare it is
not there (29 November 2026): a carried state of 1,500 updates finds as much as the keys and values of {WINDOW} characters add, and a longer window adds nothing.
"""


def texts(record):
    """Those that have been run, the bundled one first; where none has, that one."""
    run = {run["text"] for run in record.runs.values() if run["task"] == "every"}
    return [BUNDLED] * (BUNDLED in run or not run) + sorted(run - {BUNDLED})


def mean(runs, name):
    values = [run["figures"].get(name, math.nan) for run in runs]
    return sum(values) / len(values) if values else math.nan


def gain(runs, times):
    near, far = mean(runs, "1"), mean(runs, str(times))
    return f"{far:.3f} ({near - far:+.3f})" if math.isfinite(far) else "diverged"


def row(every, runs):
    if not runs:
        return [TITLES[every], str(attends(every)), "not run", *[""] * len(LONGER), "", "", "", f"{PUBLISHED[every]:.3f}", ""]
    loss = mean(runs, "1")
    longer = ["n/a" if every == NONE else gain(runs, times) for times in LONGER]
    speed = sum(run["tokens"] / run["seconds"] for run in runs) / len(runs)
    return [TITLES[every], str(attends(every)), f"{loss:.3f}" if math.isfinite(loss) else "diverged", *longer, str(runs[0]["units"]), f"{runs[0]['parameters']:,}",
            f"{speed:,.0f}", f"{PUBLISHED[every]:.3f}", " ".join(str(run["seed"]) for run in runs)]  # fmt: skip


def section(record, text):
    runs = {every: record.of("every", f"{TITLES[every]}, {text}", settings_of(every)) for every in TITLES}
    seen = [run for found in runs.values() for run in found]
    heads = ["attention", "layers", "loss", *(f"window x{times} (gain)" for times in LONGER), "units", "weights", "characters/s", "published", "seeds"]
    lines = [f"### {'The bundled fables' if text == BUNDLED else text}", "", *([circumstances(seen, "their mean is shown"), ""] if seen else [])]
    return [*lines, reporting.table(heads, [row(every, found) for every, found in runs.items()]), ""]


def table(record):
    return "\n".join([BEGIN, ABOUT, *(line for text in texts(record) for line in section(record, text)), END]) + "\n"
