# SPDX-License-Identifier: GPL-3.0-or-later
"""unroll-cli as a function: checks, trains and examines experiments."""

import dataclasses
import functools
import hashlib
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

DIVERGED = 3  # exit code of unroll-cli


@dataclasses.dataclass
class Outcome:
    rows: list  # of JSON
    told: str  # what else it said
    code: int
    usage: resource.struct_rusage

    @property
    def metrics(self):
        return [row for row in self.rows if row["kind"] == "metrics"]

    @property
    def processor_seconds(self):
        return round(self.usage.ru_utime + self.usage.ru_stime, 1)

    @property
    def megabytes(self):
        return round(self.usage.ru_maxrss / 1024)


class Engine:
    def __init__(self, cli, threads):
        self.cli, self.threads = str(pathlib.Path(cli).resolve()), threads

    @functools.cached_property
    def build(self):
        """Tells one build of the program and of its kernels from another."""
        cli = pathlib.Path(self.cli)
        kernels = cli.parents[2] / "core" / "libunroll_kernels.so"  # as the build folder has it
        return hashlib.sha256(b"".join(file.read_bytes() for file in (cli, kernels) if file.exists())).hexdigest()[:12]

    def call(self, *words, allowed=(0,)):
        environment = dict(os.environ, OMP_NUM_THREADS=str(self.threads))
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as told:
            process = subprocess.Popen([self.cli, *map(str, words)], stdout=out, stderr=told, env=environment)
            try:
                _, status, usage = os.wait4(process.pid, 0)
            except KeyboardInterrupt:  # which it has heard too: it saves what it has
                process.wait()
                raise
            process.returncode = os.waitstatus_to_exitcode(status)
            lines, words_told = [stream.seek(0) or stream.read() for stream in (out, told)]
        if process.returncode not in allowed:
            sys.exit(f"{' '.join(map(str, words))}\n{words_told}")
        return Outcome([json.loads(line) for line in lines.splitlines()], words_told, process.returncode, usage)

    def parameters(self, file, expected=()):
        """Of an experiment without a fault: a parameter that a block does not have would otherwise be skipped in silence. `expected`: codes of
        what is meant to be said."""
        rows = self.call("check", file, "--json").rows
        for row in rows:
            if row["kind"] == "diagnostic" and row["code"] not in expected:
                sys.exit(f"{file}: {row['sentence']}")
        return next(row["parameters"] for row in rows if row["kind"] == "total")

    @functools.cache
    def defaults(self, block):
        return {param["name"]: param["default"] for param in self.call("help", block, "--json").rows[0]["params"]}

    def costs(self, file):
        """What `check` counts: weights, and FLOPs of a token read."""
        total = next(row for row in self.call("check", file, "--json").rows if row["kind"] == "total")
        return {"parameters": total["parameters"], "flops": total["forward_flops"]}

    def train(self, file, run, seed, *more, device="cpu"):
        """Not with a program that does not know a parameter of the file: that would train something else."""
        for row in self.call("check", file, "--json", allowed=(0, 1)).rows:
            if row["kind"] == "diagnostic" and row["code"] == "unknown-parameter":
                sys.exit(f"{file}: {row['sentence']}")
        return self.call("train", file, "--run", run, "--seed", seed, "--json", "--quiet", "--device", device, "--threads", self.threads, *more,
                         allowed=(0, DIVERGED))

    def go_on(self, run, *more):
        """Trains what was interrupted."""
        return self.call("train", run, "--resume", "--json", "--quiet", "--device", "cpu", "--threads", self.threads, *more,
                         allowed=(0, DIVERGED))

    def examine(self, run, settings):
        """settings: {"NODE.PARAM": value}, as --set takes them. Loss and accuracy are NaN where the outputs are not finite."""
        words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        found = self.call("eval", run, "--json", "--device", "cpu", "--threads", self.threads, *words, allowed=(0, DIVERGED))
        return found.rows[0] if found.code == 0 else {"loss": math.nan, "acc": math.nan}
