# SPDX-License-Identifier: GPL-3.0-or-later
"""Our kernels against everything else that computes the same, forward and with gradients, in one run on one machine.

    ./dev bench peers [--quick | --eager] [--gpu] [--only TEXT] [--peer TEXT] [--json FILE [--cache FOLDER]] [--compile | --compiled]
                      [--table FILE] [--docs --document PAGE]

Every form is compared with an fp64 loop before it is timed, and timed in several processes in turns with ours, with the same memory settings. Ours
are the ops of libunroll_kernels.so; of whole layers, that with the product that the block makes. A peer counts with the lowest median of its
processes, ours with the middle one of those that had the machine to themselves. Prints milliseconds, ratios, the bytes of an ideal pass and their
share of the copy bandwidth measured in the same process, then the targets; ends with 1 when one is missed. Time it on a machine that does nothing
else.

With --json FILE a run can be made in pieces: what FILE holds of this build of the kernels is not measured again, a run that was interrupted goes on,
and pieces chosen by --only and --peer add up, also when several are in progress. With --cache FOLDER what torch.compile makes is kept for later pieces;
--compile makes it beforehand, on a machine that need not be quiet, and --compiled takes no more than that. --docs measures nothing: it writes the
section of a machine's page in docs/benchmarks out of FILE, between the two lines that mark it there.

--gpu is the same on a GPU, at sizes of its own, beside the packages that have kernels for it; times are the GPU's own. It needs libunroll_cuda.so
too. The folder that ./dev bundle packs has both and this program (`bench-peers`).
"""

import argparse
import contextlib
import os
import pathlib
import signal
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))  # what the programs of tests/bench share

from kinds import COMPILED, CUDA, PEERS, UNROLL
from measuring import Measuring
from processes import Settings
from record import OfAnotherMachine, Record
from report import case_text, document, peer_name, targets_text, write_into
from targets import outcomes


