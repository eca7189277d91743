# SPDX-License-Identifier: GPL-3.0-or-later
"""What the units of each cell track, and since when: one frame, one cell after another, equal numbers of weights, trained on the bundled fables, on
parity and on counting. While a run trains it keeps what the lens `tracks` says of it (`train --lenses-every`); `inspect --lens tracks` is asked at the
end."""

import dataclasses
import json
import pathlib
import tempfile

import graphs
import reporting
from runs import run_made, settings_hash
from tables import circumstances
from trials import Cell

MATCH = 0.02  # how far apart the numbers of weights may lie
EVERY = 25  # updates between two looks
TRACKED = 0.9  # AUC or |r| from which on a unit tracks a feature, as the lens has it
SEEDS = [1, 2]
WIDTH, LAYERS = 64, 2
DENSE = 256  # inner width of the dense layers beside attention; beside the others it is solved for
BEGIN, END = "<!-- what units track: written by ./dev bench learning --only tracking -->", "<!-- end of what units track -->"

ATTENTION = Cell("attention", "attention", {"bias": False, "depth": LAYERS, "num_heads": 4, "window": 64})
CELLS = [Cell("LSTM", "lstm", {"units": WIDTH}),
         Cell("GRU", "gru", {"units": WIDTH}),
         Cell("SRU", "sru", {"units": WIDTH}),
         Cell("GRUMML", "grumml", {"units": WIDTH}),
         Cell("LRU", "lru", {"units": WIDTH, "state_size": WIDTH}),
         Cell("MRU, householder", "mru", {"depth": LAYERS, "matrix_size": 4, "num_heads": 4, "units": WIDTH, "maker": "householder"}),
         ATTENTION]  # fmt: skip
QUIET = {"evaluate_every": 0, "sample_every": 0, "checkpoint_every": 0, "evaluate_whole": False, "evaluate_batches": 8}
RULE = {"learning_rate": 3e-3, "beta2": 0.99, "weight_decay": 0.1, "warmup": 50, "schedule": "constant"}


@dataclasses.dataclass(frozen=True, eq=False)
class Data:
    key: str
    title: str
    about: str
    source: str
    params: dict
    training: dict
    features: dict  # name as the lens has it: as the table has it
    masks: bool = True  # sequences of different lengths

    def settings(self):
        return {**QUIET, **RULE, **self.training}


FABLES = Data("fables", "The bundled fables", "the next character, in streams of 64 steps with carried state", "text", {"order": "streams"},
              {"steps": 1000, "batch": 16},
              {"quotations": "inside quotations", "brackets": "inside brackets", "bracket depth": "bracket depth",
               "the number of the subject": "number of the subject", "the name that returns next": "name that returns next",
               "who speaks": "who speaks", "titles": "inside titles", "morals": "inside morals", "the place in the word": "place in the word",
               "the place in the sentence": "place in the sentence", "the place in the fable": "place in the fable"},
              masks=False)  # fmt: skip
PARITY = Data("parity", "Parity", "the parity of the bits so far, asked for at every bit; up to 40 of them", "parity", {"ask": "every"},
              {"steps": 500, "batch": 64}, {"the parity so far": "parity so far", "the number of ones so far": "number of ones so far"})
COUNTING = Data("counting", "Counting", "a^n b^n with n up to 20, the next symbol", "counting",
                {"validation_shortest": 1, "validation_longest": 20}, {"steps": 500, "batch": 32},
                {"the a's minus the b's so far": "a's minus b's so far", "the last b": "the last b"})
DATA = [FABLES, PARITY, COUNTING]


def of_this_width(engine, folder, data, cell, dense):
    file = folder / "experiment.unroll"
    file.write_text(json.dumps(graphs.in_a_frame(data, cell, WIDTH, LAYERS, dense, data.settings())), encoding="utf-8")
    return file, engine.parameters(file)


def matched(engine, folder, data, cell):
    """The file with dense layers as wide as attention's number of weights asks for, how many weights it has, and that width."""
    _, wanted = of_this_width(engine, folder, data, ATTENTION, DENSE)
    _, at_8 = of_this_width(engine, folder, data, cell, 8)
    _, at_9 = of_this_width(engine, folder, data, cell, 9)
    dense = 8 + round((wanted - at_8) / (at_9 - at_8))
    file, have = of_this_width(engine, folder, data, cell, dense)
    assert abs(have / wanted - 1) <= MATCH, f"{cell.title}: {have} weights, attention {wanted}"
    return file, have, dense


def settings_of(data, cell):
    return settings_hash(graphs.in_a_frame(data, cell, WIDTH, LAYERS, 0, data.settings()), MATCH, DENSE, EVERY)


def number_of(words):
    """'37 of lstm_2: AUC 0.992' as its kind and size."""
    kind, number = words.rsplit(": ", 1)[1].rsplit(" ", 1)
    score = abs(float(number.replace("\N{MINUS SIGN}", "-")))
    return ("AUC", max(score, 1 - score)) if kind == "AUC" else ("r", score)


def features_in(figure, wanted):
    """Of each feature what the lens's table says: its best unit's score, chance, how many units are found to follow it, since when it is tracked."""
    table = next(table for table in figure["tables"] if table["id"] == "features")
    found = {}
    for row in table["rows"]:
        name, _, _, best, chance, units, since = row["cells"]
        if name in wanted and not best.startswith("not available"):
            kind, score = number_of(best)
            found[name] = {"kind": kind, "score": score, "chance": float(chance), "found": int(units or 0),
                           "since": int(since.removeprefix("update ")) if since else None}  # fmt: skip
    return found


