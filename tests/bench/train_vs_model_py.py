#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training by unroll-cli against a plain PyTorch loop over the exported model.py (fused AdamW): same initial weights, same batches, same settings.

    train_vs_model_py.py --cli build/dev/app/cli/unroll-cli --data tinyshakespeare.txt [--models char-lstm ...] [--settings char large]
                         [--rounds 5] [--final] [--json FILE]

For each model: the first losses side by side; the floating-point operations of a step's matrix products, by torch's count; tokens per second,
measured in alternating processes, as the median of the paired ratios, for LSTM also with torch.nn.LSTM in the place of the step loop; the
ceiling, which is the PyTorch step with every recurrence replaced by a copy (its matrices multiply all steps at once), and our share of it; with
--final the loss on the whole validation split after the full run, mean of two seeds. Ends with a table. Time it on a machine that does nothing
else. Exits 1 when a difference in the losses is larger or a ratio of speeds smaller than the bounds.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from engine import DIVERGED, Engine
from reporting import processor, table

LOOP = pathlib.Path(__file__).with_name("model_py_loop.py")
# Held to the bound on the first losses; where values are rounded they may drift apart.
EXACT = {"char-lstm", "char-sru", "char-gpt", "char-mru"}


def widened(width, blocks, **more):
    """Assignments that make an experiment this wide; `blocks` are its paths to recurrent blocks."""
    made = {"embedding.width": width, **{f"{block}.units": width for block in blocks}, **more}
    return [f"{name}={value}" for name, value in made.items()]


@dataclasses.dataclass(frozen=True)
class Setting:
    """How the experiments of the gallery are changed, and how long one process is timed."""
    warm: int  # steps before the clock starts
    steps: int
    changes: dict  # by model; where it has no entry the model is not measured unless asked for
    least_ratio: dict  # of tokens per second to model.py's
    least_share: float  # of the ceiling


SETTINGS = {
    "char": Setting(20, 120, {
        "char-gpt": ["embedding.width=256", "layer.up.width=1024", "layer.down.width=256"],
        "char-lstm": [], "char-sru": [], "char-grumml": [], "char-lrumml": [], "char-mru": [],
    }, {"char-gpt": 1.5, "char-lstm": 1.2, "char-sru": 2.4, "char-grumml": 1.7, "char-lrumml": 2, "char-mru": 2}, 0.8),
    "large": Setting(2, 7, {
        "char-sru": widened(512, [f"sru_{i}" for i in range(1, 5)], **{"text.steps": 512}),
        "char-grumml": widened(512, [f"grumml_{i}" for i in range(1, 4)], **{"text.steps": 512}),
        "char-lrumml": widened(512, ["layer.lrumml", "layer.mix"], **{"text.steps": 512, "layer.lrumml.state_size": 512}),
    }, {"char-sru": 3, "char-grumml": 3, "char-lrumml": 3}, 0),
}

QUIET = [f"training.{name}=0" for name in ("evaluate_every", "sample_every", "checkpoint_every")]
SHORT = ["training.evaluate_whole=false", "training.evaluate_batches=1"]


