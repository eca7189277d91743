# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m unroll_runs.sync RUN... --to tensorboard|mlflow|wandb."""

import argparse
import importlib
import sys
import time

from ..folder import NotARun
from .groups import Group, found
from .ledger import opened
from .sending import Sending

LIBRARIES = {"tensorboard": "tensorboard", "mlflow": "mlflow", "wandb": "wandb"}


class Failed(Exception):
    """A sentence for the user."""


def tracker_of(target):
    library = LIBRARIES[target]
    try:
        return importlib.import_module(f".to_{target}", __package__)
    except ImportError as error:
        raise Failed(
            f"--to {target} goes by the Python package {library}, which cannot be imported here ({error}): "
            f"{sys.executable} -m pip install {library}"
        ) from None


def counted(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def send(run, options, follow=False, quiet=False):
    """Sends what is new; gives whether the run has ended."""
    module = tracker_of(options.to)
    place = module.place_of(run, options)
    with opened(run, f"{options.to} {place}") as ledger:
        sending = Sending(run, ledger, lambda *of: module.Tracker(*of, options))
        try:
            ended = sending.go(follow, options.every)
        except KeyboardInterrupt:
            if not follow:
                raise
            ended = False
        except (NotARun, Failed):
            raise
        except Exception as error:  # each library has errors of its own
            words = " ".join(str(error).split()) or type(error).__name__
            raise Failed(f"{run.path}: {options.to} at {place}: {words}") from error
    if sending.anew:
        print(f"{run.name} was taken back to a checkpoint since it was sent: it is sent again", file=sys.stderr)
    is_news = sending.rows or sending.samples
    if is_news or not quiet:
        what = f"{counted(sending.rows, 'row')} and {counted(sending.samples, 'sample')}" if is_news else "nothing new"
        print(f"{run.name}: {what} to {options.to}, {place}{'' if ended else ' (the run has not ended)'}")
    return ended


def send_all(runs, options, follow, quiet):
    """One after another, an error of one does not keep the others back. Gives how many failed, and whether all have ended."""
    failed, ended = 0, True
    for run in runs:
        try:
            ended = send(run, options, follow, quiet) and ended
        except (NotARun, Failed, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            failed += 1
    return failed, ended


def send_group(word, group, options):
    """The runs of a race or a search. With --follow again and again, until all that are planned have ended; of a search nobody knows how many these
    are, so that it ends when none has been going on twice in a row."""
    module, rested, first = tracker_of(options.to), 0, True
    while True:
        failed, ended = send_all(group.runs, options, False, options.quiet or not first)
        over = ended and not group.waiting
        if hasattr(module, "end_group"):
            module.end_group(group, options, over)
        rested = rested + 1 if over else 0
        if failed or not options.follow or rested > (group.waiting is None):
            break
        first = False
        try:
            time.sleep(options.every)
            group = found(word)
        except KeyboardInterrupt:
            break
    if not options.quiet:
        begins = f", {counted(group.waiting, 'run')} not begun" if group.waiting else ""
        print(f"{group.kind} {group.name}: {counted(len(group.runs), 'run')}{begins}")
    return failed


def send_word(word, options):
    there = found(word)
    if isinstance(there, Group):
        return send_group(word, there, options)
    if options.name and len(there) > 1:
        raise Failed(f"--name is the name of one run, and {word} has {len(there)}")
    return send_all(there, options, options.follow, options.quiet)[0]


def main(words=None):
    options = argparse.ArgumentParser(
        prog="unroll-cli sync", description="Uploads runs to TensorBoard, MLflow or Weights & Biases by their own libraries."
    )
    options.add_argument("runs", nargs="+", metavar="RUN", help="a run's folder, a race's, a study.toml, or a folder of runs")
    options.add_argument("--to", required=True, choices=list(LIBRARIES))
    options.add_argument("--at", help="tensorboard and wandb: a folder; mlflow: a tracking URI")
    options.add_argument("--project", help="wandb's project, MLflow's experiment; default: unroll")
    options.add_argument("--name", help="the name there of the run, or of the race or study; default: its folder's, or its own")
    options.add_argument("--offline", action="store_true", help="wandb: write files for a later `wandb sync`")
    options.add_argument("--follow", action="store_true", help="continue until the run has ended")
    options.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="with --follow: between two checks")
    options.add_argument("--quiet", action="store_true", help="say errors alone")
    chosen = options.parse_args(words)
    if chosen.name and len(chosen.runs) > 1:
        print(f"error: --name is the name of one run, race or study, and {len(chosen.runs)} are given", file=sys.stderr)
        return 1
    status = 0
    for word in chosen.runs:
        try:
            status = 1 if send_word(word, chosen) else status
        except (NotARun, Failed, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            status = 1
        except KeyboardInterrupt:
            return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
