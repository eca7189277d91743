# SPDX-License-Identifier: GPL-3.0-or-later
"""State tracking and recall as published: every cell in one frame with as many weights, what theory expects of it
(theory.py), what came of it.

    ./dev bench learning --only states parity s3 mamba lstm

runs the problems and cells that are named; without names all, which takes hours."""

import dataclasses
import datetime
import json
import math
import pathlib
import tempfile

import graphs
import reporting
import theory
from engine import DIVERGED
from runs import settings_hash
from tables import circumstances
from trials import ADAM, QUIET, Cell

MATCH = 0.02  # how far apart the numbers of weights may lie
SEEDS = [1, 2, 3]
WIDTH = 64
DENSE = 320  # inner width of the dense layers beside attention; beside the others it is solved for
GOOD = 0.99  # accuracy that every examination must reach
BEGIN, END = "<!-- state tracking and recall: written by ./dev bench learning --only states -->", "<!-- end of state tracking and recall -->"


def cells(layers):
    delta = {"num_heads": 4, "units": WIDTH}
    return [Cell("LSTM", "lstm", {"units": WIDTH}),
            Cell("GRU", "gru", {"units": WIDTH}),
            Cell("RNN", "rnn", {"units": WIDTH}),
            Cell("sLSTM", "slstm", {"num_heads": 4, "units": WIDTH}),
            Cell("MRU, householder", "mru", {"depth": layers, "matrix_size": 4, "num_heads": 4, "units": WIDTH, "maker": "householder"}),
            Cell("LRU", "lru", {"units": WIDTH, "state_size": WIDTH}),
            Cell("SRU", "sru", {"units": WIDTH}),
            Cell("Mamba", "mamba", {}),
            Cell("mLSTM", "mlstm", {"num_heads": 4, "units": WIDTH}),
            Cell("DeltaNet, β to 1", "delta_net", {**delta, "negative_eigenvalues": False}),
            Cell("DeltaNet, β to 2", "delta_net", {**delta, "negative_eigenvalues": True}),
            Cell("DeltaProduct, 2", "delta_product", {**delta, "negative_eigenvalues": True, "num_householder": 2, "use_forget_gate": False}),
            Cell("DeltaProduct, 4", "delta_product", {**delta, "negative_eigenvalues": True, "num_householder": 4, "use_forget_gate": False}),
            Cell("RWKV-7", "rwkv7", {}),
            Cell("attention", "attention", {"bias": False, "depth": layers, "num_heads": 4})]  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    key: str
    title: str
    about: str
    source: str
    params: dict
    examinations: dict  # title of the column: how the data are set for it; the first is as trained
    training: dict
    poor: float  # what a cell that cannot learn it does not reach beyond training
    layers: int = 1
    masks: bool = True  # the mask is wired

    def cells(self):
        return cells(self.layers)

    def settings(self):
        return {**QUIET, **ADAM, **self.training}

    def beyond(self):
        """Of a problem with one length, that length."""
        return list(self.examinations)[1:] or list(self.examinations)


def lengths(*values, name="validation_length", unit="steps", count=200):
    return {f"{n} {unit}": {name: n, "evaluation_sequences": count} for n in values}


def ranges(*values, unit, count=200, **more):
    return {f"{low}{f' to {high}' * (high > low)} {unit}": {"validation_shortest": low, "validation_longest": high, "evaluation_sequences": count, **more}
            for low, high in values}  # fmt: skip


def words(group, title, poor, steps):
    about = f"The product of all elements of {group.upper()} so far, at every step; 128 in training, as published."
    return Problem(group, title, about, "word_problem", {"group": group, "length": 128, "validation_length": 128}, lengths(128, 256, 512, count=100),
                   {"steps": steps, "batch": 32, "learning_rate": 0.003}, poor)  # fmt: skip


def recall(length, pairs, batch):
    return Problem(f"recall-{length}", f"MQAR, {length} steps", f"{pairs} key-value pairs in {length} steps, then every key again.", "recall",
                   {"vocabulary": 256, "pairs": pairs, "length": length}, {"as trained": {"evaluation_sequences": 300}},
                   {"steps": 1500, "batch": batch, "learning_rate": 0.003}, 0.5, layers=2)  # fmt: skip


