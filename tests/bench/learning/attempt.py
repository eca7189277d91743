# SPDX-License-Identifier: GPL-3.0-or-later
"""One cell on one task: trained in a folder that is thrown away, examined, noted down."""

import json
import math
import pathlib
import tempfile

import graphs
from engine import DIVERGED
from runs import run_made, settings_hash
from tables import GROWS


def measured(task, found):
    if task.measure == "bits":
        return max(0.0, 1 - float(found["loss"]) / math.log(2))  # a wrong bit costs ln 2 at least
    return float(found[task.measure])  # not finite: a word


def settings_of(task, trial):
    return settings_hash(graphs.on_a_task(task, trial.cell, task.settings(trial)), task.examinations)


def attempt(engine, task, trial, seed, machine):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        file, run = folder / "trial.unroll", folder / "run"
        file.write_text(json.dumps(graphs.on_a_task(task, trial.cell, task.settings(trial))), encoding="utf-8")
        trained = engine.train(file, run, seed)
        notes = [GROWS] if "have grown past" in trained.told else []
        figures = {}
        if trained.code != DIVERGED:
            figures = {name: measured(task, engine.examine(run, graphs.of_data(settings))) for name, settings in task.examinations.items()}
        return run_made(engine, machine, task=task.key, cell=trial.cell.title, seed=seed, settings=settings_of(task, trial), notes=notes,
                        figures={name: value for name, value in figures.items() if math.isfinite(value)}, parameters=engine.parameters(file),
                        seconds=trained.processor_seconds)


def found_runs(record, task):
    return [record.of(task.key, trial.cell.title, settings_of(task, trial)) for trial in task.trials]
