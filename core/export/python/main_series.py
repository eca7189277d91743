# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line with a table of numbers: trains."""

import argparse
import sys

from .load import load
from .series import series_batches
from .stand_ins import TRAINING
from .training import train
from .verify import verify


def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll. Without an option it verifies itself.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
    options.add_argument("--train", metavar="FILE", help="go on training with this CSV file")
    options.add_argument("--steps", type=int, default=100, help="updates of --train")
    chosen = options.parse_args()
    for name, value in vars(chosen).items():
        if value == "":
            options.error(f"--{name} expects at least one character")
    if chosen.train is not None:
        model = load()
        batches = series_batches(chosen.train, chosen.steps * TRAINING["accumulation"], TRAINING["length"], TRAINING["batch"])
        for step, loss in enumerate(train(model, batches), 1):
            print(f"{step} {loss:.4f}" if loss is not None else f"{step} n/a: no target")
    if chosen.verify or chosen.train is None:
        sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
