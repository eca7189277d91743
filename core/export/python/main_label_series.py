# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: predicts labels of series."""

import argparse
import sys

from .label_series import label, read_series
from .load import load
from .verify import verify


def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll. Without an option it verifies itself.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
    options.add_argument("--label", metavar="FILE", help="predict the label of the series in this file, a step a line")
    chosen = options.parse_args()
    for name, value in vars(chosen).items():
        if value == "":
            options.error(f"--{name} expects at least one character")
    if chosen.label is not None:
        try:
            told = label(load(), read_series(chosen.label))
        except (OSError, ValueError) as error:
            sys.exit(f"error: {error}")
        print("\n".join(f"{name} {chance:.4f}" for name, chance in told))
    if chosen.verify or chosen.label is None:
        sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
