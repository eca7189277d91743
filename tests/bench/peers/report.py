# SPDX-License-Identifier: GPL-3.0-or-later
"""The record as text for a terminal, and as the section of a page in docs/benchmarks."""

import pathlib

from kinds import BLOCK, MODES, PEERS, PRODUCTS, QUIET, UNROLL, WHOLE
from reporting import table
from targets import outcomes

BEGIN, END = "<!-- written by ./dev bench peers: begin -->", "<!-- written by ./dev bench peers: end -->"
GPU_BEGIN, GPU_END = "<!-- written by ./dev bench peers --gpu: begin -->", "<!-- written by ./dev bench peers --gpu: end -->"
FEW = 3  # sizes that are named, not counted
INEXACT = 1e-4  # relative RMS that a reader is told of
VERDICTS = {True: "met", False: "**missed**"}


def milliseconds(seconds):
    digits = 3 if seconds < 0.001 else 2 if seconds < 0.01 else 1 if seconds < 0.1 else 0
    return f"{1e3 * seconds:.{digits}f}"


def size_text(size):
    return f"({', '.join(map(str, size))})"


def peer_name(kind, form):
    return f"{PEERS[kind]}: {form}"


def form_name(row):
    return name_of(row.kind, row.form)


def name_of(kind, form):
    return {UNROLL: "Unroll", PRODUCTS: "its matrix products alone"}.get(kind) or peer_name(kind, form)


def figures(row):
    """Milliseconds, and beside them the ratio, or of ours the bytes and the share of the copy bandwidth."""
    if not row.seconds:
        return ""
    beside = ""
    if row.ratio is not None and row.kind != UNROLL:
        beside = f"{row.ratio:.1f}x"
    elif row.share is not None:
        beside = f"{row.bytes / 1e6:.1f} MB, {100 * row.share:.0f} % of copy"
    return f"{milliseconds(row.counts):>8} ms  {beside}"


def case_text(record, name, size):
    """A case's block of the table."""
    lines = [f"{name} {size_text(size)}"]
    rows = {mode: {(row.kind, row.form): row for row in record.of(name, size, mode)} for mode in MODES}
    for key in dict.fromkeys(key for mode in MODES for key in rows[mode]):
        both = [rows[mode].get(key) for mode in MODES]
        one = both[0] or both[1]
        compiled = f"  compiled in {one.compile_s:.0f} s" if one.compile_s else ""
        cells = "".join(f"{figures(row) if row else '':<40}" for row in both)
        lines.append(f"  {form_name(one):<42}{one.problem or cells + compiled}".rstrip())
    others = max((min(row.others) for mode in MODES for row in rows[mode].values() if row.others), default=0)
    if others > QUIET:
        lines.append(f"  Other programs took up to {100 * others:.0f} % of the processors meanwhile: measure again.")
    return "\n".join(lines)


def titles(record):
    return dict.fromkeys((row.case, tuple(row.size)) for row in record.rows.values())


def targets_text(record):
    lines = []
    for outcome in outcomes(record):
        case, size, asked, least, found, most = outcome.texts()
        bound = f"; its matrix products alone allow {most}" if most else ""
        lines.append(f"  {outcome.verdict:<13}{case} {size}: {asked}: {found or '-'}, asked {least}{bound}")
    return "\n".join(["Targets", *lines]) if lines else "Targets: none for these cases"


def best(rows, kind):
    measured = [row for row in rows if row.kind == kind and row.ratio is not None]
    return min(measured, key=lambda row: row.counts, default=None)


def peer_cell(row):
    if row is None:
        return "–"
    compiled = f", compiled in {row.compile_s:.0f} s" if row.compile_s else ""
    return f"{milliseconds(row.counts)} ({row.ratio:.1f}×), {row.form}{'' if row.same_values else ' †'}{compiled}"


def processes_cell(rows):
    """How many processes the figures of a pass come from."""
    counts = sorted({len(row.seconds) for row in rows if row.seconds})
    return " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))


def document_row(record, name, size, mode):
    rows = record.of(name, size, mode)
    ours = next((row for row in rows if row.kind == UNROLL and row.seconds), None)
    if ours is None:
        return None
    bytes_cell, share = (f"{ours.bytes / 1e6:.1f}", f"{100 * ours.share:.0f} %") if ours.bytes else ("–", "–")
    return [f"{name} {size_text(size)}" if mode == MODES[0] else "", mode, processes_cell(rows), milliseconds(ours.counts), bytes_cell, share,
            *(peer_cell(best(rows, kind)) for kind in PEERS)]


