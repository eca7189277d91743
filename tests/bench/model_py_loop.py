#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The yardstick of train_vs_model_py.py, one process of it: the exported model.py in a plain PyTorch loop, on the batches that unroll-cli draws.

    model_py_loop.py FOLDER --data TEXT [--steps 120] [--warm 20] [--recurrence steps|copy|torch] [--final]
    model_py_loop.py FOLDER --data TEXT --count

Prints JSON: the losses of the first `warm` steps, tokens per second of those after them, and with --final the loss on the validation split; with
--count alone the floating-point operations of a step's matrix products, forward and backward.
"""

import argparse
import importlib.util
import inspect
import json
import pathlib
import time

import torch
from torch import nn

MASK = (1 << 64) - 1


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
        places = self.cut - self.steps
        starts = [Random(self.seed, self.PLACE, step * self.batch + b).below(places) for b in range(self.batch)]
        window = torch.tensor(starts) + torch.arange(self.steps).unsqueeze(1)
        return self.tokens[window], self.tokens[window + 1]

    def validation(self, batch=100):
        """Every target of the split once, from zero states."""
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


class Copy(nn.Module):
    """What is left of a recurrent module when nothing waits for the step before: every matrix multiplies all steps at once, and what they
    give is added up."""

    def __init__(self, original, width):
        super().__init__()
        self.matrices = nn.ParameterList([weight for weight in original.parameters() if weight.dim() == 2])
        self.width = width

    def forward(self, x, state=None, mask=None):
        y = 0
        for weight in self.matrices:
            y = y + fitted(nn.functional.linear(fitted(x, weight.shape[1]), weight), self.width)
        return y, ()


def fitted(x, width):
    """Cut off, or filled up with zeros."""
    return x[..., :width] if x.shape[-1] >= width else nn.functional.pad(x, (0, width - x.shape[-1]))


def replace_recurrences(model, tokens):
    """A Copy in the place of every module that takes a state."""
    widths, hooks = {}, []
    for path, module in model.named_modules():
        if "state" in inspect.signature(module.forward).parameters:
            hooks.append(module.register_forward_hook(lambda _, inputs, output, path=path: widths.update({path: output[0].shape[-1]})))
    with torch.no_grad():
        model(tokens)
    for hook in hooks:
        hook.remove()
    for path, width in widths.items():
        model.set_submodule(path, Copy(model.get_submodule(path), width))
    return model


def take_torch_layers(model, tokens):
    """torch.nn.LSTM in the place of our step loops; the weights keep their names and values."""

    class Layer(nn.LSTM):
        def forward(self, x, state=None, mask=None):
            assert mask is None
            y, (h, c) = super().forward(x, None if state is None else tuple(part.unsqueeze(0) for part in state))
            return y, (h.squeeze(0), c.squeeze(0))

    for path, module in list(model.named_modules()):
        if type(module).__name__ == "LSTM":
            layer = Layer(module.weight_ih_l0.shape[1], module.units)
            layer.load_state_dict(module.state_dict())
            model.set_submodule(path, layer)
    return model


RECURRENCES = {"steps": lambda model, tokens: model, "copy": replace_recurrences, "torch": take_torch_layers}


def validation_loss(model, data):
    total = count = 0
    model.eval()
    with torch.no_grad():
        for tokens, targets in data.validation():
            scored = int((targets != -100).sum())
            total += float(model(tokens, targets)[0]) * scored
            count += scored
    return total / count


def count_products(model, batch):
    """Floating-point operations of the matrix products of one step, as torch counts them; nothing is timed."""
    from torch.utils.flop_counter import FlopCounterMode  # says at once what it cannot count where there is no Triton
    model.train()
    with FlopCounterMode(display=False) as forward:
        loss = model(*batch)[0]
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    return {"forward": forward.get_total_flops(), "backward": backward.get_total_flops()}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", help="an export with model.py")
    options.add_argument("--data", required=True, help="the text it trains on")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--steps", type=int, default=120)
    options.add_argument("--warm", type=int, default=20, help="steps before the clock starts")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--recurrence", choices=RECURRENCES, default="steps")
    options.add_argument("--final", action="store_true")
    options.add_argument("--count", action="store_true")
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    module = import_model(chosen.folder)
    data = Windows(module, chosen.data, chosen.seed)
    if chosen.count:
        print(json.dumps(count_products(module.load(), data.training(0))))
        return
    batches = [data.training(step) for step in range(chosen.steps)]
    model = RECURRENCES[chosen.recurrence](module.load(), batches[0][0])
    losses, begun = [], None
    for loss in module.train(model, batches):
        losses.append(loss)
        if len(losses) == chosen.warm:
            begun = time.perf_counter()
    seconds = time.perf_counter() - begun if begun else 0
    timed = (len(losses) - chosen.warm) * data.steps * data.batch
    result = {"losses": losses[:chosen.warm], "tokens_per_s": timed / seconds if seconds else 0}
    if chosen.final:
        result["final"] = validation_loss(model, data)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