PROBLEMS = [
    Problem("parity", "Parity", "The parity of the bits so far, asked at every bit of up to 40 in training, examined at the last one.", "parity",
            {"ask": "every"}, ranges((40, 40), (160, 160), (256, 256), unit="bits", ask="last"),
            {"steps": 600, "batch": 64, "learning_rate": 0.003}, 0.75),
    words("s3", "Words of S3", 0.4, 800),
    words("a5", "Words of A5", 0.3, 2500),
    words("s5", "Words of S5", 0.3, 2500),
    Problem("arithmetic", "Modular arithmetic", "Expressions mod 5 without brackets, asked after every number; up to 40 symbols in training.",
            "modular_arithmetic", {"ask": "every"}, ranges((1, 40), (41, 100), (101, 500), unit="symbols"),
            {"steps": 2000, "batch": 64, "learning_rate": 0.003}, 0.5),
    recall(64, 4, 64), recall(128, 8, 64), recall(256, 16, 32), recall(512, 64, 16),
    Problem("selective-copy", "Selective copying", "Eight symbols of fifteen among blanks, reproduced in order after 64 steps.", "copy",
            {"symbols": 15, "length": 8, "delay": 57, "selective": True}, {"as trained": {"evaluation_sequences": 300}},
            {"steps": 2000, "batch": 64, "learning_rate": 0.003}, 0.5, layers=2),
    Problem("induction", "Induction heads", "The symbol after the trigger, asked at its second occurrence; 64 steps in training.", "induction",
            {"length": 64, "validation_length": 64}, lengths(64, 128, 512, count=300), {"steps": 2000, "batch": 64, "learning_rate": 0.003}, 0.5, layers=2),
    Problem("counting-3", "Counting: a^n b^n c^n", "n up to 20 in training, scored from the first b on.", "counting", {"letters": 3},
            ranges((1, 20), (21, 30), (31, 60), unit="letters"), {"steps": 800, "batch": 32, "learning_rate": 0.003}, 0.99),
    Problem("dyck", "Dyck-2 of depth 8", "Two kinds of brackets, up to 32 pairs in training; closing brackets are scored.", "dyck", {},
            ranges((1, 32), (33, 64), (65, 128), unit="pairs"), {"steps": 1500, "batch": 32, "learning_rate": 0.003}, 0.9),
]  # fmt: skip


def of_this_width(engine, folder, problem, cell, dense):
    file = folder / "experiment.unroll"
    file.write_text(json.dumps(graphs.in_a_frame(problem, cell, WIDTH, problem.layers, dense, problem.settings())), encoding="utf-8")
    return file, engine.parameters(file)


def matched(engine, folder, problem, cell):
    """The file with dense layers as wide as attention's number of weights asks for, and how many weights it has."""
    _, wanted = of_this_width(engine, folder, problem, problem.cells()[-1], DENSE)
    _, at_8 = of_this_width(engine, folder, problem, cell, 8)
    _, at_9 = of_this_width(engine, folder, problem, cell, 9)
    file, have = of_this_width(engine, folder, problem, cell, 8 + round((wanted - at_8) / (at_9 - at_8)))
    assert abs(have / wanted - 1) <= MATCH, f"{cell.title}: {have} weights, attention {wanted}"
    return file, have


def settings_of(problem, cell):
    return settings_hash(graphs.in_a_frame(problem, cell, WIDTH, problem.layers, 0, problem.settings()), problem.examinations, MATCH, DENSE)


def train_once(engine, folder, problem, cell, seed):
    file, parameters = matched(engine, folder, problem, cell)
    trained = engine.train(file, folder / "run", seed)
    figures = {}
    if trained.code != DIVERGED:
        figures = {name: float(engine.examine(folder / "run", settings)["acc"]) for name, settings in problem.examinations.items()}
    return {"parameters": parameters, "figures": {name: value for name, value in figures.items() if math.isfinite(value)},
            "seconds": trained.processor_seconds}  # fmt: skip


def learned(problem, runs):
    return all(run["figures"].get(name, 0) >= GOOD for run in runs for name in problem.examinations)


def failed(problem, runs):
    """Every seed, beyond what was trained on."""
    return all(run["figures"].get(name, 0) < problem.poor for run in runs for name in problem.beyond())


def verdict(problem, cell, runs):
    claim = theory.of(problem.key, cell.title)
    word = "learns" if learned(problem, runs) else "fails" if failed(problem, runs) else "in part"
    if claim.learns is None:
        return word
    if claim.learns == (word == "learns") and (claim.learns or word == "fails"):
        return f"{word}, as in theory"
    if claim.learns:  # what can be represented need not be found in so many updates
        return f"{word}; **can, but was not found**"
    return f"{word}; **theory says otherwise**"