def table_document(record):
    heads = ["case", "pass", "processes", "Unroll ms", "MB", "of copy", *PEERS.values()]
    rows = [document_row(record, *title, mode) for title in titles(record) for mode in MODES]
    return table(heads, filter(None, rows))


def targets_document(record):
    heads = ["case", "size", "asked", "at least", "found", "with its products alone", ""]
    return table(heads, [[*outcome.texts(), VERDICTS.get(outcome.met, outcome.verdict)] for outcome in outcomes(record)])


def remarks(row, newest):
    """What a reader must know of a form besides its figures."""
    if row.problem:
        yield row.problem
    if row.seconds and row.build != newest:
        yield "beside an earlier build of our kernels."
    if row.seconds and row.error and row.error > INEXACT:
        yield f"its values differ from the definition's by {row.error:.1e}."
    if row.others and min(row.others) > QUIET:
        yield f"other programs took at least {100 * min(row.others):.0f} % of the processors meanwhile."


def remarks_document(record):
    """One line for every sentence."""
    said, newest = {}, {(row.case, *row.size): row.build for row in record.rows.values() if row.kind == UNROLL}
    for row in record.rows.values():
        for sentence in remarks(row, newest.get((row.case, *row.size))):
            said.setdefault(f"{form_name(row)}: {sentence}", {})[f"{row.case} {size_text(row.size)}"] = None
    return "\n".join(f"- {sentence} ({', '.join(places)})" for sentence, places in said.items())


def unmeasured_document(record):
    """What a whole run would show besides."""
    measured, whole, forms = titles(record), {}, {}
    for name, size, form, kind in record.unmeasured():
        if (name, tuple(size)) not in measured:
            whole[f"{name} {size_text(size)}"] = None
        else:
            forms.setdefault(name_of(kind, form), []).append(f"{name} {size_text(size)}")
    lines = [f"{form} {f'at {len(places)} sizes' if len(places) > FEW else 'of ' + ', '.join(places)}" for form, places in forms.items()]
    said = [", ".join(whole)] * bool(whole) + lines
    return "Not measured yet: " + "; ".join(said) + "." if said else ""


def document(record):
    """The section of a page in docs/benchmarks, without its heading."""
    machine, versions = record.facts["machine"], record.facts["versions"]
    copies = [copy / 1e9 for row in record.rows.values() for copy in row.copy]
    memory = f" Copying ran at {min(copies):.0f} to {max(copies):.0f} GB/s." if copies else ""
    days = sorted({row.date for row in record.rows.values()})
    packages = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    gpu = f"{machine['gpu']}; " if "gpu" in machine else ""
    opening = (f"{gpu}{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB; {record.facts['threads']} threads; "
               f"{packages}; {' to '.join(dict.fromkeys((days[0], days[-1])))}.{memory}\n"
               "Sizes are (T, B, width), of matrices and outer products (B, heads, T, n), of dense layers (rows, in, out); fp32. A peer's figure is the lowest of its\n"
               "processes' medians, ours the median of all of its own; the ratio in brackets says how many times as long as ours the peer takes in\n"
               "the processes that timed both. MB are what an ideal pass moves, *of copy* the share of the time that copying as much takes, measured in\n"
               "the same process; each cell shows the fastest form of its kind. Seconds of compiling are a processor's. torch.compile is given blocks of "
               f"{BLOCK} steps, and loops of up to\n{WHOLE} steps whole: it unrolls them. † computes something else of the same size. A layer\n"
               "with its products alone is one whose recurrence takes no time: the same matrix products, of all steps at once.")
    return "\n\n".join(filter(None, [opening, table_document(record), targets_document(record), remarks_document(record),
                                     unmeasured_document(record)]))


def write_into(path, record):
    """Puts the section between the markers of a document."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    marks = (GPU_BEGIN, GPU_END) if "gpu" in record.facts["machine"] else (BEGIN, END)
    head, begin, rest = text.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not begin or not end:
        raise SystemExit("\n".join((f"{path} has no place for the table: it needs the lines", *marks)))
    pathlib.Path(path).write_text(f"{head}{begin}\n\n{document(record)}\n\n{end}{tail}", encoding="utf-8")
