# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line with text: samples and trains."""

import argparse
import sys

from .load import load
from .stand_ins import TRAINING
from .text import sample, text_batches
from .training import train
from .verify import verify


def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll. Without an option it verifies itself.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
    options.add_argument("--sample", metavar="PROMPT", help="write on from this text")
    options.add_argument("--length", type=int, default=200, help="characters of --sample at most")
    options.add_argument("--temperature", type=float, default=0.8, help="of --sample; 0 takes the likeliest character")
    options.add_argument("--top-k", type=int, default=0, help="--sample draws among so many of the likeliest; 0: all")
    options.add_argument("--top-p", type=float, default=1.0, help="--sample draws among the fewest likeliest that add up to this")
    options.add_argument("--stop", metavar="TEXT", help="--sample ends where it has written this")
    options.add_argument("--seed", type=int, default=0, help="of --sample")
    options.add_argument("--train", metavar="FILE", help="go on training with the text in this file")
    options.add_argument("--steps", type=int, default=100, help="updates of --train")
    chosen = options.parse_args()
    for name, value in vars(chosen).items():
        if value == "":
            options.error(f"--{name.replace('_', '-')} expects at least one character")
    if chosen.train is not None:
        model = load()
        with open(chosen.train, encoding="utf-8") as file:
            batches = text_batches(file.read(), chosen.steps * TRAINING["accumulation"], TRAINING["length"], TRAINING["batch"])
        for step, loss in enumerate(train(model, batches), 1):
            print(f"{step} {loss:.4f}" if loss is not None else f"{step} n/a: no target")
    if chosen.sample is not None:
        rule = {"temperature": chosen.temperature, "top_k": chosen.top_k, "top_p": chosen.top_p, "stop": chosen.stop or ""}
        print(sample(load(), chosen.sample, chosen.length, seed=chosen.seed, **rule))
    if chosen.verify or (chosen.train is None and chosen.sample is None):
        sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
