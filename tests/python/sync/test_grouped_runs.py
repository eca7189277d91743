# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of a race or a search, sent as a group."""

import json
import shutil
import threading

import pytest
import trackers
from conftest import holding


def race_at(folder, run, lanes=("gru", "lstm"), seeds=2, begun=None):
    """A race whose runs are copies of one; `begun`: of how many there are folders."""
    planned = [(lane, f"runs/{lane}-seed-{seed + 1}") for lane in lanes for seed in range(seeds)]
    folder.mkdir()
    said = {"race": 1, "lanes": [{"name": lane, "runs": [path for name, path in planned if name == lane]} for lane in lanes]}
    (folder / "race.json").write_text(json.dumps(said))
    for _, path in planned[:begun]:
        shutil.copytree(run, folder / path)
    return folder


def study_at(folder, run, name="rates", trials=3):
    """study.toml and its runs."""
    folder.mkdir()
    (folder / "s.toml").write_text(f'experiment = "x"\nname = "{name}"\n')
    for number in range(trials):
        path = folder / "s-runs" / f"{number:04}"
        shutil.copytree(run, path)
        environment = json.loads((path / "environment.json").read_text())
        (path / "environment.json").write_text(json.dumps({**environment, "trial": {"study": name, "number": number, "params": {"lstm.units": number}}}))
    return folder / "s.toml"


@pytest.fixture
def mlflow_runs(tmp_path):
    pytest.importorskip("mlflow")
    from mlflow import MlflowClient

    def read():
        client = MlflowClient(tracking_uri=trackers.place("mlflow", tmp_path))
        runs = client.search_runs([client.get_experiment_by_name("unroll").experiment_id])
        parents = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
        return parents, [run for run in runs if run not in parents]

    return read


def test_a_race_is_a_parent_and_its_runs_in_mlflow(run, send, tmp_path, mlflow_runs):
    race = race_at(tmp_path / "cells", run, begun=3)
    words = ("--to", "mlflow", "--at", trackers.place("mlflow", tmp_path))
    said = send(race, *words)
    assert said.count("40 rows and 2 samples") == 3 and said.endswith("race cells: 3 runs, 1 run not begun\n")
    (parent,), children = mlflow_runs()
    assert parent.info.run_name == "cells" and parent.info.status == "RUNNING" and parent.data.tags["unroll.kind"] == "race"
    assert {child.data.tags["mlflow.parentRunId"] for child in children} == {parent.info.run_id}
    assert {child.info.run_name: child.data.tags["unroll.lane"] for child in children} == {"gru-seed-1": "gru", "gru-seed-2": "gru", "lstm-seed-1": "lstm"}
    shutil.copytree(run, race / "runs" / "lstm-seed-2")
    assert "lstm-seed-2: 40 rows" in (said := send(race / "race.json", *words)) and said.count("nothing new") == 3
    (again,), children = mlflow_runs()
    assert again.info.run_id == parent.info.run_id and again.info.status == "FINISHED" and len(children) == 4


def test_a_study_is_a_parent_too_by_its_file_and_by_its_folder(run, send, tmp_path, mlflow_runs):
    file = study_at(tmp_path / "study", run)
    words = ("--to", "mlflow", "--at", trackers.place("mlflow", tmp_path))
    assert send(file, *words).endswith("study rates: 3 runs\n")
    assert send(file.parent / "s-runs", *words).count("nothing new") == 3
    (parent,), children = mlflow_runs()
    assert parent.info.run_name == "rates" and len(children) == 3 and {child.data.tags["unroll.study"] for child in children} == {"rates"}


def test_tensorboard_has_the_runs_in_the_groups_folder_and_seeds_in_one_row(run, send, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.plugins.hparams import metadata

    send(race_at(tmp_path / "cells", run), "--to", "tensorboard", "--at", tmp_path / "board")
    folders = sorted((tmp_path / "board" / "cells").iterdir())
    assert [folder.name for folder in folders] == ["gru-seed-1", "gru-seed-2", "lstm-seed-1", "lstm-seed-2"]
    rows = []
    for folder in folders:
        events = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        assert len(events.Scalars("train/loss")) == 40
        plugin = events.summary_metadata[metadata.SESSION_START_INFO_TAG].plugin_data
        rows.append(metadata.parse_session_start_info_plugin_data(plugin.content).group_name)
    assert rows == ["cells/gru"] * 2 + ["cells/lstm"] * 2


def test_wandb_has_a_group_and_lanes_offline(run, send, tmp_path):
    pytest.importorskip("wandb")
    send(race_at(tmp_path / "cells", run, seeds=1), "--to", "wandb", "--offline", "--at", tmp_path / "w", "--name", "mine")
    told = {}
    for file in (tmp_path / "w" / "wandb").glob("offline-run-*/*.wandb"):
        for record in trackers.records(file):
            if record.WhichOneof("record_type") == "run":
                told[record.run.display_name] = record.run.run_group, record.run.job_type
    assert told == {"gru-seed-1": ("mine", "gru"), "lstm-seed-1": ("mine", "lstm")}


def test_a_race_is_followed_until_its_last_run_has_ended(run, send, tmp_path, mlflow_runs):
    """A run that goes on, and one that begins later."""
    race = race_at(tmp_path / "cells", run, seeds=1, begun=1)
    status = race / "runs" / "gru-seed-1" / "status.json"
    ended = status.read_text()
    status.write_text(json.dumps({**json.loads(ended), "state": "running"}))
    held = holding(race / "runs" / "gru-seed-1")
    held.__enter__()

    def later():
        held.__exit__(None, None, None)
        status.write_text(ended)
        shutil.copytree(run, race / "runs" / "part")
        (race / "runs" / "part").rename(race / "runs" / "lstm-seed-1")

    timer = threading.Timer(3, later)
    timer.start()
    said = send(race, "--to", "mlflow", "--at", trackers.place("mlflow", tmp_path), "--follow", "--every", "0.2")
    timer.join()
    assert "(the run has not ended)" in said and said.endswith("race cells: 2 runs\n") and "lstm-seed-1: 40 rows" in said
    (parent,), children = mlflow_runs()
    assert parent.info.status == "FINISHED" and {child.info.status for child in children} == {"FINISHED"}


def test_a_folder_of_runs_is_sent_run_by_run(run, send, tmp_path):
    pytest.importorskip("tensorboard")
    shutil.copytree(run, run.parent / "other")
    said = send(run.parent, "--to", "tensorboard", "--at", tmp_path / "board")
    assert "small: 40 rows" in said and "other: 40 rows" in said
    assert "--name is the name of one run" in send(run.parent, "--to", "tensorboard", "--at", tmp_path / "b", "--name", "x", code=1)
    both = send(run, run.parent / "other", "--to", "tensorboard", "--at", tmp_path / "b", "--name", "x", code=1)
    assert "one run, race or study, and 2 are given" in both and not (tmp_path / "b").exists()


def test_what_is_no_group_is_said(run, send, tmp_path):
    for name, text, said in (("race.json", "{", "this is not the file of a race"), ("race.json", "{}", "this is not the file of a race: 'lanes'"),
                             ("s.toml", "x =", "this is not the file of a study"), ("s.toml", 'experiment = "x"', "no trial of the study has begun")):
        folder = tmp_path / "wrong"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / name).write_text(text)
        assert said in send(folder / name, "--to", "tensorboard", "--at", tmp_path / "b", code=1)
    assert "this is not a run: it contains no experiment.unroll" in send(tmp_path / "wrong", "--to", "tensorboard", code=1)