def chosen(words):
    """Names of problems first, then parts of cells' names."""
    keys = {problem.key for problem in PROBLEMS}
    problems = [problem for problem in PROBLEMS if not keys & set(words) or problem.key in words]
    return problems, [word for word in words if word not in keys]


def run(engine, record, options, machine):
    problems, names = chosen(options.only[1:])
    good = True
    for problem in problems:
        for cell in (cell for cell in problem.cells() if cell.is_named(names)):
            for seed in options.seeds or SEEDS:
                with tempfile.TemporaryDirectory() as place:
                    found = train_once(engine, pathlib.Path(place), problem, cell, seed)
                noted = {"task": f"states {problem.key}", "cell": cell.title, "seed": seed, "settings": settings_of(problem, cell), "notes": [],
                         "threads": engine.threads, "date": datetime.date.today().isoformat(), "machine": machine, **found}  # fmt: skip
                record.add(noted)
                told = "  ".join(f"{name} {value:.3f}" for name, value in found["figures"].items()) or "diverged"
                said = verdict(problem, cell, [noted])
                good = good and "theory says otherwise" not in said
                print(f"{problem.key:14} {cell.title:18} seed {seed}  {told}  {found['seconds']:.0f} s  {said}", flush=True)
        print("\n" + section(record, problem), flush=True)
    return good


ABOUT = f"""## State tracking and recall

One frame: norm, cell, sum, norm, two dense layers, sum, once for state tracking and counting, twice where something is looked up; width {WIDTH}, AdamW.
The inner width of the dense layers is solved for, so that the numbers of weights are equal within {MATCH:.0%}. Figures are accuracies of the scored
targets, the worst seed's; "learns" means {GOOD:g} or more in every column. The settings are the same for all cells and were not tuned for any.

"Theory" is what was written down before the runs (`tests/bench/learning/theory.py`): "can", "cannot" or nothing, with the reason. Who can need not learn it
in so many updates; who cannot must fail beyond the lengths of training. Groups' elements are products of reflections: one a step is enough for
parity, two for S3 and A5 (rotations of a triangle and of the icosahedron in space), four for S5.
"""


def theory_text(problem, cell):
    claim = theory.of(problem.key, cell.title)
    if claim.learns is None:
        return claim.why and f"open: {claim.why}"
    return f"{'can' if claim.learns else 'cannot'}: {claim.why} ({claim.source})"


def row(record, problem, cell):
    runs = record.of(f"states {problem.key}", cell.title, settings_of(problem, cell))
    if not runs:
        return [cell.title, "", *[""] * len(problem.examinations), theory_text(problem, cell), "", "", "not run"]
    figures = []
    for name in problem.examinations:
        values = [run["figures"][name] for run in runs if name in run["figures"]]
        figures.append(f"{min(values):.3f}" if len(values) == len(runs) else "diverged")
    return [cell.title, f"{runs[0]['parameters']:,}", *figures, theory_text(problem, cell), " ".join(str(run["seed"]) for run in runs),
            f"{max(run['seconds'] for run in runs):.0f} s", verdict(problem, cell, runs)]  # fmt: skip


def section(record, problem):
    seen = [run for cell in problem.cells() for run in record.of(f"states {problem.key}", cell.title, settings_of(problem, cell))]
    training = problem.settings()
    lines = [f"### {problem.title}", "", f"{problem.about} {problem.layers} layer{'s' * (problem.layers > 1)}; {training['steps']} updates of "
             f"{training['batch']} sequences at {training['learning_rate']:g}. Who cannot stays below {problem.poor:g}.", ""]  # fmt: skip
    lines += [circumstances(seen, "the worst of each row shown"), ""] if seen else []
    titles = ["cell", "weights", *problem.examinations, "theory", "seeds", "time", ""]
    return "\n".join([*lines, reporting.table(titles, [row(record, problem, cell) for cell in problem.cells()])]) + "\n"


def table(record):
    sources = "\n".join(f"- {name}: {source}" for name, source in theory.SOURCES.items())
    return "\n".join([BEGIN, ABOUT, *(section(record, problem) for problem in PROBLEMS), "Sources:\n", sources, END]) + "\n"
