# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as a table."""

import pathlib

from .folder import NotARun, RunFolder

SUMMED = ("train/loss", "val/loss", "val/bpc", "val/acc", "final/loss", "final/bpc", "final/acc")


def row_of(run):
    """A run in figures. Losses in the unit that `loss_unit` names; absent figures are None."""
    experiment, environment, status, rows = run.experiment, run.environment, run.status, run.rows()
    training = experiment.get("training", {})
    newest = {name: value for _, values in rows for name, value in values.items()}
    measured = [(values["val/loss"], step) for step, values in rows if values.get("val/loss") is not None]
    best = min((entry for entry in measured if entry[0] == entry[0]), default=(None, None))
    row = {"run": run.name, "folder": str(run.path), "title": experiment.get("title", ""), "state": status["state"]}
    row |= {"step": rows[-1][0] if rows else 0, "steps": training.get("steps")}
    row |= {"best_val_loss": best[0], "best_step": best[1]}
    row |= {name.replace("/", "_"): newest.get(name) for name in SUMMED}
    row |= {name: newest.get(name) for name in ("tokens", "seconds")}
    row |= {name: environment.get(name) for name in ("loss_unit", "parameters", "device", "threads", "seed", "version")}
    row |= {
        "tags": ",".join(environment.get("tags", [])),
        "note": run.note,
        "started": status.get("started"),
        "reason": status.get("reason", ""),
    }
    return row | {f"training.{name}": value for name, value in training.items() if not isinstance(value, (dict, list))}


def rows_of(folder):
    place = pathlib.Path(folder).expanduser()
    if not place.is_dir():
        raise NotARun(f"{place}: there is no such folder")
    if (place / "experiment.unroll").exists():
        return [row_of(RunFolder(place))]
    found = []
    for path in sorted(entry for entry in place.iterdir() if entry.is_dir() and not entry.name.startswith(".")):
        try:
            found.append(row_of(RunFolder(path)))
        except NotARun:
            continue
    return found


def runs(folder="runs"):
    """The runs in a folder, one a row, in the order of their names: a pandas DataFrame, or without pandas a list of
    dicts. Other folders in it are left out. A folder that is a run itself gives one row."""
    rows = rows_of(folder)
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
