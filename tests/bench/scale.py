#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training by one and by two processes on this machine, and what 8 and 64 would do by a model of the cost.

    scale.py --cli build/dev/app/cli/unroll-cli [--models char-lstm ...] [--steps 60] [--rounds 3] [--quick] [--json FILE]

Measured, for each model: tokens per second of one process with all threads, of one process with the threads that one of two ranks has, and of two
ranks that share the batch; the bytes that a rank gives to the sums of an update. Rounds alternate, the middle one counts. Then the time of an
all-reduce by Gloo for sizes from 8 bytes to 64 MB, two processes of this machine, from which latency and bandwidth are fitted. Last the prediction.

The model. An update of W ranks with B sequences each takes

    t(W) = a + b B + 2 (W - 1) latency + 2 (W - 1) / W bytes / bandwidth

a + b B is measured here, with B and B / 2 sequences in one process; the sum is a ring of 2 (W - 1) messages of bytes / W each. Assumed: all ranks are
alike and wait for nobody; sums begin when the backward pass has ended (nothing overlaps, as in this engine); one rank a machine with the network to
itself; memory, evaluation and checkpoints cost nothing more. Growing: each rank keeps B sequences. Sharing: the batch of B is divided, so that
the cost a of an update that no sequence pays for limits the gain.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from reporting import processor, table

