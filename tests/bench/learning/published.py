# SPDX-License-Identifier: GPL-3.0-or-later
"""Two published examples at the settings of their sources, with data named by --data: passengers of airlines (Keras-MML's time series example, a CSV file)
and characters of The Time Machine (ok-transformer's notebooks on recurrent networks, a text). What no file was named for is skipped with a sentence."""

import csv
import json
import math
import pathlib
import re
import tempfile

import graphs
import reporting
from runs import run_made, settings_hash
from tables import circumstances
from trials import QUIET, Cell

SEEDS = [1, 2, 3]
PLAIN_ADAM = {"optimizer": "adam", "beta1": 0.9, "beta2": 0.999, "weight_decay": 0.0, "schedule": "constant", "warmup": 0}
BEGIN, END = "<!-- published examples: written by ./dev bench learning --only published -->", "<!-- end of published examples -->"

# Passengers: Keras-MML, docs/source/examples/time-series-forecasting and its training script for CI.
LOOK_BACK, TRAINED, EPOCHS, PATIENCE, BOUND = 3, 0.8, 200, 20, 75
AIRLINE = {Cell("GRUMML", "grumml", {"units": 4}): 68.21,
           Cell("LRUMML", "lrumml", {"units": 4, "state_size": 8}): 51.00,
           Cell("GRU", "gru", {"units": 4}): None,
           Cell("LSTM", "lstm", {"units": 4}): None}  # fmt: skip

EXPECTED_NOTES = ("one-feature", "table-format", "data-note")  # by the check

# The Time Machine: ok-transformer, 05-rnns; its classes are the letters, the blank and an unknown character.
STEPS, BATCH, UNITS, PASSES = 30, 128, 64, 5
TIME_MACHINE = {Cell("RNN", "rnn", {"units": UNITS}): 1.546,
                Cell("GRU", "gru", {"units": UNITS, "convention": "reset_after"}): 1.344,
                Cell("LSTM", "lstm", {"units": UNITS}): 1.314}  # fmt: skip


def passengers(path):
    """The last column of a CSV file with a header, without its first row."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row]
    return [float(row[-1]) for row in rows[1:]]


def windows_of(numbers):
    """Of a part: LOOK_BACK numbers and the next; the source leaves out the last one that there would be."""
    return [(numbers[i : i + LOOK_BACK], numbers[i + LOOK_BACK]) for i in range(len(numbers) - LOOK_BACK - 1)]


def parts_of(numbers):
    """Scaled to 0..1 by all rows, as in the source; windows to train on, to stop by and to test with; what 1 is in the unit of the file."""
    least, most = min(numbers), max(numbers)
    scaled = [(number - least) / (most - least) for number in numbers]
    end = int(len(scaled) * TRAINED)
    training, test = windows_of(scaled[:end]), windows_of(scaled[end:])
    fitted = int(len(training) * TRAINED)
    return training[:fitted], training[fitted:], test, most - least


def write_rows(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["passengers", "next"], *rows])
    return path


def as_one_series(windows):
    """Windows one row apart: every row with the number behind it."""
    first, behind = windows[0]
    numbers = [*first, behind, *(after for _, after in windows[1:])]
    return list(zip(numbers[:-1], numbers[1:], strict=True))


def side_by_side(windows):
    """Window after window; asked for is only what follows the last row of each."""
    return [(number, behind if place == LOOK_BACK - 1 else "") for window, behind in windows for place, number in enumerate(window)]


def airline_experiment(cell, folder, epoch, validated):
    """epoch: windows, each an update of its own. validated: windows that decide when to stop."""
    wiring = graphs.Wiring()
    table = {"file": f"{folder}/train.csv", "validation_file": f"{folder}/validation.csv", "input_columns": "passengers", "target_columns": "next", "horizon": 0,
             "normalisation": "none", "order": "windows", "steps": LOOK_BACK}  # fmt: skip
    wiring.add("series", "data", table, gives="features")
    wiring.add(cell.block, "cell", cell.params)
    wiring.add("mse", "head", {"weights_initializer": "glorot_uniform"}, more=["data.targets -> head.targets"])
    training = {**QUIET, **PLAIN_ADAM, "epsilon": 1e-7, "learning_rate": 1e-3, "clip": 0.0, "batch": 1, "steps": EPOCHS * epoch, "evaluate_every": epoch,
                "evaluate_batches": validated, "patience": PATIENCE}  # fmt: skip
    return graphs.experiment(f"Passengers: {cell.title}", training, wiring.graph())


def rmse(pairs):
    return math.sqrt(sum((told - right) ** 2 for told, right in pairs) / len(pairs))


def airline(engine, folder, cell, seed, numbers):
    training, validation, test, unit = parts_of(numbers)
    write_rows(folder / "train.csv", as_one_series(training))
    write_rows(folder / "validation.csv", side_by_side(validation))
    write_rows(folder / "test.csv", side_by_side(test))
    file, run = folder / "airline.unroll", folder / "run"
    file.write_text(json.dumps(airline_experiment(cell, folder, len(training), len(validation))), encoding="utf-8")
    trained = engine.train(file, run, seed)
    found = engine.examine(run, {"data.validation_file": folder / "test.csv"})
    assert found["targets"] == len(test), f"{found['targets']} of {len(test)} test windows were scored"
    return {"figures": {"rmse": unit * math.sqrt(found["loss"])}, "repeating": unit * rmse([(window[-1], behind) for window, behind in test]),
            "parameters": engine.parameters(file, expected=EXPECTED_NOTES), "steps": trained.metrics[-1]["step"], "rows": len(numbers), "seconds": trained.processor_seconds}  # fmt: skip


def letters(text):
    """As the source has it: what lies between Project Gutenberg's marks, if they are there; other characters than letters are one blank."""
    found = re.search(r"\*\*\* START OF.*?\*\*\*(.*?)\*\*\* END OF", text, re.DOTALL)
    return re.sub("[^A-Za-z]+", " ", found.group(1) if found else text).lower().strip()


