# SPDX-License-Identifier: GPL-3.0-or-later
"""The record as tables in Markdown: docs/learning.md."""

import reporting

GROWS = "its states grow without bound (norm monitor)"

HEAD = """# What each cell can and cannot learn

Written by `./dev bench learning --docs`, which runs the selected tasks (`--only parity`), adds them to `learning.json` and writes this
file from it. Rows not run with the current settings are marked. Settings, graphs and expectations are in `tests/bench/learning/`.

The tables do not rank the cells. Steps, learning rates and parameter counts differ between cells, and so does tuning: settings were tuned
only where theory says that a cell can learn a task. "Does not" without theory means: not with these settings, in this number of steps. If
theory says that a cell cannot learn a task, it must fail in every evaluation beyond training, near chance level; the threshold is given
with each task.
"""


def figure(task, values):
    """The worst seed's."""
    if task.measure == "loss":
        return f"{max(values):.2g}"
    return f"{min(values):.3f}"


def reaches(task, value, bound):
    return value <= bound if task.measure == "loss" else value >= bound


def learned(task, runs):
    """Every seed, every examination; what diverged has no figures."""
    return all(name in run["figures"] and reaches(task, run["figures"][name], task.good) for run in runs for name in task.examinations)


def failed(task, runs):
    """Every seed, every examination beyond training."""
    beyond = [name for name in task.examinations if name not in task.as_trained]
    return not any(name in run["figures"] and reaches(task, run["figures"][name], task.poor) for run in runs for name in beyond)


def as_expected(task, trial, runs):
    if trial.learns is None:
        return True
    if trial.learns:
        return learned(task, runs)
    return failed(task, runs) and (not trial.grows or all(GROWS in run["notes"] for run in runs))


def verdict(task, trial, runs):
    expected = as_expected(task, trial, runs)
    if trial.learns is False:
        word = "learns" if learned(task, runs) else "fails" if failed(task, runs) else "learns in part"
    else:
        word = "learns" if learned(task, runs) else "does not"
    if trial.learns is None:
        return word
    if trial.grows:
        return word + (", as expected" if expected else "; **expected to fail, and its states to grow**")
    return word + (", as in theory" if expected else "; **theory says otherwise**")


def row(task, trial, runs):
    if not runs:
        return [trial.cell.title, *[""] * (len(task.examinations) + 4), "not run"]
    figures = []
    for name in task.examinations:
        values = [run["figures"][name] for run in runs if name in run["figures"]]
        figures.append(figure(task, values) if len(values) == len(runs) else "diverged")
    notes = sorted({note for run in runs for note in run["notes"]})
    lacking = sorted(set(task.seeds_of(trial)) - {run["seed"] for run in runs})
    notes += [f"seed {seed} not run" for seed in lacking]
    training = task.settings(trial)
    return [trial.cell.title, f"{runs[0]['parameters']:,}", *figures, f"{training['steps']} at {training['learning_rate']:g}",
            " ".join(str(run["seed"]) for run in runs), f"{max(run['seconds'] for run in runs):.0f} s",
            "; ".join([verdict(task, trial, runs), *notes])]


MEASURES = {"acc": "Figures are accuracies; learned means {good:g} or more everywhere",
            "loss": "Figures are mean squared errors; learned means {good:g} or less everywhere",
            "bits": "Figures are lower bounds of the bit accuracy, 1 - loss / ln 2; learned means {good:g} or more"}


def bounds(task):
    told = MEASURES[task.measure].format(good=task.good)
    if all(trial.learns is not False for trial in task.trials):
        return told + "."
    where = f"beyond {' and '.join(task.as_trained)}" if task.as_trained else "everywhere"
    return f"{told}. A cell fails if it stays {'above' if task.measure == 'loss' else 'below'} {task.poor:g} {where}."


def circumstances(runs, shown, time="CPU time of a whole run"):
    dates = sorted({run["date"] for run in runs})
    seeds = sorted({run["seed"] for run in runs})
    threads = sorted({run["threads"] for run in runs})
    machines = sorted({run["machine"] for run in runs})
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    of_seeds = f"seed {seeds[0]} only" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}, {shown}"
    return (f"{span}; {of_seeds}; {' or '.join(map(str, threads))} thread{'' if threads == [1] else 's'}; {time} on "
            f"{' and '.join(machines)}.")


def table(task, found):
    """found: the runs of each trial, in their order."""
    titles = ["cell", "parameters", *task.examinations, "steps, rate", "seeds", "time", ""]
    runs = [run for each in found for run in each]
    lines = [f"## {task.title}", "", task.about + " " + bounds(task), ""]
    if runs:
        lines += [circumstances(runs, "the worst of each row shown"), ""]
    rows = [row(task, trial, each) for trial, each in zip(task.trials, found)]
    return "\n".join([*lines, reporting.table(titles, rows)]) + "\n"
