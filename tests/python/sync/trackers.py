# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tracker has got, read by its own library: metrics {name: [(step, value)]}, settings, tags, samples [(step, text)], end."""

import pathlib

KINDS = ("tensorboard", "mlflow", "wandb")


def place(kind, folder):
    return f"sqlite:///{folder / 'm.db'}" if kind == "mlflow" else str(folder / kind)


class Got:
    def __init__(self):
        self.metrics, self.settings, self.tags, self.samples, self.end, self.runs = {}, {}, set(), [], {}, 0


def rows_of_text(text):
    lines = [line.strip("| ").split(" | ", 1) for line in text.splitlines()[2:]]
    return {line[0]: line[1] if len(line) > 1 else "" for line in lines}


def tensorboard(folder):
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.plugins.hparams import metadata

    got = Got()
    for place_of_run in sorted(path for path in (folder / "tensorboard").iterdir()):
        events = event_accumulator.EventAccumulator(str(place_of_run), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        got.runs += 1
        got.metrics = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
        texts = {tag: [(e.step, e.tensor_proto.string_val[0].decode()) for e in events.Tensors(tag)] for tag in events.Tags()["tensors"]
                 if tag in ("settings/text_summary", "run/text_summary", "sample/text_summary", "end/text_summary", "settings", "run", "sample", "end")}
        texts = {tag.removesuffix("/text_summary"): found for tag, found in texts.items()}
        got.settings = rows_of_text(texts["settings"][-1][1])
        got.tags = set(rows_of_text(texts["run"][-1][1]).get("tags", "").split(", "))
        got.samples = [(step, "\n".join(line.removeprefix("    ") for line in text.split("\n"))) for step, text in texts.get("sample", [])]
        got.end = rows_of_text(texts["end"][-1][1]) if "end" in texts else {}
        plugin = events.summary_metadata[metadata.SESSION_START_INFO_TAG].plugin_data
        got.hparams = metadata.parse_session_start_info_plugin_data(plugin.content).hparams
    return got


def mlflow(folder):
    from mlflow import MlflowClient

    client, got = MlflowClient(tracking_uri=place("mlflow", folder)), Got()
    experiment = client.get_experiment_by_name("unroll")
    runs = client.search_runs([experiment.experiment_id], order_by=["attributes.start_time"])
    got.runs = len(runs)
    run = next((r for r in runs if "unroll.replaces" in r.data.tags), runs[0])
    got.run = run
    got.metrics = {name: [(m.step, m.value) for m in client.get_metric_history(run.info.run_id, name)] for name in run.data.metrics}
    got.settings, got.tags = run.data.params, set(run.data.tags["unroll.tags"].split(","))
    for file in sorted(pathlib.Path(run.info.artifact_uri.removeprefix("file://")).glob("samples/*.txt")):
        got.samples.append((int(file.stem[5:13]), file.read_text()))
    got.end = {name.removeprefix("end."): value for name, value in run.data.tags.items() if name.startswith("end.")}
    got.status = run.info.status
    return got


BLOCK, HEADER = 32768, 7  # of a log in LevelDB's format


def logged(data):
    """The records of a .wandb file: a LevelDB log behind a head of seven bytes."""
    at, pieces = HEADER, []
    while at + HEADER <= len(data):
        if BLOCK - at % BLOCK < HEADER:
            at += BLOCK - at % BLOCK
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        pieces.append(data[at + HEADER : at + HEADER + length])
        at += HEADER + length
        if kind in (1, 4):  # whole, or the last piece
            yield b"".join(pieces)
            pieces = []


def records(path):
    from wandb.proto import wandb_internal_pb2

    for data in logged(path.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        yield record


def wandb(folder):
    import html
    import json
    import re

    got, files = Got(), sorted((folder / "wandb" / "wandb").glob("offline-run-*/*.wandb"), key=lambda path: path.stat().st_mtime)
    ids = []
    for file in files:
        for record in records(file):
            kind = record.WhichOneof("record_type")
            if kind == "run":
                if record.run.run_id not in ids:
                    ids.append(record.run.run_id)
                    got.metrics, got.samples = {}, []
                got.tags = set(record.run.tags) or got.tags
                got.settings |= {u.key: json.loads(u.value_json) for u in record.run.config.update}
            elif kind == "config":
                got.settings |= {u.key or ".".join(u.nested_key): json.loads(u.value_json) for u in record.config.update}
            elif kind == "history":
                row = {i.key or "/".join(i.nested_key): json.loads(i.value_json) for i in record.history.item}
                step = row.get("_step", record.history.step.num)
                for name, value in row.items():
                    if isinstance(value, (int, float)) and not name.startswith("_"):
                        got.metrics.setdefault(name, []).append((step, value))
                if "sample" in row or "sample/path" in row:
                    path = row["sample"]["path"] if "sample" in row else row["sample/path"]
                    text = (file.parent / "files" / path).read_text()
                    found = re.search(r"<pre>(.*)</pre>", text, re.DOTALL).group(1)
                    got.samples.append((step, html.unescape(found)))
            elif kind == "summary":
                got.end |= {u.key.removeprefix("end."): json.loads(u.value_json) for u in record.summary.update if u.key.startswith("end.")}
    got.runs = len(ids)
    return got


def got(kind, folder):
    return {"tensorboard": tensorboard, "mlflow": mlflow, "wandb": wandb}[kind](folder)
