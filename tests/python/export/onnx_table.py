# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file of the gallery as ONNX, in one table: python tests/python/export/onnx_table.py [NAME...]

Each is trained for a few steps, exported and proved (onnx_proof.py). A figure is the worst deviation of a form, relative to 1 or to the largest
number of an output. Exit 1 where a form is off or a refusal says nothing."""
import argparse
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "cli")]

from conftest import QUICK
from onnx_models import OnnxExport
from onnx_proof import proof_of
from running import GALLERY

FORMS = ("golden fp32", "golden fp64", "any size fp32", "any size fp64", "streamed")


def row(name):
    """The cells of one line, and what is wrong with it."""
    with tempfile.TemporaryDirectory() as made:
        exported = OnnxExport(pathlib.Path(made), name, *QUICK)
        if exported.refused:
            return [f"refused: {exported.refused}"], [] if "ONNX" in exported.refused else [f"no sentence: {exported.refused}"]
        proof = proof_of(exported)
        codes = f"{proof.differ} of {proof.codes}; {proof.followed} of {proof.steps}" if proof.codes else ""
        return [f"{proof.worst[form]:.1e}" for form in FORMS] + [codes], proof.faults


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("names", nargs="*", metavar="NAME", default=GALLERY)
    failed = False
    print(f"| file | {' | '.join(FORMS)} | codes that differ; steps with its own codes |\n|{'---|' * (len(FORMS) + 2)}")
    for name in options.parse_args().names:
        cells, faults = row(name)
        failed |= bool(faults)
        print(f"| {name} | {' | '.join(cells)} |{''.join(f' FAILED {fault}.' for fault in faults)}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
