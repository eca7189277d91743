# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting unroll-cli from tests. UNROLL_CLI names the program; without it the newest one below build/ is taken."""

import csv
import itertools
import json
import os
import pathlib
import random
import socket
import subprocess
import time

import pytest
from tensorboard.backend.event_processing import event_accumulator

ROOT = pathlib.Path(__file__).resolve().parents[3]
GALLERY = [path.stem for path in sorted((ROOT / "resources" / "experiments").glob("*.unroll"))]

slow = pytest.mark.skipif("UNROLL_TEST_ALL" not in os.environ, reason="slow: ./dev test --all")


def gallery(*usual):
    """The gallery's experiments as parameters of a test; what is not named is for ./dev test --all."""
    assert set(usual) <= set(GALLERY)
    return [pytest.param(name, marks=() if name in usual else slow) for name in GALLERY]


def program():
    named = os.environ.get("UNROLL_CLI")
    if named:
        return named
    built = sorted(ROOT.glob("build/*/app/cli/unroll-cli"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.skip("unroll-cli is not built and UNROLL_CLI does not name one")
    return str(built[-1])


started = []  # conftest.py ends what a failed test leaves running
PATIENCE = 240  # seconds that a wait may take on a busy machine; when all goes well none takes long


def start(*arguments, folder=None, stdout=subprocess.PIPE, before=None, user=None, **environment):
    """The process, with pipes for its outputs. `before` runs in the child, which may be another user's."""
    words = [program(), *map(str, arguments)]
    started.append(subprocess.Popen(words, cwd=folder, env=dict(os.environ, **environment), text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=stdout,
                                    stderr=subprocess.PIPE, preexec_fn=before, user=user, extra_groups=None if user is None else []))
    return started[-1]


def nobody():
    """A user whom file modes bind: this one, or for root 65534, who must be able to start the program."""
    if os.geteuid() != 0:
        return None
    try:
        if start("--version", user=65534).wait(PATIENCE) == 0:
            return 65534
    except OSError:
        pass
    pytest.skip("the program lies where only root may read")


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def lines(self):
        """stdout as one JSON object a line; anything else on it is an error."""
        return [json.loads(line) for line in self.out.splitlines()]

    def of(self, kind):
        return [line for line in self.lines if line.get("kind") == kind]

    @property
    def losses(self):
        return {row["step"]: row["train/loss"] for row in self.of("metrics") if "train/loss" in row}


def run(*arguments, seconds=300, code=None, **how):
    """Runs to the end. With `code` the exit code is demanded."""
    process = start(*arguments, **how)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    outcome = Outcome(process.returncode, out or "", err)
    assert code is None or outcome.code == code, f"exit {outcome.code}, expected {code}\n{out}\n{err}"
    return outcome


ports = itertools.count(os.getpid() % 2000)


def free_port():
    """One that nobody has, below those that the system gives out by itself: it stays free until it is used. Workers of pytest-xdist have their own 2,000."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 5
    for _ in range(2000):
        port = 20_000 + 2000 * worker + next(ports) % 2000
        with socket.socket() as held:
            try:
                held.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise AssertionError("no port is free")


def small_text(path, characters=20_000, seed=1):
    """A text of made-up words with a little structure to learn."""
    draw = random.Random(seed)
    words = ["".join(draw.choice("abcdefgh") for _ in range(draw.randint(2, 5))) for _ in range(30)]
    text = ""
    while len(text) < characters:
        text += draw.choice(words) + draw.choice([" ", " ", " ", ". ", "\n"])
    path.write_text(text)
    return path


def document(file, nodes=None, wires=None, training=None, **members):
    """A small experiment: text -> embedding -> lstm -> head, or with the given nodes {name: (block, params)} and wires."""
    nodes = nodes if nodes is not None else {"text": ("text", {"file": str(file), "steps": 16, "order": "streams"}), "embedding": ("embedding", {"width": 12}),
                      "lstm": ("lstm", {"units": 11}), "head": ("head", {})}
    wires = wires if wires is not None else ["text.tokens -> embedding.tokens", "embedding.y -> lstm.x", "lstm.y -> head.x", "text.targets -> head.targets"]
    settings = {"steps": 40, "batch": 4, "learning_rate": 0.03, "final_learning_rate": 0.003, "warmup": 4, "evaluate_every": 10,
                "evaluate_batches": 3, "sample_every": 20, "sample_tokens": 20, "checkpoint_every": 10, "threads": 1, "device": "cpu"}
    graph = {"nodes": [{"id": i, "block": block, "name": name, "at": [200 * i, 0], "params": params}
                       for i, (name, (block, params)) in enumerate(nodes.items(), 1)],
             "wires": wires, "next_id": len(nodes) + 1}
    return {"unroll": 1, "title": "Small", "summary": "For tests.", "seed": 1, "training": {**settings, **(training or {})}, "graph": graph,
            **members}


def write_document(path, *arguments, **keywords):
    path.write_text(json.dumps(document(*arguments, **keywords)))
    return path


def write_group(path, file, repeat=3, shared=False):
    """text -> embedding -> group of (layer norm -> lstm), repeated -> head."""
    inner = {"nodes": [{"id": 1, "block": "layer_norm", "name": "norm", "at": [0, 0], "params": {}},
                       {"id": 2, "block": "lstm", "name": "lstm", "at": [200, 0], "params": {"units": 12}}],
             "wires": ["norm.y -> lstm.x"], "next_id": 3}
    group = {"repeat": repeat, "shared_weights": shared, "inputs": ["x -> norm.x"], "outputs": ["lstm.y -> y"], "params": [], **inner}
    experiment = document(file, nodes={"text": ("text", {"file": str(file), "steps": 16, "order": "streams"}),
                                       "embedding": ("embedding", {"width": 12}), "body": ("group", {}), "head": ("head", {})},
                          wires=["text.tokens -> embedding.tokens", "embedding.y -> body.x", "body.y -> head.x",
                                 "text.targets -> head.targets"])
    experiment["graph"]["nodes"][2]["group"] = group
    path.write_text(json.dumps(experiment))
    return path


def write_layers(path, file, attention):
    """text -> embedding -> four layers of SRU++, as copies of a group -> head."""
    experiment = json.loads(write_group(path, file, 4).read_text())
    layer = {"units": 12, "projection_size": 6, "num_heads": 2, "window": 16, "attention": attention}
    experiment["graph"]["nodes"][2]["group"] |= {
        "nodes": [{"id": 1, "block": "srupp", "name": "srupp", "at": [0, 0], "params": layer}], "wires": [], "next_id": 2,
        "inputs": ["x -> srupp.x"], "outputs": ["srupp.y -> y"]}
    path.write_text(json.dumps(experiment))
    return path


def wait_until(process, condition, seconds=PATIENCE):
    """`process` must live as long; None: there is none to watch."""
    until = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def rows(folder):
    with open(folder / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


def losses(folder):
    return {int(row["step"]): float(row["train/loss"]) for row in rows(folder)}


def ended(process, code=0, seconds=PATIENCE):
    """What a started process prints until it ends, with this exit code; None: with any."""
    out, err = process.communicate(timeout=seconds)
    assert code is None or process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
    return out, err


def near(found, wanted, most=1e-6):
    """Losses at the same steps, by step."""
    assert found.keys() == wanted.keys()
    worst = max(abs(found[step] - wanted[step]) for step in wanted)
    print(f"largest difference of the losses: {worst:.1e}")
    assert worst <= most


def trained_by_one_process(folder, text):
    """An experiment of 50 updates, and its losses by one process."""
    small = write_document(folder / "small.unroll", text, training={"steps": 50, "sample_every": 0})
    run("train", small, "--run", folder / "one", "--quiet", code=0)
    return small, losses(folder / "one")


def events_of(folder, tag="train/loss"):
    """(step, value) as tensorboard reads them."""
    events = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(tag)]