MODELS = ("char-lstm", "char-sru", "waves-lstm")
WARM = 10  # updates before the clock starts
RANKS = (8, 64)
# Latency of a message in seconds, bandwidth in bytes a second: what such networks usually give to one TCP connection.
NETWORKS = {"10 Gb/s Ethernet": (50e-6, 1.1e9), "100 Gb/s Ethernet": (30e-6, 8e9)}
SIZES = [8 << (2 * i) for i in range(12)]  # bytes: 8 to 32 MB


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def train(cli, folder, model, ranks, threads, steps, batch=None):
    """Tokens a second after the warm-up, seconds an update, and the last line that rank 0 says."""
    words = [cli, "train", model, "--json", "--quiet", "--device", "cpu", "--threads", str(threads)]
    settings = {"steps": steps, "evaluate_every": 0, "evaluate_batches": 1, "evaluate_whole": "false", "sample_every": 0, "checkpoint_every": 0, "products": "library"}
    if batch:
        settings["batch"] = batch
    for name, value in settings.items():
        words += ["--set", f"training.{name}={value}"]
    port = str(free_port())
    with tempfile.TemporaryDirectory(dir=folder) as run:
        started = []
        for rank in range(ranks):
            own = {} if ranks == 1 else {"RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_PORT": port}
            started.append(subprocess.Popen([*words, "--run", f"{run}/run"], env=dict(os.environ, **own), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        outputs = [process.communicate() for process in started]
        for process, (out, err) in zip(started, outputs, strict=True):
            if process.returncode:
                sys.exit(f"{' '.join(words)}\n{out}\n{err}")
        batch = json.loads(pathlib.Path(run, "run", "experiment.unroll").read_text())["training"]["batch"]
    lines = [json.loads(line) for line in outputs[0][0].splitlines()]
    metrics = [line for line in lines if line["kind"] == "metrics"]
    first, last = metrics[WARM - 1], metrics[-1]
    seconds = last["seconds"] - first["seconds"]
    return (last["tokens"] - first["tokens"]) / seconds, seconds / (last["step"] - first["step"]), dict(lines[-1], batch=batch)


def middle(measure, rounds):
    """The middle of so many measurements, by its first figure."""
    return sorted((measure() for _ in range(rounds)), key=lambda found: found[0])[rounds // 2]


def sum_times(rounds):
    """Seconds of an all-reduce between two processes of this machine, by size in bytes."""
    import torch.multiprocessing as mp

    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(time_sums, args=(port, rounds, f"{folder}/times.json"), nprocs=2)
        return {int(size): seconds for size, seconds in json.loads(pathlib.Path(folder, "times.json").read_text()).items()}


def time_sums(rank, port, rounds, file):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    found = {}
    for size in SIZES:
        tensor = torch.zeros(size // 4)
        times = []
        for _ in range(max(5, 20 * rounds if size < 1 << 20 else 3 * rounds)):
            dist.barrier()
            begin = time.perf_counter()
            dist.all_reduce(tensor)
            times.append(time.perf_counter() - begin)
        found[size] = statistics.median(times)
    if rank == 0:
        pathlib.Path(file).write_text(json.dumps(found))
    dist.destroy_process_group()


def fitted(times):
    """(latency, bandwidth) of two ranks, whose sum takes 2 latency + bytes / bandwidth."""
    latency = times[SIZES[0]] / 2
    largest = SIZES[-1]
    return latency, largest / max(1e-9, times[largest] - 2 * latency)


def sum_seconds(size, ranks, network):
    latency, bandwidth = network
    return 2 * (ranks - 1) * latency + 2 * (ranks - 1) / ranks * size / bandwidth


class Model:
    """What was measured of a model, and what follows from it."""

    def __init__(self, arguments, folder, name):
        self.name = name
        threads, half = arguments.threads, max(1, arguments.threads // 2)
        steps, rounds = WARM + arguments.steps, arguments.rounds

        def rounds_of(ranks, threads, batch=None):
            return middle(lambda: train(arguments.cli, folder, name, ranks, threads, steps, batch), rounds)

        self.all_threads, self.seconds_all, alone = rounds_of(1, threads)
        self.batch = alone["batch"]
        self.one_share, self.seconds, _ = rounds_of(1, half)
        _, self.seconds_half, _ = rounds_of(1, half, self.batch // 2)
        self.two_ranks, self.seconds_two, end = rounds_of(2, half)
        self.bytes = end["sum_bytes"]
        self.waiting = end["sum_seconds"] / steps
        self.tokens = self.one_share * self.seconds  # an update
        self.per_sequence = max(0.0, (self.seconds - self.seconds_half) / (self.batch - self.batch // 2))
        self.fixed = max(0.0, self.seconds - self.batch * self.per_sequence)

    def update(self, sequences, ranks, network):
        return self.fixed + self.per_sequence * sequences + sum_seconds(self.bytes, ranks, network)

    def growing(self, ranks, network):
        """Share of `ranks` times the speed of one, each with the whole batch."""
        return self.seconds / self.update(self.batch, ranks, network)

    def sharing(self, ranks, network):
        """How many times as fast as one, with the batch divided; nothing where it has too few sequences."""
        return self.seconds / self.update(self.batch / ranks, ranks, network) if ranks <= self.batch else None


def report(models, here, times, threads):
    half = max(1, threads // 2)
    print(f"\nOn {processor()}, {threads} threads. Tokens a second:\n")
    print(table(["model", f"1 process, {threads} threads", f"1 process, {half}", f"2 ranks, {half} each", "of 1 process with as many threads", "of twice 1 process",
                 "bytes an update", "ms in sums"],
                [[m.name, f"{m.all_threads:,.0f}", f"{m.one_share:,.0f}", f"{m.two_ranks:,.0f}", f"{m.two_ranks / m.all_threads:.2f}", f"{m.two_ranks / m.one_share / 2:.2f}",
                  f"{m.bytes:,}", f"{1000 * m.waiting:.2f}"] for m in models]))
    print("\nAn all-reduce by Gloo, two processes here: " + ", ".join(f"{size:,} bytes {1e6 * seconds:,.0f} us" for size, seconds in times.items()))
    print(f"latency {1e6 * here[0]:.0f} us, bandwidth {here[1] / 1e9:.2f} GB/s\n")
    print("The model at two ranks here, against what was measured (ms an update):\n")
    print(table(["model", "a", "b a sequence", "predicted", "measured"],
                [[m.name, f"{1000 * m.fixed:.2f}", f"{1000 * m.per_sequence:.3f}", f"{1000 * m.update(m.batch / 2, 2, here):.2f}", f"{1000 * m.seconds_two:.2f}"]
                 for m in models]))
    print("\nPredicted, one rank a machine like one of these processes. Growing: share of W times the speed. Sharing: times the speed of one.\n")
    lines = []
    for m in models:
        for name, network in NETWORKS.items():
            cells = [m.name, name]
            for ranks in RANKS:
                shared = m.sharing(ranks, network)
                cells += [f"{m.growing(ranks, network):.2f}", "n/a" if shared is None else f"{shared:.1f}"]
            lines.append(cells)
    print(table(["model", "network", *(word for ranks in RANKS for word in (f"{ranks} growing", f"{ranks} sharing"))], lines))
    print("\nThe assumptions stand in tests/bench/scale.py: nothing of it was run on 8 or 64 machines.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--steps", type=int, default=60, help="updates that are timed, after %d" % WARM)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the machine")
    parser.add_argument("--quick", action="store_true", help="few updates, once: to see that it runs")
    parser.add_argument("--json", type=pathlib.Path, help="all figures go there too")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.steps, arguments.rounds = 5, 1
    with tempfile.TemporaryDirectory() as folder:
        models = [Model(arguments, folder, name) for name in arguments.models]
    times = sum_times(arguments.rounds)
    here = fitted(times)
    report(models, here, times, arguments.threads)
    if arguments.json:
        figures = {"processor": processor(), "threads": arguments.threads, "latency": here[0], "bandwidth": here[1], "sums": times,
                   "models": {m.name: {name: value for name, value in vars(m).items() if name != "name"} for m in models}}
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
