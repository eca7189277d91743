#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training by unroll-cli against a plain PyTorch loop over the exported model.py: same initial weights, same batches, same settings.

    train_vs_model_py.py --cli build/dev/app/cli/unroll-cli --data tinyshakespeare.txt [--models char-lstm ...] [--rounds 5] [--final]

For each model: the first 20 losses side by side; tokens per second, measured in alternating processes, as the median of the paired ratios, for
LSTM also with torch.nn.LSTM in the place of the step loop; the ceiling, which is the PyTorch step with every recurrence replaced by a copy (its
input products stay); and with --final the loss on the whole validation split after the full run, mean of two seeds. Time it on a machine that
does nothing else. Exits 1 when a difference in the losses is larger or a ratio of speeds smaller than the bounds.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MASK = (1 << 64) - 1
WARM = 20  # steps before the clock starts
EXACT = {"char-lstm", "char-sru", "char-gpt"}  # held to the bound on the first losses; where values are rounded they may drift apart
LEAST_RATIO = {"char-lstm": 0.97, "char-sru": 1.6, "char-grumml": 1.2}  # of tokens per second


class Random:
    """xoshiro256++, its state filled by SplitMix64 from (seed, purpose, index), as core/data/random.h."""

    def __init__(self, seed, purpose, index):
        key = seed
        for number in (purpose, index):
            key, mixed = self.split_mix(key)
            key = mixed ^ number
        self.state = []
        for _ in range(4):
            key, word = self.split_mix(key)
            self.state.append(word)

    @staticmethod
    def split_mix(state):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return state, z ^ (z >> 31)

    def next(self):
        def turned(x, k):
            return ((x << k) | (x >> (64 - k))) & MASK

        s = self.state
        result = (turned((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = turned(s[3], 45)
        return result

    def below(self, bound):
        incomplete = (1 << 64) % bound
        draw = self.next()
        while draw < incomplete:
            draw = self.next()
        return draw % bound


class Windows:
    """The batches that a text block with order "windows" makes, as core/data/windows.cpp."""

    PLACE = 0x74657874_0002

    def __init__(self, module, path, seed):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.tokens = module.encode(text)
        self.cut = int(len(self.tokens) * (1.0 - 0.1))
        self.steps, self.batch, self.seed = module.TRAINING["length"], module.TRAINING["batch"], seed

    def training(self, step):
        import torch
        places = self.cut - 1 - self.steps + 1
        starts = [Random(self.seed, self.PLACE, step * self.batch + b).below(places) for b in range(self.batch)]
        window = torch.tensor(starts) + torch.arange(self.steps).unsqueeze(1)
        return self.tokens[window], self.tokens[window + 1]

    def validation(self, batch=100):
        """Every target of the split once, from zero states."""
        import torch
        count = len(self.tokens) - self.cut
        for begin in range(0, count, batch * self.steps):
            at = begin + torch.arange(batch) * self.steps + torch.arange(self.steps).unsqueeze(1)
            targets = torch.where(at < count, self.tokens[(self.cut + at).clamp(max=len(self.tokens) - 1)], -100)
            yield self.tokens[(self.cut + at - 1).clamp(max=len(self.tokens) - 1)], targets


def import_model(folder):
    spec = importlib.util.spec_from_file_location("exported_model", pathlib.Path(folder) / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def replace_recurrences(model):
    """Every module that gives back a state computes its input products only and hands on a slice of them."""
    import torch
    from torch import nn

    class Copy(nn.Module):
        def __init__(self, original, width):
            super().__init__()
            matrices = [weight for weight in original.parameters() if weight.dim() == 2]
            self.inputs = nn.ParameterList([weight for weight in matrices if weight.shape[1] == width])
            self.square = nn.ParameterList([weight for weight in matrices if weight.shape[0] == weight.shape[1] and len(matrices) > 2])
            self.units = original.units

        def forward(self, x, state=None, mask=None):
            y = sum(torch.nn.functional.linear(x, weight)[..., :self.units] for weight in self.inputs)
            for weight in self.square:
                y = torch.nn.functional.linear(y, weight)
            return y, ()

    width = model.embedding.weight.shape[1]
    for name, child in list(model.named_children()):
        if hasattr(child, "units"):
            setattr(model, name, Copy(child, width))
            width = child.units
    return model


def take_torch_layers(model):
    """torch.nn.LSTM in the place of our step loops; the weights keep their names and values."""
    from torch import nn

    class Layer(nn.LSTM):
        def forward(self, x, state=None, mask=None):
            assert mask is None
            y, (h, c) = super().forward(x, None if state is None else tuple(part.unsqueeze(0) for part in state))
            return y, (h.squeeze(0), c.squeeze(0))

    for name, child in list(model.named_children()):
        if type(child).__name__ == "LSTM":
            layer = Layer(child.weight_ih_l0.shape[1], child.units)
            layer.load_state_dict(child.state_dict())
            setattr(model, name, layer)
    return model


RECURRENCES = {"steps": lambda model: model, "copy": replace_recurrences, "torch": take_torch_layers}


def python_loop(options):
    """One process of the yardstick; prints its figures as JSON."""
    import torch
    torch.set_num_threads(options.threads)
    module = import_model(options.loop)
    model = RECURRENCES[options.recurrence](module.load())
    data = Windows(module, options.data, options.seed)
    batches = [data.training(step) for step in range(options.steps)]
    losses, begun = [], None
    for step, loss in enumerate(module.train(model, batches)):
        losses.append(loss)
        if step + 1 == WARM:
            begun = time.perf_counter()
    seconds = time.perf_counter() - begun if begun else 0
    result = {"losses": losses[:WARM], "tokens_per_s": (len(losses) - WARM) * data.steps * data.batch / seconds if seconds else 0}
    if options.final:
        total = count = 0
        model.eval()
        with torch.no_grad():
            for tokens, targets in data.validation():
                scored = int((targets != -100).sum())
                total += float(model(tokens, targets)[0]) * scored
                count += scored
        result["final"] = total / count
    print(json.dumps(result))


QUIET = ["--set", "training.evaluate_every=0", "--set", "training.sample_every=0", "--set", "training.checkpoint_every=0"]


def ours(options, name, folder, steps, seed, *more):
    words = [options.cli, "train", name, "--data", options.data, "--steps", steps, "--seed", seed, "--threads", options.threads, "--device",
             "cpu", "--json", "--quiet", "--run", folder, *QUIET, *more]
    ended = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{ended.stderr}")
    return [row for row in map(json.loads, ended.stdout.splitlines()) if row["kind"] == "metrics"]


def theirs(options, folder, steps, seed, *more):
    words = [sys.executable, __file__, "--loop", folder, "--data", options.data, "--steps", steps, "--seed", seed, "--threads",
             options.threads, *more]
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
    return json.loads(subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, env=environment).stdout)


def export(options, run, out):
    subprocess.run([options.cli, "export", str(run), "--format", "python", "--out", str(out)], capture_output=True, check=True)


def prepare(options, name, folder, seed):
    """A folder with model.py, the settings of the experiment, and the weights that training begins with: a step at learning rate 0 leaves
    them as they were drawn."""
    no_evaluation = ["--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1"]
    ours(options, name, folder / "one", 1, seed, *no_evaluation)
    ours(options, name, folder / "still", 1, seed, *no_evaluation, "--set", "training.learning_rate=0", "--set",
         "training.final_learning_rate=0")
    export(options, folder / "one", folder / "settings")
    export(options, folder / "still", folder / "exported")
    source = (folder / "settings" / "model.py").read_text().replace("steps=1,", f"steps={options.final_steps},")
    (folder / "exported" / "model.py").write_text(source)
    return folder / "exported"


def our_speed(options, name, folder):
    rows = ours(options, name, folder, options.steps, 1, "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1")
    first, last = rows[WARM - 1], rows[-2]  # the last row waits for the closing evaluation
    return (last["tokens"] - first["tokens"]) / (last["seconds"] - first["seconds"])


def paired_speed(options, name, folder, out):
    kinds = ["steps", "torch"] if name == "char-lstm" else ["steps"]
    mine, python = [], {kind: [] for kind in kinds}
    for round in range(options.rounds):
        mine.append(our_speed(options, name, folder / f"speed-{round}"))
        for kind in kinds:
            python[kind].append(theirs(options, out, options.steps, 1, "--recurrence", kind)["tokens_per_s"])
    good = True
    for kind in kinds:
        ratios = [a / b for a, b in zip(mine, python[kind])]
        enough = statistics.median(ratios) >= LEAST_RATIO.get(name, 0)
        what = "model.py" if kind == "steps" else "model.py with torch.nn.LSTM"
        print(f"  tokens/s     unroll {statistics.median(mine):,.0f}, {what} {statistics.median(python[kind]):,.0f}; ratio "
              f"{statistics.median(ratios):.2f} (median of {len(ratios)} pairs, {min(ratios):.2f} to {max(ratios):.2f}){'' if enough else '  TOO SLOW'}")
        good = good and enough
    ceiling = theirs(options, out, options.steps, 1, "--recurrence", "copy")["tokens_per_s"]
    print(f"  ceiling      {ceiling:,.0f} tokens/s with the recurrence replaced by a copy")
    return good


def first_losses(options, name, folder, out):
    rows = ours(options, name, folder / "losses", WARM, 1, "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1")
    mine = [row["train/loss"] for row in rows][:WARM]
    python = theirs(options, out, WARM, 1)["losses"]
    worst = max(abs(a - b) for a, b in zip(mine, python))
    good = worst <= 1e-4 or name not in EXACT
    print(f"  first losses {mine[0]:.6f} ... {mine[-1]:.6f} against {python[0]:.6f} ... {python[-1]:.6f}; largest difference {worst:.1e} "
          f"of {len(mine)}{'' if good else '  TOO LARGE'}")
    return good


def final_losses(options, name, folder):
    mine, python = [], []
    for seed in (1, 2):
        place = folder / f"final-{seed}"
        place.mkdir()
        out = prepare(options, name, place, seed)
        mine.append(ours(options, name, place / "run", options.final_steps, seed)[-1]["final/loss"])
        python.append(theirs(options, out, options.final_steps, seed, "--final")["final"])
    difference = abs(statistics.mean(mine) - statistics.mean(python))
    print(f"  final loss   unroll {statistics.mean(mine):.4f} {mine}, model.py {statistics.mean(python):.4f} {python}; difference "
          f"{difference:.4f}{'' if difference <= 0.03 else '  TOO LARGE'}")
    return difference <= 0.03


def compare(options, name):
    print(name, flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        out = prepare(options, name, folder, 1)
        good = first_losses(options, name, folder, out)
        if options.rounds:
            good = paired_speed(options, name, folder, out) and good
        if options.final:
            good = final_losses(options, name, folder) and good
        return good


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cli", default=os.environ.get("UNROLL_CLI"), help="unroll-cli; default: UNROLL_CLI")
    options.add_argument("--data", required=True, help="a text file")
    options.add_argument("--models", nargs="+", default=["char-lstm", "char-sru", "char-grumml", "char-gpt"])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=5, help="pairs of processes for the speed; 0: none")
    options.add_argument("--steps", type=int, default=120, help="steps of a timed process")
    options.add_argument("--final", action="store_true", help="also the full runs, two seeds")
    options.add_argument("--final-steps", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1, help=argparse.SUPPRESS)
    options.add_argument("--loop", help=argparse.SUPPRESS)
    options.add_argument("--recurrence", choices=RECURRENCES, default="steps", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.loop:
        return python_loop(chosen)
    if not chosen.cli:
        options.error("name unroll-cli by --cli or UNROLL_CLI")
    good = [compare(chosen, name) for name in chosen.models]
    return sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
