# SPDX-License-Identifier: GPL-3.0-or-later
"""MLflow: a run of an experiment, with parameters, tags, metrics and samples as artifacts."""

import logging
import math
import os
import pathlib
import re

import mlflow
from mlflow.entities import Metric, Param, RunTag
from mlflow.utils.mlflow_tags import MLFLOW_PARENT_RUN_ID

AT_ONCE = 500  # metrics of a call; the server refuses more than 1000
MOST_PARAMS = 100  # of a call
MOST_LETTERS = 6000  # of a parameter
STATUS = {"finished": "FINISHED", "failed": "FAILED", "running": "RUNNING"}
STRANGE = re.compile(r"[^\w\-. :/]")  # what a name may not hold


def place_of(run, options):
    return options.at or os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{os.path.abspath('mlflow.db')}"


def named(name):
    return STRANGE.sub("_", name)


def parent_of(group, place, options, client, experiment):
    """The run of the whole group, whose children its runs are."""
    with group.entry(f"mlflow {place}") as entry:
        if "id" not in entry:
            tags = {"unroll.folder": str(group.path.resolve()), "unroll.kind": group.kind}
            entry["id"] = client.create_run(experiment, run_name=options.name or group.name, tags=tags).info.run_id
        return entry["id"]


def end_group(group, options, ended):
    """Says of the whole group whether it goes on."""
    place = place_of(None, options)
    with group.entry(f"mlflow {place}") as entry:
        if "id" in entry:
            client = mlflow.MlflowClient(tracking_uri=place)
            client.set_terminated(entry["id"]) if ended else client.update_run(entry["id"], status="RUNNING")


class Tracker:
    def __init__(self, run, entry, options):
        logging.getLogger("mlflow").setLevel(logging.WARNING)
        logging.getLogger("alembic").setLevel(logging.WARNING)
        self.place, self.run, self.entry = place_of(run, options), run, entry
        self.client = mlflow.MlflowClient(tracking_uri=self.place)
        self.started = 1000 * int(run.status.get("started", 0))
        self.last = self.started
        if "id" not in entry:
            entry["id"] = self.made(options, entry)
        self.id = entry["id"]
        if run.group:
            self.client.set_tag(self.id, MLFLOW_PARENT_RUN_ID, parent_of(run.group, self.place, options, self.client, self.experiment(options)))

    def experiment(self, options):
        """The number of the one that is named, made where it is not there."""
        project = options.project or "unroll"
        experiment = self.client.get_experiment_by_name(project)
        files = self.place.removeprefix("sqlite:///")
        beside = None if files == self.place else pathlib.Path(files).resolve().parent / "mlartifacts" / project
        return experiment.experiment_id if experiment else self.client.create_experiment(project, beside and beside.as_uri())

    def made(self, options, entry):
        tags = {"unroll.folder": str(self.run.path.resolve())}
        if entry.get("replaces"):
            tags["unroll.replaces"] = entry["replaces"]
        name = self.run.name if self.run.group else options.name or self.run.name
        return self.client.create_run(self.experiment(options), start_time=self.started or None, run_name=name, tags=tags).info.run_id

    def describe(self, settings, about, tags, note):
        """Parameters cannot be changed once they are set: what differs since is a tag."""
        known = self.client.get_run(self.id).data.params
        values = {named(name): str(value)[:MOST_LETTERS] for name, value in settings.items()}
        new = [Param(name, value) for name, value in values.items() if name not in known]
        for begin in range(0, len(new), MOST_PARAMS):
            self.client.log_batch(self.id, params=new[begin : begin + MOST_PARAMS])
        changed = {f"changed.{name}": value for name, value in values.items() if name in known and known[name] != value}
        marks = {
            **{f"unroll.{name}": str(value) for name, value in about.items()},
            **{tag: "" for tag in map(named, tags)},
            **changed,
        }
        if tags:
            marks["unroll.tags"] = ",".join(tags)
        if note:
            marks["mlflow.note.content"] = note
        self.client.log_batch(
            self.id, tags=[RunTag(named(name), value[:MOST_LETTERS]) for name, value in marks.items()]
        )

    def add(self, new):
        """The time of a row is that of its training, so that a row that was sent once is the same row."""
        metrics = []
        for step, values, texts in new.by_step():
            if not math.isnan(values.get("seconds", math.nan)):
                self.last = self.started + int(1000 * values["seconds"])
            metrics += [Metric(named(name), value, self.last, step) for name, value in values.items()]
            for number, text in enumerate(texts):
                self.client.log_text(self.id, text, f"samples/step-{step:08}{f'-{number}' if number else ''}.txt")
        for begin in range(0, len(metrics), AT_ONCE):
            self.client.log_batch(self.id, metrics=metrics[begin : begin + AT_ONCE])
        self.client.update_run(self.id, status="RUNNING")

    def end(self, summary):
        self.client.log_batch(
            self.id, tags=[RunTag(f"end.{name}", str(value)[:MOST_LETTERS]) for name, value in summary.items()]
        )
        self.client.set_terminated(self.id, status=STATUS.get(summary["state"], "KILLED"), end_time=self.last)

    def close(self):
        pass
