# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: python -m unroll_runs.sync RUN... --to tensorboard|mlflow|wandb."""

import argparse
import importlib
import sys

from ..folder import NotARun, RunFolder
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


def send(folder, options):
    module, run = tracker_of(options.to), RunFolder(folder)
    place = module.place_of(run, options)
    with opened(run, f"{options.to} {place}") as ledger:
        sending = Sending(run, ledger, lambda *of: module.Tracker(*of, options))
        try:
            ended = sending.go(options.follow, options.every)
        except KeyboardInterrupt:
            ended = False
        except (NotARun, Failed):
            raise
        except Exception as error:  # each library has errors of its own
            words = " ".join(str(error).split()) or type(error).__name__
            raise Failed(f"{run.path}: {options.to} at {place}: {words}") from error
    if sending.anew:
        print(f"{run.name} was taken back to a checkpoint since it was sent: it is sent again", file=sys.stderr)
    if not options.quiet:
        what = (
            f"{counted(sending.rows, 'row')} and {counted(sending.samples, 'sample')}"
            if sending.rows or sending.samples
            else "nothing new"
        )
        print(f"{run.name}: {what} to {options.to}, {place}{'' if ended else ' (the run has not ended)'}")


def main(words=None):
    options = argparse.ArgumentParser(
        prog="unroll-cli sync", description="Uploads runs to TensorBoard, MLflow or Weights & Biases by their own libraries."
    )
    options.add_argument("runs", nargs="+", metavar="RUN", help="a run's folder")
    options.add_argument("--to", required=True, choices=list(LIBRARIES))
    options.add_argument("--at", help="tensorboard and wandb: a folder; mlflow: a tracking URI")
    options.add_argument("--project", help="wandb's project, MLflow's experiment; default: unroll")
    options.add_argument("--name", help="the run's name there; default: its folder's")
    options.add_argument("--offline", action="store_true", help="wandb: write files for a later `wandb sync`")
    options.add_argument("--follow", action="store_true", help="continue until the run has ended")
    options.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="with --follow: between two checks")
    options.add_argument("--quiet", action="store_true", help="say errors alone")
    chosen = options.parse_args(words)
    status = 0
    for folder in chosen.runs:
        try:
            send(folder, chosen)
        except (NotARun, Failed, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
