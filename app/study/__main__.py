# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches and races over unroll-cli. `unroll-cli study` and `unroll-cli race` check the words and start this."""

import argparse
import pathlib
import sys

from tables import FORMATS


def need_python():
    """In words, before anything is read that an older one does not know."""
    if sys.version_info < (3, 11):
        sys.exit(f"error: {sys.executable} is Python {sys.version_info[0]}.{sys.version_info[1]}; searches and races need 3.11 or newer: "
                 "UNROLL_PYTHON=/path/to/python names another")


def arguments():
    parser = argparse.ArgumentParser(prog="unroll-cli", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    study = verbs.add_parser("study")
    study.add_argument("file", type=pathlib.Path)
    study.add_argument("--workers", type=int, default=1)
    study.add_argument("--worker", type=int)
    study.add_argument("--trials", type=int)
    study.add_argument("--threads", type=int, default=0)
    study.add_argument("--show", action="store_true")
    study.add_argument("--format", choices=FORMATS, default="text")
    study.add_argument("--dry-run", action="store_true")
    race_ = verbs.add_parser("race")
    race_.add_argument("folder", type=pathlib.Path)
    race_.add_argument("--parallel", type=int, default=1)
    race_.add_argument("--format", default="text")
    for each in (study, race_):
        each.add_argument("--json", action="store_true")
        each.add_argument("--quiet", action="store_true")
        each.add_argument("--cli", required=True)
    return parser.parse_args()


def main():
    need_python()
    from engine import Engine
    from race import race
    from refused import Refused
    from search import search
    options = arguments()
    try:
        return {"study": search, "race": race}[options.verb](options, lambda folder: Engine(options.cli, folder))
    except Refused as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