def parsed():
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="under 3 minutes: the smaller sizes, without torch.compile")
    parser.add_argument("--eager", action="store_true", help="without torch.compile, whose forms take a minute each to compile")
    parser.add_argument("--gpu", action="store_true", help="on a GPU, at sizes of its own; a FILE of --json of its own too")
    parser.add_argument("--only", default="", metavar="TEXT", help='cases whose name and size hold TEXT, as "gated_scan (1024"')
    parser.add_argument("--peer", default="", metavar="TEXT", help="peers whose name in the table holds TEXT, as torch.compile, Brent-Kung")
    parser.add_argument("--json", metavar="FILE", help="all that was measured; what an earlier FILE lacks is added")
    parser.add_argument("--again", action="store_true", help="measure anew what FILE has, or says that it failed; with --peer these peers alone")
    parser.add_argument("--cache", metavar="FOLDER", help="where torch.compile's code is kept for later pieces; else every piece compiles anew")
    parser.add_argument("--compile", action="store_true", help="compile and check what is chosen, time nothing; needs --json and --cache")
    parser.add_argument("--compiled", action="store_true", help="of torch.compile only what --compile has made before")
    parser.add_argument("--table", metavar="FILE", help="the table as Markdown")
    parser.add_argument("--docs", action="store_true", help="write the section of --document from the FILE of --json, and measure nothing")
    parser.add_argument("--document", metavar="PAGE", help="for --docs, as docs/benchmarks/intel-xeon.md")
    parser.add_argument("--rounds", type=int, help="processes for each form, earlier pieces counted (3; quick: 2)")
    parser.add_argument("--seconds", type=float, help="of each form and pass in a process, at least three calls (1; quick: 0.1)")
    parser.add_argument("--limit", type=float, default=240, help="seconds of a processor that a compiled form may take to be made ready (240)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--library", default=os.environ.get("UNROLL_KERNELS_LIBRARY"), help="libunroll_kernels.so; default: UNROLL_KERNELS_LIBRARY")
    parser.add_argument("--cuda-library", default=os.environ.get("UNROLL_CUDA_LIBRARY"), metavar="LIBRARY",
                        help="libunroll_cuda.so, for --gpu; default: UNROLL_CUDA_LIBRARY")
    # For the test: sizes at which nothing is to be learnt.
    parser.add_argument("--tiny", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.docs and not (options.json and options.document):
        parser.error("--docs needs --json FILE, which was measured before, and --document PAGE, where it is to stand")
    if options.compile and not (options.json and options.cache):
        parser.error("--compile needs --json FILE and --cache FOLDER: what it makes is for later pieces")
    if not options.docs and not (options.library and pathlib.Path(options.library).is_file()):
        parser.error("name the built libunroll_kernels.so by --library or UNROLL_KERNELS_LIBRARY")
    if options.gpu and not (options.cuda_library and pathlib.Path(options.cuda_library).is_file()):
        parser.error("name the built libunroll_cuda.so by --cuda-library or UNROLL_CUDA_LIBRARY")
    if options.gpu and options.quick:
        parser.error("--gpu has one set of sizes: leave --quick out, and choose by --only")
    return options


def settings_of(options):
    shared = {"limit": options.limit, "threads": options.threads, "library": str(pathlib.Path(options.library).resolve())}
    if options.gpu:
        return Settings("gpu", seconds=options.seconds or 0.2, least=5, rounds=options.rounds or 2, copy_mb=1024, device=CUDA,
                        cuda_library=str(pathlib.Path(options.cuda_library).resolve()), **shared)
    if options.tiny:
        return Settings("tiny", seconds=0.0, least=2, rounds=options.rounds or 2, copy_mb=1, **shared)
    if options.quick:
        return Settings("quick", seconds=options.seconds or 0.1, least=3, rounds=options.rounds or 2, copy_mb=256, **shared)
    return Settings("full", seconds=options.seconds or 1.0, least=3, rounds=options.rounds or 3, copy_mb=256, **shared)


def chosen(options, all_families):
    """Families of (case, forms) as the options choose them; ours stands beside every peer."""

    def wanted(form):
        if form.kind not in PEERS:
            return True
        return options.peer.lower() in peer_name(form.kind, form.name).lower() and not (form.kind == COMPILED and (options.quick or options.eager))

    for family in all_families:
        pairs = [(case, [form for form in case.forms if wanted(form)]) for case in family if options.only.lower() in case.title.lower()]
        yield [(case, forms) for case, forms in pairs if not options.peer or any(form.kind in PEERS for form in forms)]


@contextlib.contextmanager
def cache_of(options):
    """Where compiled code lies, empty at first where it is not kept."""
    if options.cache:
        yield pathlib.Path(options.cache).resolve()
    else:
        with tempfile.TemporaryDirectory() as place:
            yield place


def measured(options, record, settings, kept):
    """Measures what the options choose; returns the names and sizes of these cases."""
    from cases import families  # torch, which --docs does not need

    all_families = families(settings.scale, settings.device)
    record.expect([case for family in all_families for case in family])
    titles = []
    with cache_of(options) as cache:
        measuring = Measuring(record, settings, cache, bool(options.cache), kept)
        for family in chosen(options, all_families):
            if options.again:
                with kept():
                    record.forget((case, form) for case, forms in family for form in (forms[1:] if options.peer else forms))
            for group in [family] if options.quick else [[pair] for pair in family]:
                if options.compiled:
                    group = record.without_uncompiled(group)
                measuring.compile(group)
                if options.compile:
                    continue
                measuring.time(group)
                for case, _ in group:
                    print(case_text(record, case.name, case.size), end="\n\n", flush=True)
                    titles.append((case.name, tuple(case.size)))
    return titles


def begun(options, settings):
    """A record with what earlier pieces measured."""
    record = Record.here(settings)
    if not (options.json and os.path.exists(options.json)):
        return record
    try:
        return record.after(Record.read(options.json))
    except OfAnotherMachine as why:
        sys.exit(f"{options.json} cannot be added to ({why}): choose another file.")


def main():
    options = parsed()
    if options.docs:
        write_into(options.document, Record.read(options.json))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what was started is ended too
    if options.gpu:
        import torch  # which --docs does not need

        if not torch.cuda.is_available():
            sys.exit("torch finds no GPU here: --gpu needs one.")
    settings = settings_of(options)
    record = begun(options, settings)

    def kept():
        return record.newest(options.json) if options.json else contextlib.nullcontext()

    titles = measured(options, record, settings, kept)
    if options.compile:
        return 0
    if not titles:
        sys.exit(f"No case holds '{options.only}' and has a peer that holds '{options.peer}'.")
    if options.table:
        pathlib.Path(options.table).write_text(document(record) + "\n", encoding="utf-8")
    these = record.only(titles)
    print(targets_text(these))
    return 1 if any(outcome.met is False for outcome in outcomes(these)) else 0


if __name__ == "__main__":
    sys.exit(main())
