# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole field in one table: a row a cell, a column a problem or a text. Made of what `--only states` and `--only texts` have seen."""

import math
import statistics

import reporting
import shakespeare
import states
import texts

BEGIN, END = "<!-- the field at a glance: written with the tables of states and texts -->", "<!-- end of the field at a glance -->"
TITLES = {"parity": "parity", "s3": "S3", "a5": "A5", "s5": "S5", "arithmetic": "mod 5", "arithmetic-brackets": "mod 5, brackets", "recall-32": "MQAR-32", "recall-64": "MQAR-64",
          "selective-copy": "selective copying", "induction": "induction", "counting-3": "a^n b^n c^n", "dyck": "Dyck-2"}  # fmt: skip

ABOUT = """## The field at a glance

The tables of [state tracking and recall](#state-tracking-and-recall) and of the [three texts](#three-texts-the-whole-field) on one page.

- **Problems**: accuracy at the longest examination, the worst seed's. **Bold**: learned, 0.99 or more at every length. (In brackets): theory says that the cell cannot.
- **Texts**: validation loss in nats a character (King James: a word), the mean of the seeds. *4 layers*: the larger frame of [tiny Shakespeare](#tiny-shakespeare).
- **State**: numbers that a layer of width 64 keeps between two steps.

All cells of a column have the same settings, and training is short: a cell that learns late fails here, such as attention, which finds MQAR of 32 steps after 2,500
updates (notes in the tables of the problems). Empty: not run. The cells themselves: [family.md](family.md).
"""


def of_problem(record, problem, cell):
    runs = states.runs_of(record, problem, cell)
    if not runs:
        return ""
    values = [run["figures"].get(list(problem.examinations)[-1], math.nan) for run in runs]
    worst = "diverged" if any(math.isnan(value) for value in values) else f"{min(values):.2f}"
    if states.learned(problem, runs):
        return f"**{worst}**"
    return f"({worst})" if states.theory.of(problem.key, cell.title).learns is False else worst


def of_text(record, text, cell):
    runs = texts.runs_of(record, text, cell)
    losses = [run["figures"].get("loss", math.nan) for run in runs]
    if not losses:
        return ""
    return "diverged" if any(math.isnan(loss) for loss in losses) else f"{statistics.mean(losses):.3f}"


def of_larger_frame(record, cell):
    found = [each for each in shakespeare.CELLS if each.title == cell.title]
    loss = shakespeare.loss_of(record, found[0]) if found else math.inf
    return f"{loss:.3f}" if math.isfinite(loss) else ""


def state(record, cell):
    found = [run["state"] // texts.LAYERS for text in texts.TEXTS for run in texts.runs_of(record, text, cell)]
    return f"{found[0]:,}" if found else ""


def row(record, problems, cell):
    of_cell = ((problem, next(each for each in problem.cells() if each.title == cell.title)) for problem in problems)
    return [cell.title, state(record, cell), *(of_problem(record, problem, found) for problem, found in of_cell), *(of_text(record, text, cell) for text in texts.TEXTS), of_larger_frame(record, cell)]


def table(record):
    problems = [problem for problem in states.PROBLEMS if problem.key in TITLES]
    titles = ["cell", "state", *(TITLES[problem.key] for problem in problems), *(text.short for text in texts.TEXTS), "Shakespeare, 4 layers"]
    return "\n".join([BEGIN, ABOUT, reporting.table(titles, [row(record, problems, cell) for cell in texts.CELLS]), END]) + "\n"