def reaching(run):
    """How many units reach TRACKED at the end, by the features' ids: the last row that the lens kept."""
    rows = [json.loads(line) for line in (run / "lenses.jsonl").read_text(encoding="utf-8").splitlines()]
    last = [row for row in rows if any(name.startswith("tracks/") for name in row)][-1]
    return {name.removeprefix("tracks/units."): int(value) for name, value in last.items() if name.startswith("tracks/units.")}


IDS = {"quotations": "in_quotes", "brackets": "in_brackets", "bracket depth": "bracket_depth", "the number of the subject": "plural_subject",
       "the name that returns next": "first_returns", "who speaks": "first_speaks", "titles": "title", "morals": "moral",
       "the place in the word": "place_in_word", "the place in the sentence": "place_in_sentence", "the place in the fable": "place_in_fable",
       "the parity so far": "parity", "the number of ones so far": "ones", "the a's minus the b's so far": "count", "the last b": "last_one"}  # fmt: skip


def train_once(engine, folder, data, cell, seed):
    file, parameters, dense = matched(engine, folder, data, cell)
    run = folder / f"run-{seed}"
    last = engine.train(file, run, seed, "--lenses-every", EVERY).metrics[-1]
    figure = engine.call("inspect", run, "--lens", "tracks", "--set", "scope=model", "--set", "probes=false", "--json").rows[0]
    features = features_in(figure, data.features)
    units = reaching(run)
    for name, feature in features.items():
        feature["units"] = units.get(IDS[name], 0)
    return {"figures": {"loss": last.get("final/loss", last.get("val/loss", last["train/loss"]))}, "parameters": parameters, "dense": dense,
            "seconds": last["seconds"], "features": features}  # fmt: skip


def run(engine, record, options, machine):
    for data in DATA:
        for cell in CELLS:
            if not cell.is_named(options.only[1:]):
                continue
            for seed in options.seeds or SEEDS:
                with tempfile.TemporaryDirectory() as place:
                    found = train_once(engine, pathlib.Path(place), data, cell, seed)
                record.add(run_made(engine, machine, task=f"tracking {data.key}", cell=cell.title, seed=seed, settings=settings_of(data, cell), **found))
                print(f"tracking {data.key:9} {cell.title:18} seed {seed}  loss {found['figures']['loss']:.4f}  {found['parameters']:,} weights  "
                      f"{found['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## What units track, and since when

One frame: {LAYERS} layers of norm, cell, sum, norm, two dense layers, sum; width {WIDTH}; AdamW at a constant rate of {RULE["learning_rate"]:g}. The inner width of
the dense layers is solved for, so that the numbers of weights are equal within {MATCH:.0%}. At every {EVERY} updates, and at the end, the lens `tracks` compares
every unit of all states (of attention, which keeps none as units, of what it outputs) with what is known of the data, over 4,096 steps of validation.

An entry is the best unit's AUC (of what is on or off, whatever the direction) or |r| (of sizes, marked r), in brackets the chance level: what the best of all
units reaches in 19 of 20 cases on shuffled features; then how many units reach {TRACKED:g}, and the first update from which on the best one does. "-": no unit is
found to follow the feature at a false discovery rate of 5 %. A network may hold what no single unit shows, and
one that has hardly learned, as its loss beside the others' tells (MRU on the fables), has little to hold yet: its row says nothing about the cell.
"""


def entry(feature):
    if feature is None:
        return "n/a"
    score = f"{'r ' if feature['kind'] == 'r' else ''}{feature['score']:.2f} ({feature['chance']:.2f})"
    if feature["found"] == 0:
        return f"- {score}"
    since = f" since {feature['since']}" if feature["since"] is not None else ""
    return score + (f", {feature['units']}{since}" if feature["units"] else "")


def section(record, data):
    runs = [run for cell in CELLS for run in record.of(f"tracking {data.key}", cell.title, settings_of(data, cell))]
    lines = [f"### {data.title}", "", f"{data.about[0].upper()}{data.about[1:]}; {data.settings()['steps']} updates of {data.settings()['batch']} sequences."]
    if not runs:
        return "\n".join([*lines, "", "Not run."]) + "\n"
    lines += [circumstances(runs, "a row each", "wall-clock training time"), ""]
    rows = [[run["cell"], str(run["seed"]), f"{run['parameters']:,}", f"{run['figures']['loss']:.3f}",
             *(entry(run["features"].get(name)) for name in data.features)] for run in runs]  # fmt: skip
    return "\n".join([*lines, reporting.table(["cell", "seed", "weights", "loss", *data.features.values()], rows)]) + "\n"


def table(record):
    return "\n".join([BEGIN, ABOUT, *(section(record, data) for data in DATA), END]) + "\n"


def into(text, made, begin=BEGIN, end=END):
    """The page with the table between its marks, in place of the one before or at the end."""
    if begin not in text:
        return text.rstrip("\n") + "\n\n" + made
    before, rest = text.split(begin, 1)
    return before + made + rest.split(end, 1)[1].lstrip("\n")
