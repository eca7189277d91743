# SPDX-License-Identifier: GPL-3.0-or-later
"""race.json, and what the run folders of its lanes hold so far."""

import json
import pathlib

from refused import Refused

MEASURED = "measured.json"  # what no run's folder says: memory


class RaceFolder:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        try:
            self.race = json.loads((self.folder / "race.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise Refused(f"{self.folder}: there is no race ({error.strerror})") from None
        except ValueError as error:
            raise Refused(f"{self.folder / 'race.json'}: {error}") from None
        self.lanes = [lane for lane in self.race["lanes"] if not lane.get("refused")]
        self.refused = len(self.race["lanes"]) - len(self.lanes)
        self.seeds, self.steps = self.race["seeds"], self.race["steps"]

    def runs(self):
        """(lane, seed, folder): every lane with one seed, then with the next."""
        for index, seed in enumerate(self.seeds):
            for lane in self.lanes:
                yield lane, seed, self.folder / lane["runs"][index]

    def measured(self):
        try:
            return json.loads((self.folder / MEASURED).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def measure(self, run, figures):
        measured = self.measured()
        before = measured.setdefault(run.name, {})
        before |= {name: max(value, before.get(name, 0)) for name, value in figures.items()}
        part = self.folder / (MEASURED + ".part")
        part.write_text(json.dumps(measured, indent=1), encoding="utf-8")
        part.replace(self.folder / MEASURED)


def rows_of(run):
    """Rows of metrics, the newest of each step: a run that was resumed has steps again."""
    rows = {}
    try:
        text = (run / "metrics.jsonl").read_text(encoding="utf-8")
    except OSError:
        return []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # being written
        rows[row["step"]] = {**rows.get(row["step"], {}), **row}
    return [rows[step] for step in sorted(rows)]


def state_of(run):
    try:
        return json.loads((run / "status.json").read_text(encoding="utf-8")).get("state", "")
    except (OSError, ValueError):
        return ""


def is_done(folder, run):
    """Whether nothing is left to train there: it has come to its end, or diverged."""
    rows = rows_of(run)
    if not rows:
        return False
    state = state_of(run)
    if state == "failed":
        return True
    in_time = folder.race["seconds"] > 0 and rows[-1].get("seconds", 0) >= folder.race["seconds"] and state != "running"
    return in_time or (state == "finished" and rows[-1]["step"] >= folder.steps)
