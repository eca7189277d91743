# SPDX-License-Identifier: GPL-3.0-or-later
"""What the units of each cell track after the bundled fables, asked by `unroll-cli inspect --lens tracks`: one frame, one cell after another, equal
numbers of weights; asked at several steps, so that one sees when a network gets a feature."""

import datetime
import pathlib
import tempfile

import graphs
import reporting
import shakespeare
from runs import settings_hash
from tables import circumstances
from trials import Cell

MARKS = [100, 200, 400, 800]  # steps at which the network is asked
FOLLOWS = {"AUC": 0.75, "r": 0.5}  # from here on a unit is said to follow a feature, as the lens has it
SHOWN = {"quotations": "inside quotations", "bracket depth": "bracket depth", "the number of the subject": "number of the subject",
         "the name that returns next": "name that returns", "who speaks": "who speaks", "titles": "inside titles", "morals": "inside morals",
         "the place in the word": "place in word", "the place in the sentence": "place in sentence",
         "the place in the fable": "place in fable"}  # fmt: skip
CELLS = {Cell("LSTM", "lstm", {"units": 128}): 2e-3,
         Cell("GRU", "gru", {"units": 128}): 2e-3,
         Cell("SRU", "sru", {"units": 128}): 2e-3,
         Cell("GRUMML", "grumml", {"units": 128}): 2e-3,
         Cell("LRU", "lru", {"units": 128, "state_size": 64}): 2e-3,
         Cell("MRU, householder", "mru", {**shakespeare.MRU, "maker": "householder"}): 2e-3,
         shakespeare.ATTENTION: 1e-3}  # fmt: skip
TRAINING = {key: value for key, value in shakespeare.TRAINING.items() if key != "schedule"} | {"schedule": "constant", "steps": MARKS[0]}


def settings_of(cell, rate):
    return settings_hash(graphs.in_the_gpt_frame(cell, 0, "", dict(TRAINING, learning_rate=rate)), shakespeare.MATCH, MARKS)


def strength(words):
    """'37 of lstm_2: AUC 0.992' as its kind and number."""
    kind, number = words.rsplit(": ", 1)[1].rsplit(" ", 1)
    return ("AUC" if kind == "AUC" else "r"), abs(float(number.replace("\N{MINUS SIGN}", "-")))


def tracked(engine, run):
    """Of every feature the best unit's score and how many units are found to follow it, at the newest checkpoint; or why there is nothing to ask."""
    answer = engine.call("inspect", run, "--lens", "tracks", "--set", "scope=model", "--json", allowed=(0, 1, 2))
    if answer.code:
        return answer.told.strip().splitlines()[-1]
    table = next(table for table in answer.rows[0]["tables"] if table["id"] == "features")
    found = {}
    for row in table["rows"]:
        name, _, _, best, _, units = row["cells"]
        if name in SHOWN and not best.startswith("not available"):
            kind, score = strength(best)
            found[name] = {"kind": kind, "score": score, "units": int(units or 0)}
    return found


def train_once(engine, folder, cell, seed):
    """In stretches at a constant rate; between them the lens asks."""
    rate = CELLS[cell]
    file, parameters, mlp = shakespeare.matched(engine, folder, cell, shakespeare.BUNDLED, rate, TRAINING)
    run, tracks, seconds = folder / f"{shakespeare.file_name(cell)}-{seed}", {}, 0
    for mark in MARKS:
        way = ["--steps", mark]
        last = (engine.go_on(run, *way) if mark > MARKS[0] else engine.train(file, run, seed, *way)).metrics[-1]
        seconds = last["seconds"]
        tracks[str(mark)] = tracked(engine, run)
    return {"figures": {"loss": last["final/loss"]}, "parameters": parameters, "mlp": mlp, "rate": rate, "seconds": seconds, "tracks": tracks}


def run(engine, record, options, machine):
    for cell in CELLS:
        if not cell.is_named(options.only[1:]):
            continue
        for seed in options.seeds or [1]:
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(options.keep or place), cell, seed)
            record.add({"task": "tracking", "cell": cell.title, "seed": seed, "settings": settings_of(cell, CELLS[cell]), "notes": [],
                        "threads": engine.threads, "date": datetime.date.today().isoformat(), "machine": machine, **found})  # fmt: skip
            print(f"tracking {cell.title:18} seed {seed}  {found['figures']['loss']:.4f} nats/character  {found['parameters']:,} weights  "
                  f"{found['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## What units track

The bundled fables, next character, the frame of the section above (4 layers, width 128, windows of 64, batch 12) at a constant rate, numbers of
weights equal within {shakespeare.MATCH:.0%}. After {", ".join(map(str, MARKS[:-1]))} and {MARKS[-1]} steps the lens `tracks` compares every unit of all states with
features of the fables' grammar over 4,096 steps of validation: AUC of what is on or off, |r| of numbers. A cell shows the best unit's score at the
last mark, how many units are found to follow the feature (false discoveries at most 5 %, above chance), and the first mark from which the best unit
reaches AUC {FOLLOWS["AUC"]} or |r| {FOLLOWS["r"]}.
"""


def first_mark(tracks, name):
    for mark in MARKS:
        seen = tracks[str(mark)]
        if isinstance(seen, dict) and name in seen and seen[name]["score"] >= FOLLOWS[seen[name]["kind"]]:
            return mark
    return None


def shown(tracks, name):
    last = tracks[str(MARKS[-1])]
    if not isinstance(last, dict) or name not in last:
        return "n/a"
    mark = first_mark(tracks, name)
    return f"{last[name]['score']:.2f}, {last[name]['units']} units, {'from ' + str(mark) if mark else 'not reached'}"


def table(record):
    runs = [run for cell in CELLS for run in record.of("tracking", cell.title, settings_of(cell, CELLS[cell]))]
    lines = [ABOUT]
    if not runs:
        return "\n".join([*lines, "Not run."]) + "\n"
    lines += [circumstances(runs, "the first is shown", "wall-clock training time"), ""]
    rows = [[run["cell"], f"{run['figures']['loss']:.3f}", f"{run['parameters']:,}", *(shown(run["tracks"], name) for name in SHOWN)] for run in runs]
    reasons = sorted({f"{run['cell']}: {seen}." for run in runs for seen in run["tracks"].values() if isinstance(seen, str)})
    return "\n".join([*lines, reporting.table(["cell", "loss", "weights", *SHOWN.values()], rows), "", *reasons]) + "\n"