def updates(characters):
    """Of five passes over the windows of the training part, one at every character."""
    return PASSES * math.ceil(int((characters - STEPS) * TRAINED) / BATCH)


def time_machine_experiment(cell, file, steps):
    wiring = graphs.Wiring()
    wiring.add("text", "data", {"file": file, "order": "windows", "steps": STEPS, "validation_fraction": round(1 - TRAINED, 6)}, gives="tokens")
    wiring.add("one_hot", "one_hot", reads="tokens")
    wiring.add(cell.block, "cell", cell.params)
    wiring.add("head", "head", more=["data.targets -> head.targets"])
    training = {**QUIET, **PLAIN_ADAM, "learning_rate": 0.01, "clip": 1.0, "batch": BATCH, "steps": steps, "evaluate_whole": True}
    return graphs.experiment(f"The Time Machine: {cell.title}", training, wiring.graph())


def time_machine(engine, folder, cell, seed, text):
    read = folder / "letters.txt"
    read.write_text(text, encoding="utf-8")
    file = folder / "time-machine.unroll"
    file.write_text(json.dumps(time_machine_experiment(cell, str(read), updates(len(text)))), encoding="utf-8")
    trained = engine.train(file, folder / "run", seed)
    last = trained.metrics[-1]
    return {"figures": {"loss": last["final/loss"]}, "parameters": engine.parameters(file), "steps": updates(len(text)), "characters": len(text),
            "seconds": trained.processor_seconds}  # fmt: skip


def settings_of(cell):
    """Of all but the file's place and length."""
    made = airline_experiment(cell, "", 0, 0) if cell in AIRLINE else time_machine_experiment(cell, "", 0)
    return settings_hash(made, LOOK_BACK, TRAINED, EPOCHS, PASSES)


def task_of(cells):
    return "published airline" if cells is AIRLINE else "published time machine"


def train_all(engine, record, options, machine, cells, train_once, data):
    good = True
    for cell in (cell for cell in cells if cell.is_named(options.only[1:])):
        for seed in options.seeds or SEEDS:
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(place), cell, seed, data)
            record.add(run_made(engine, machine, task=task_of(cells), cell=cell.title, seed=seed, settings=settings_of(cell), **found))
            [(name, figure)] = found["figures"].items()
            beside = f"  published {cells[cell]}" if cells[cell] else ""
            print(f"{task_of(cells)} {cell.title:8} seed {seed}  {name} {figure:.4g}{beside}  {found['steps']:,} updates  {found['seconds']:.0f} s", flush=True)
            good = good and (cells is not AIRLINE or not cells[cell] or figure < BOUND)
    return good


