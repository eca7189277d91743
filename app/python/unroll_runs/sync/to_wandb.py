# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights & Biases: a run of a project, with config, tags, curves, samples and summary. Without a network (--offline)
it lies in wandb/offline-run-*, which `wandb sync` sends later."""

import html
import os
import pathlib
import secrets

import wandb


def place_of(run, options):
    return f"{options.project or os.environ.get('WANDB_PROJECT') or 'unroll'} {folder_of(options)}"


def folder_of(options):
    return str(pathlib.Path(options.at or os.environ.get("WANDB_DIR") or ".").expanduser().resolve())


class Tracker:
    def __init__(self, run, entry, options):
        os.environ.setdefault("WANDB_SILENT", "true")
        entry.setdefault("id", secrets.token_hex(4))
        folder = folder_of(options)
        os.makedirs(folder, exist_ok=True)
        mode = "offline" if options.offline else os.environ.get("WANDB_MODE", "online")
        self.entry = entry
        self.run = wandb.init(
            project=options.project or os.environ.get("WANDB_PROJECT") or "unroll",
            name=run.name if run.group else options.name or run.name,
            group=(options.name or run.group.name) if run.group else None,
            job_type=run.lane or None,
            id=entry["id"],
            dir=folder,
            mode=mode,
            resume="allow",
            tags=list(run.environment.get("tags", [])) or None,
            settings=wandb.Settings(console="off", x_disable_stats=True, disable_git=True, disable_code=True),
        )
        self.place = self.run.url or self.run.dir

    def describe(self, settings, about, tags, note):
        config = {**settings, **{f"run.{name}": value for name, value in about.items()}}
        if self.entry.get("replaces"):
            config["run.replaces"] = self.entry["replaces"]
        self.run.config.update(config, allow_val_change=True)
        self.run.tags = tuple(tags)
        self.run.notes = note or None

    def add(self, new):
        for step, values, texts in new.by_step():
            shown = (
                {"sample": wandb.Html("".join(f"<pre>{html.escape(text)}</pre>" for text in texts))} if texts else {}
            )
            self.run.log({**values, **shown}, step=step)

    def end(self, summary):
        self.run.summary.update({f"end.{name}": value for name, value in summary.items()})

    def close(self):
        self.run.finish()
        wandb.teardown()  # waits until all is written
