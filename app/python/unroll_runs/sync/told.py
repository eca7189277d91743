# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told about a run besides its rows: settings, where it was made, and how it ended."""

import json

from ..table import row_of

ABOUT = (
    "version",
    "torch",
    "device",
    "threads",
    "products",
    "data",
    "data_hash",
    "parameters",
    "flops_token",
    "loss_unit",
)
ENDED = (
    "state",
    "reason",
    "step",
    "best_val_loss",
    "best_step",
    "final_loss",
    "final_bpc",
    "final_acc",
    "seconds",
    "tokens",
)


def plain(value):
    """As trackers take it: a number, a truth value or a text."""
    return value if isinstance(value, (str, int, float, bool)) else json.dumps(value)


def of_nodes(graph, before=""):
    for node in graph.get("nodes", []):
        name = before + node.get("name", "")
        yield f"{name}.block", node.get("block", "")
        for key, value in node.get("params", {}).items():
            yield f"{name}.{key}", plain(value)
        yield from of_nodes(node.get("group", {}), name + "/")


def settings(run):
    """{name: value}: training.NAME, the seed, NODE.block and NODE.PARAMETER, GROUP/NODE.PARAMETER."""
    experiment = run.experiment
    found = {f"training.{name}": plain(value) for name, value in experiment.get("training", {}).items()}
    return {
        **found,
        "seed": run.environment.get("seed", str(experiment.get("seed", ""))),
        **dict(of_nodes(experiment.get("graph", {}))),
    }


def about(run):
    """Where and on what it was made."""
    environment = run.environment
    found = {name: plain(environment[name]) for name in ABOUT if environment.get(name) not in (None, "")}
    trial = environment.get("trial", {})
    groups = {run.group.kind: run.group.name, **({"lane": run.lane} if run.lane else {})} if run.group else {}
    return {
        **found,
        **groups,
        **{f"trial.{name}": plain(value) for name, value in trial.items()},
        "title": run.experiment.get("title", ""),
    }


def tags(run):
    return list(run.environment.get("tags", []))


def summary(run):
    """How it ended, what is known of it."""
    row = row_of(run)
    return {name: row[name] for name in ENDED if row.get(name) not in (None, "")}