class Comparison:
    """One model in one setting."""

    def __init__(self, options, name, setting, folder):
        self.options, self.name, self.setting, self.folder = options, name, SETTINGS[setting], folder
        self.engine = Engine(options.cli, options.threads)
        self.changes = self.setting.changes.get(name, [])
        self.warm = self.setting.warm
        self.steps = options.steps or self.setting.steps
        self.row = {"model": name, "setting": setting}
        self.good = True

    def bounded(self, holds, sentence, fault):
        print(f"  {sentence}{'' if holds else '  ' + fault}", flush=True)
        self.good = self.good and holds

    def ours(self, folder, steps, seed, changes):
        assignments = [word for change in [*self.changes, *QUIET, *changes] for word in ("--set", change)]
        trained = self.engine.train(self.name, folder, seed, "--data", self.options.data, "--steps", steps, *assignments)
        if trained.code == DIVERGED:
            sys.exit(f"{self.name} diverged.\n{trained.told}")
        return trained.metrics

    def theirs(self, folder, steps, seed, *more):
        words = [sys.executable, LOOP, folder, "--data", self.options.data, "--steps", steps, "--warm", self.warm, "--seed", seed, "--threads",
                 self.options.threads, *more]
        environment = dict(os.environ, OMP_NUM_THREADS=str(self.options.threads))
        return json.loads(subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout)

    def count(self, out):
        """What no program in fp32 can leave out but where a factor is a few integers."""
        words = [sys.executable, LOOP, out, "--data", self.options.data, "--count"]
        flops = json.loads(subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True).stdout)
        self.row["gflop"] = {way: flops[way] / 1e9 for way in ("forward", "backward")}
        print("  matrix products of a step: forward {forward:.1f}, backward {backward:.1f} GFLOP".format(**self.row["gflop"]), flush=True)

    def export(self, run, out):
        self.engine.call("export", run, "--format", "python", "--out", out, "--json")

    def prepare(self, folder, seed):
        """A folder with model.py, the settings of the experiment, and the weights that training begins with: a step at learning rate 0
        leaves them as they were drawn."""
        self.ours(folder / "one", 1, seed, SHORT)
        self.ours(folder / "still", 1, seed, [*SHORT, "training.learning_rate=0", "training.final_learning_rate=0"])
        self.export(folder / "one", folder / "settings")
        self.export(folder / "still", folder / "exported")
        source = (folder / "settings" / "model.py").read_text().replace("steps=1,", f"steps={self.options.final_steps},", 1)
        (folder / "exported" / "model.py").write_text(source)
        return folder / "exported"

    def first_losses(self, out):
        mine = [row["train/loss"] for row in self.ours(self.folder / "losses", self.warm, 1, SHORT)][:self.warm]
        python = self.theirs(out, self.warm, 1)["losses"]
        worst = max(abs(a - b) for a, b in zip(mine, python))
        self.row["losses_differ"] = worst
        self.bounded(worst <= 1e-4 or self.name not in EXACT,
                     f"first losses {mine[0]:.6f} ... {mine[-1]:.6f} against {python[0]:.6f} ... {python[-1]:.6f}; largest difference "
                     f"{worst:.1e} of {len(mine)}", "TOO LARGE")

    def our_speed(self, folder):
        rows = self.ours(folder, self.steps, 1, SHORT)
        first, last = rows[self.warm - 1], rows[-2]  # the last row waits for the closing evaluation
        return (last["tokens"] - first["tokens"]) / (last["seconds"] - first["seconds"])

    def speed(self, out):
        kinds = ["steps", "copy"] + (["torch"] if self.name == "char-lstm" else [])
        mine, python = [], {kind: [] for kind in kinds}
        for turn in range(self.options.rounds):
            mine.append(self.our_speed(self.folder / f"speed-{turn}"))
            for kind in kinds:
                python[kind].append(self.theirs(out, self.steps, 1, "--recurrence", kind)["tokens_per_s"])
        for kind, what in (("steps", "model.py"), ("torch", "model.py with torch.nn.LSTM"), ("copy", "the ceiling, a copy for the recurrence,")):
            if kind not in python:
                continue
            ratios = [a / b for a, b in zip(mine, python[kind])]
            middle = statistics.median(ratios)
            self.row[kind] = {"tokens_per_s": statistics.median(python[kind]), "ratio": middle, "least": min(ratios), "greatest": max(ratios)}
            least = self.setting.least_share if kind == "copy" else self.setting.least_ratio.get(self.name, 0)
            self.bounded(middle >= least, f"tokens/s     unroll {statistics.median(mine):,.0f}, {what} {statistics.median(python[kind]):,.0f}; "
                         f"ratio {middle:.2f} (median of {len(ratios)} pairs, {min(ratios):.2f} to {max(ratios):.2f})", f"BELOW {least}")
        self.row["tokens_per_s"] = statistics.median(mine)

    def final_losses(self):
        mine, python = [], []
        for seed in (1, 2):
            place = self.folder / f"final-{seed}"
            place.mkdir()
            out = self.prepare(place, seed)
            mine.append(self.ours(place / "run", self.options.final_steps, seed, [])[-1]["final/loss"])
            python.append(self.theirs(out, self.options.final_steps, seed, "--final")["final"])
        difference = abs(statistics.mean(mine) - statistics.mean(python))
        self.row["final"] = {"unroll": mine, "model.py": python}
        self.bounded(difference <= 0.03, f"final loss   unroll {statistics.mean(mine):.4f} {mine}, model.py {statistics.mean(python):.4f} "
                     f"{python}; difference {difference:.4f}", "TOO LARGE")

    def run(self):
        print(f"{self.name}, {self.row['setting']}", flush=True)
        out = self.prepare(self.folder, 1)
        self.first_losses(out)
        self.count(out)
        if self.options.rounds:
            self.speed(out)
        if self.options.final:
            self.final_losses()
        return self


HEADS = ["model", "setting", "first losses differ by at most", "tokens/s, Unroll", "tokens/s, model.py", "ratio (least to greatest)",
         "share of the ceiling"]


def cells(row):
    """As the pages in docs/benchmarks have them."""
    steps, copy = row["steps"], row["copy"]
    return [row["model"], row["setting"], f"{row['losses_differ']:.1e}", f"{row['tokens_per_s']:,.0f}", f"{steps['tokens_per_s']:,.0f}",
            f"{steps['ratio']:.2f} ({steps['least']:.2f} to {steps['greatest']:.2f})", f"{100 * copy['ratio']:.0f} %"]


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cli", default=os.environ.get("UNROLL_CLI"), help="unroll-cli; default: UNROLL_CLI")
    options.add_argument("--data", required=True, help="a text file")
    options.add_argument("--models", nargs="+", help="experiments of the gallery; default: those of the setting")
    options.add_argument("--settings", nargs="+", choices=SETTINGS, default=["char"],
                         help="char: 64 steps, 12 sequences, 256 wide; large: 512 steps, 512 wide")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=5, help="rounds of processes for the speed; 0: none")
    options.add_argument("--steps", type=int, help="steps of a timed process; default: the setting's")
    options.add_argument("--final", action="store_true", help="also the full runs, two seeds")
    options.add_argument("--final-steps", type=int, default=2000)
    options.add_argument("--json", help="a file for the figures")
    chosen = options.parse_args()
    if not chosen.cli:
        options.error("name unroll-cli by --cli or UNROLL_CLI")
    return chosen


def main():
    options = arguments()
    done = []
    for setting in options.settings:
        for name in options.models or SETTINGS[setting].changes:
            with tempfile.TemporaryDirectory() as place:
                done.append(Comparison(options, name, setting, pathlib.Path(place)).run())
    rows = [comparison.row for comparison in done]
    if options.rounds:
        print(table(HEADS, map(cells, rows)))
    if options.json:
        figures = {"machine": processor(), "threads": options.threads, "rounds": options.rounds, "rows": rows}
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if all(comparison.good for comparison in done) else 1


if __name__ == "__main__":
    sys.exit(main())
