# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a race: a line a lane, best first, and its curves over steps."""

import csv
import json
import math

from bootstrap import interval, mean
from engine import number
from race_runs import figures_of, is_done, rows_of, state_of
from tables import as_text, written


def unit_of(run):
    """ "nats/token", of the folder's environment.json."""
    try:
        return json.loads((run / "environment.json").read_text(encoding="utf-8")).get("loss_unit", "")
    except (OSError, ValueError):
        return ""


def average(values):
    values = [value for value in values if value is not None]
    return mean(values) if values else None


def lane_row(folder, lane):
    runs = [folder.folder / each for each in lane["runs"]]
    figures = [each for each in (figures_of(folder, run) for run in runs) if each]
    losses = [each["loss"] for each in figures if each["loss"] is not None and math.isfinite(each["loss"])]
    low, high = interval(losses)
    unit = next((unit for run in runs if (unit := unit_of(run))), "")
    loss = mean(losses) if losses else None
    return {"lane": lane["name"], "block": lane["wish"], "width": f"{lane['param']} = {lane['value']}" if lane["param"] else "as in FILE",
            "parameters": lane["parameters"], "FLOPs/token": lane["flops"], "state": lane["state"],
            "runs": f"{len(figures)}/{len(runs)}", "diverged": sum(state_of(run) == "failed" for run in runs),
            "loss": loss, "low": low, "high": high, "bits": loss / math.log(2) if loss is not None and unit.startswith("nats") else None,
            "best": average(each["best"] for each in figures), "accuracy": average(each["accuracy"] for each in figures),
            "tokens/s": average(each["tokens/s"] for each in figures), "memory": average(each["memory"] for each in figures),
            "seconds": average(each["seconds"] for each in figures), "unit": unit}


def lane_rows(folder):
    """Best first; lanes without a loss last."""
    rows = [lane_row(folder, lane) for lane in folder.lanes]
    return sorted(rows, key=lambda row: (row["loss"] is None, row["loss"] or 0))


def table_of(folder):
    rows = lane_rows(folder)
    heads = ["lane", "width", "parameters", "FLOPs/token", "state", "runs", "loss", "low", "high", "bits", "best", "accuracy", "tokens/s", "memory MB", "seconds"]
    if any(row["diverged"] for row in rows):
        heads.insert(6, "diverged")

    def cell(row, head):
        if head == "memory MB":
            return round(row["memory"] / 1e6) if row["memory"] else None
        if head in ("tokens/s", "FLOPs/token", "state"):
            return round(row[head]) if row[head] is not None else None
        return row[head]
    return heads, [[cell(row, head) for head in heads] for row in rows]


def text_of(folder, form):
    heads, rows = table_of(folder)
    if form == "json":
        return "\n".join(json.dumps({"kind": "lane", **row}) for row in lane_rows(folder))
    if form != "text":
        return written(form, heads, rows)
    race = folder.race
    unit = next((row["unit"] for row in lane_rows(folder) if row["unit"]), "")
    below = (f"{race['node']} of {race['experiment']}, {'not matched' if race['match'] == 'none' else 'matched by ' + race['match']}; {race['steps']} steps of {race['tokens_a_step']} tokens, "
             f"{len(folder.seeds)} seeds. loss: mean over seeds{f', {unit}' if unit else ''}; low, high: its 95 % bootstrap interval.")
    return as_text(heads, rows) + "\n\n" + below


def curves(folder):
    """[lane, step, tokens, seeds, mean, low, high] of the validation loss, at steps that any of its runs evaluated."""
    rows = []
    for lane in folder.lanes:
        at = {}
        for run in lane["runs"]:
            for row in rows_of(folder.folder / run):
                value = number(row.get("val/loss"))
                if value is not None and math.isfinite(value):
                    at.setdefault((row["step"], row.get("tokens")), []).append(value)
        for (step, tokens), values in sorted(at.items()):
            rows.append([lane["name"], step, tokens, len(values), mean(values), *interval(values)])
    return rows


def write_files(folder):
    """table.csv, table.md, table.tex and curves.csv beside race.json."""
    heads, rows = table_of(folder)
    for form, name in (("csv", "table.csv"), ("markdown", "table.md"), ("latex", "table.tex")):
        (folder.folder / name).write_text(written(form, heads, rows) + "\n", encoding="utf-8")
    with open(folder.folder / "curves.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["lane", "step", "tokens", "seeds", "val/loss", "low", "high"])
        writer.writerows([["" if cell is None else cell for cell in row] for row in curves(folder)])


def end_line(folder, state):
    left = sum(not is_done(folder, run) for _, _, run in folder.runs())
    return {"kind": "end", "state": state, "out": str(folder.folder), "experiment": folder.race["experiment"], "node": folder.race["node"],
            "match": folder.race["match"], "target": folder.race["target"], "seeds": folder.seeds, "left": left, "lanes": lane_rows(folder)}
