# SPDX-License-Identifier: GPL-3.0-or-later
"""TensorBoard: an events file with curves, settings (also as hyperparameters), texts and the end."""

import math
import pathlib

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.plugins.hparams.summary_v2 import hparams_pb
from tensorboard.plugins.text.summary_v2 import text_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter

STATUS = {"finished": api_pb2.STATUS_SUCCESS, "failed": api_pb2.STATUS_FAILURE}


def place_of(run, options):
    """A folder for each run; those of a group side by side in the group's."""
    folder = pathlib.Path(options.at or "tensorboard").expanduser().resolve()
    return str(folder / (options.name or run.group.name) / run.name if run.group else folder / (options.name or run.name))


def rows_as_table(values):
    lines = (f"| {name} | {str(value).replace('|', '&#124;')} |" for name, value in values.items())
    return "\n".join(["| | |", "|---|---|", *lines])


class Tracker:
    def __init__(self, run, entry, options):
        self.started = run.status.get("started", 0)
        # HParams shows runs of one group, the seeds of a lane, as one row
        self.trial = f"{run.group.name}/{run.lane}" if run.lane else None
        self.place = place_of(run, options)
        self.last = self.started
        for file in entry.pop("replaces", None) or []:  # what the run was before it was taken back
            (pathlib.Path(self.place) / file).unlink(missing_ok=True)
        before = self.files()
        self.writer = EventFileWriter(self.place, filename_suffix=".unroll")
        entry["id"] = sorted({*entry.get("id", []), *(self.files() - before)})

    def files(self):
        return {file.name for file in pathlib.Path(self.place).glob("*.unroll")}

    def put(self, summary, step=0, wall_time=None):
        self.writer.add_event(event_pb2.Event(wall_time=wall_time or self.last, step=step, summary=summary))

    def put_text(self, name, text, step=0):
        self.put(text_pb(name, text), step)

    def describe(self, settings, about, tags, note):
        self.put(hparams_pb(settings, trial_id=self.trial, start_time_secs=self.started))
        self.put_text("settings", rows_as_table(settings))
        self.put_text(
            "run",
            rows_as_table({**about, **({"tags": ", ".join(tags)} if tags else {}), **({"note": note} if note else {})}),
        )

    def add(self, new):
        for step, values, texts in new.by_step():
            if not math.isnan(values.get("seconds", math.nan)):
                self.last = self.started + values["seconds"]
            scalars = [summary_pb2.Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            if scalars:
                self.put(summary_pb2.Summary(value=scalars), step)
            for text in texts:
                self.put_text("sample", "\n".join("    " + line for line in text.splitlines()), step)

    def end(self, summary):
        self.put_text("end", rows_as_table(summary), int(summary.get("step", 0)))
        ended = plugin_data_pb2.SessionEndInfo(
            status=STATUS.get(summary["state"], api_pb2.STATUS_UNKNOWN), end_time_secs=self.last
        )
        data = plugin_data_pb2.HParamsPluginData(session_end_info=ended, version=metadata.PLUGIN_DATA_VERSION)
        value = summary_pb2.Summary.Value(
            tag=metadata.SESSION_END_INFO_TAG,
            metadata=metadata.create_summary_metadata(data),
            tensor=metadata.NULL_TENSOR,
        )
        self.put(summary_pb2.Summary(value=[value]))

    def close(self):
        self.writer.flush()
        self.writer.close()