def run(engine, record, options, machine):
    data = pathlib.Path(options.data).resolve() if options.data else None
    good = True
    if data and data.suffix.lower() == ".csv":
        good = train_all(engine, record, options, machine, AIRLINE, airline, passengers(data))
    else:
        print("Passengers of airlines: skipped, --data names no CSV file of them (airline-passengers.csv: a month and a number a row).", flush=True)
    if data and data.suffix.lower() != ".csv":
        good = train_all(engine, record, options, machine, TIME_MACHINE, time_machine, letters(data.read_text(encoding="utf-8-sig")))
    else:
        print("The Time Machine: skipped, --data names no text (timemachine.txt of Project Gutenberg, with its marks or without).", flush=True)
    print("\n" + table(record), flush=True)
    return good


ABOUT = """## Published examples

Two small examples at the settings of their sources, each with the figure that was published beside ours; data come by `--data` and are not part of this repository.
"""

ABOUT_AIRLINE = f"""### Passengers of airlines

Keras-MML's example of a time series: monthly passengers, in thousands, of 1949 to 1960 (`--data airline-passengers.csv`); the next month from {LOOK_BACK}. The first
{TRAINED:.0%} of the rows are trained on, their last {1 - TRAINED:.0%} of windows decide when to stop, the rest is the test; a cell of 4 units and a linear layer, squared error, Adam
at 0.001, one window an update, {EPOCHS} epochs at most, {PATIENCE} without a better loss end them. All rows are scaled by their own least and greatest number, as in the source, the
test's too. Different here: windows are drawn with repetition, and all {LOOK_BACK} steps of a window are scored in training, in the source the last alone; validation and test
score the last alone. The source takes an improvement below 0.0001 for none. RMSE on the test in thousands of passengers; the source's script calls it MSE, and its CI asks
for less than {BOUND}. A norm over one feature leaves its sign alone, so that the gates of GRUMML and the input of LRUMML's state see only that (the check warns of it).
"""

ABOUT_TIME_MACHINE = f"""### The Time Machine

ok-transformer's example of a recurrent language model: the next character of H. G. Wells' novel (`--data timemachine.txt`), letters in lower case and blanks alone;
one-hot characters, a cell of {UNITS} units, a linear layer; windows of {STEPS}, batch {BATCH}, Adam at 0.01, norm of the gradients clipped at 1, as many updates as {PASSES} passes over the
windows at every character of the first {TRAINED:.0%} take. Nats a character in windows from a state of zeros. The source divides overlapping windows at random, so that nearly
every character it validates on was trained on, too, and shows the mean of the last five batches; here the validation part is the last {1 - TRAINED:.0%} of the text, read whole. So a
somewhat higher loss is to be expected; the order of the cells is to be the same.
"""


def rows(record, cells, figure):
    for cell, beside in cells.items():
        runs = record.of(task_of(cells), cell.title, settings_of(cell))
        found = [run["figures"][figure] for run in runs]
        span = f" ({min(found):.4g} to {max(found):.4g})" if len(found) > 1 else ""
        told = f"{sum(found) / len(found):.4g}{span}" if found else "not run"
        told += f", {BOUND} missed" if cells is AIRLINE and beside and any(figure >= BOUND for figure in found) else ""
        yield [cell.title, told, f"{beside:.4g}" if beside else "", f"{runs[0]['parameters']:,}" if runs else "", " ".join(str(run["seed"]) for run in runs),
               f"{max(run['seconds'] for run in runs):.0f} s" if runs else ""]


def section(record, cells, figure, about, heads):
    runs = [run for cell in cells for run in record.of(task_of(cells), cell.title, settings_of(cell))]
    lines = [about, *([circumstances(runs, "their mean is shown, the least and the greatest in brackets"), ""] if runs else [])]
    repeating = sorted({round(run["repeating"], 2) for run in runs if "repeating" in run})
    told = [f"\nRepeating the last month: {' or '.join(map(str, repeating))}."] if repeating else []
    return [*lines, reporting.table(heads, rows(record, cells, figure)), *told, ""]


def table(record):
    lines = [BEGIN, ABOUT, *section(record, AIRLINE, "rmse", ABOUT_AIRLINE, ["cell", "test RMSE", "published", "weights", "seeds", "time"]),
             *section(record, TIME_MACHINE, "loss", ABOUT_TIME_MACHINE, ["cell", "loss, nats/character", "published", "weights", "seeds", "time"])]  # fmt: skip
    return "\n".join([*lines, END]) + "\n"
