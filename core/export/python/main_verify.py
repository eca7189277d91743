# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: verifies."""

import argparse
import sys

from .verify import verify


def main():
    options = argparse.ArgumentParser(description="A network exported by Unroll.")
    options.add_argument("--verify", action="store_true", help="compare with the numbers in golden.safetensors")
    options.parse_args()
    sys.exit(0 if verify() else 1)


if __name__ == "__main__":
    main()
