# SPDX-License-Identifier: GPL-3.0-or-later
"""The next character or word of three texts, the whole field in one small frame at equal numbers of weights.

    ./dev bench learning --only texts [fables]
    ./dev bench learning --only texts shakespeare --data input.txt
    ./dev bench learning --only texts king-james --data kjv.txt

a text a run; after its name parts of cells' names."""

import dataclasses
import json
import math
import pathlib
import statistics
import tempfile

import graphs
import reporting
from engine import DIVERGED
from field import LOOKING_BACK, field, state_numbers
from runs import run_made, settings_hash
from tables import circumstances
from trials import QUIET

WIDTH, LAYERS, STEPS = 64, 2, 64
DENSE = 256  # inner width of the dense layers beside attention; beside the others it is solved for
NARROW = 8  # the inner width that weights are counted at to solve for it
EACH = 2 * WIDTH * LAYERS  # weights of a unit of the dense layers, which have no bias
MATCH = 0.02
SEEDS = [1, 2, 3]
TRAINING = {**QUIET, "steps": 500, "batch": 8, "learning_rate": 3e-3, "final_learning_rate": 3e-4, "beta2": 0.99, "weight_decay": 0.1, "warmup": 50,
            "schedule": "cosine", "evaluate_whole": True}  # fmt: skip
EXPECTED_NOTES = ("data-note",)  # by the check: of words that are none of the classes
BEGIN, END = "<!-- three texts: written by ./dev bench learning --only texts -->", "<!-- end of the three texts -->"


@dataclasses.dataclass(frozen=True)
class Text:
    key: str
    task: str  # of the record
    title: str
    short: str
    about: str
    unit: str
    params: dict
    is_bundled: bool = False
    source: str = "text"
    masks: bool = False


WINDOWS = {"order": "windows"}
TEXTS = [
    Text("fables", "fables", "The bundled fables", "fables", "75 characters.", "character", WINDOWS, is_bundled=True),
    Text("shakespeare", "texts shakespeare", "Tiny Shakespeare in small", "Shakespeare", "65 characters; the cells at another size are in the table of tiny Shakespeare above.",
         "character", WINDOWS),
    Text("king-james", "texts king-james", "The King James Bible, by words", "King James",
         "Words between blanks: the 2,000 most frequent of the training part, others are one class: 12 % of that part, 17 % of the validation part. The text of Debian's package bible-kjv-text, a verse a line: "
         "`bible -f gen1:1-rev22:21 | cut -d' ' -f2- > kjv.txt`.", "word", {**WINDOWS, "unit": "words", "vocabulary_limit": 2000}),
]  # fmt: skip
CELLS = field(WIDTH, LAYERS)


def windowed(cell):
    """Attention keeps as many steps as a sequence has, that of SRU++ too."""
    return dataclasses.replace(cell, params={**cell.params, "window": STEPS}) if cell.block in LOOKING_BACK else cell


def framed(text, cell, dense):
    return graphs.in_a_frame(text, windowed(cell), WIDTH, LAYERS, dense, TRAINING)


def written(folder, text, cell, dense):
    file = folder / "text.unroll"
    file.write_text(json.dumps(framed(text, cell, dense)), encoding="utf-8")
    return file


def matched(engine, folder, text, cell, known):
    """The file, its number of weights and what a token costs. known: attention's number of weights, counted once."""
    if None not in known:
        known[None] = engine.parameters(written(folder, text, CELLS[-1], DENSE), EXPECTED_NOTES)
    narrow = engine.parameters(written(folder, text, cell, NARROW), EXPECTED_NOTES)
    dense = NARROW + round((known[None] - narrow) / EACH)
    file = written(folder, text, cell, dense)
    costs = engine.costs(file)
    assert abs(costs["parameters"] / known[None] - 1) <= MATCH, f"{cell.title}: {costs['parameters']} weights, attention {known[None]}"
    return file, costs


def settings_of(text, cell):
    """Wherever the text lies."""
    return settings_hash(framed(text, cell, 0), MATCH, DENSE)


def runs_of(record, text, cell):
    return record.of(text.task, cell.title, settings_of(text, cell))


def train_once(engine, folder, text, cell, seed, known):
    file, costs = matched(engine, folder, text, cell, known)
    trained = engine.train(file, folder / "run", seed)
    last = trained.metrics[-1]
    loss = last.get("final/loss", math.nan) if trained.code != DIVERGED else math.nan
    return {"figures": {"loss": loss} if math.isfinite(loss) else {}, "tokens": last["tokens"], "seconds": trained.processor_seconds,
            "state": LAYERS * state_numbers(engine, windowed(cell), WIDTH), **costs}  # fmt: skip


def chosen(words, data):
    """The text with its file, and parts of cells' names."""
    texts = {text.key: text for text in TEXTS}
    key, names = (words[0], words[1:]) if words and words[0] in texts else (TEXTS[0].key, words)
    text = texts[key]
    if text.is_bundled:
        return text, text, names
    if not data:
        raise SystemExit(f"{text.title}: name its file by --data")
    return text, dataclasses.replace(text, params={**text.params, "file": str(pathlib.Path(data).resolve())}), names


def run(engine, record, options, machine):
    text, at_hand, names = chosen(options.only[1:], options.data)
    known = {}
    for cell in (cell for cell in CELLS if cell.is_named(names)):
        for seed in options.seeds or SEEDS:
            if options.lacking and record.has(text.task, cell.title, settings_of(text, cell), seed):
                continue
            with tempfile.TemporaryDirectory() as place:
                found = train_once(engine, pathlib.Path(place), at_hand, cell, seed, known)
            record.add(run_made(engine, machine, task=text.task, cell=cell.title, seed=seed, settings=settings_of(text, cell), **found))
            print(f"{text.key} {cell.title:22} seed {seed}  {found['figures'].get('loss', math.nan):.4f} nats/{text.unit}  {found['seconds']:.0f} s", flush=True)
    print("\n" + section(record, text), flush=True)
    return True


ABOUT = f"""## Three texts, the whole field

The next character or word, {LAYERS} layers of norm, cell, sum, norm, two dense layers, sum; width {WIDTH}, windows of {STEPS} from a state of zeros,
{TRAINING["steps"]} updates of {TRAINING["batch"]} of them (256,000 characters or words), AdamW, cosine from {TRAINING["learning_rate"]:g} for every cell. The inner width of the dense layers is solved
for, so that the numbers of weights are equal within {MATCH:.0%}. Nothing was tuned. So short a run tells what is learned first, not where a cell ends. Loss: nats a
character or word on the whole validation part. State: numbers kept between two steps, of both layers; of attention the window's keys and values. FLOPs: of a
token read (forward), as `check` counts them. Speed: characters or words trained on in a second of processor time of the whole program, its start and the
evaluation included: other programs ran on the same cores, so that differences of a fifth mean nothing.
"""


def row_of(text, cell, runs):
    """The mean of its seeds."""
    losses = [run["figures"].get("loss", math.nan) for run in runs]
    return {"cell": cell.title, "loss": statistics.mean(losses), "apart": max(losses) - min(losses), "run": runs[0],
            "speed": statistics.mean(run["tokens"] / run["seconds"] for run in runs), "seeds": " ".join(str(run["seed"]) for run in runs)}  # fmt: skip


def by_loss(rows):
    return [[row["cell"], f"{row['loss']:.3f}" if math.isfinite(row["loss"]) else "diverged", f"{row['apart']:.3f}", f"{row['run']['parameters']:,}",
             f"{row['run']['state']:,}", f"{row['run']['flops']:,.0f}", row["seeds"]] for row in sorted(rows, key=lambda row: (math.isnan(row["loss"]), row["loss"]))]  # fmt: skip


def by_speed(rows):
    return [[row["cell"], f"{row['speed']:,.0f}", f"{row['loss']:.3f}"] for row in sorted(rows, key=lambda row: -row["speed"])]


def section(record, text):
    rows = [row_of(text, cell, runs) for cell in CELLS if (runs := runs_of(record, text, cell))]
    runs = [run for cell in CELLS for run in runs_of(record, text, cell)]
    lines = [f"### {text.title}", "", text.about, "", *([circumstances(runs, "their mean is shown"), ""] if runs else [])]
    if not rows:
        return "\n".join([*lines, "Not run."]) + "\n"
    lacking = [cell.title for cell in CELLS if cell.title not in {row["cell"] for row in rows}]
    lines += ["By loss:", "", reporting.table(["cell", "loss", "seeds apart", "weights", "state, numbers", "FLOPs a token", "seeds"], by_loss(rows)), "",
              "By speed:", "", reporting.table(["cell", f"{text.unit}s a second", "loss"], by_speed(rows)), ""]  # fmt: skip
    return "\n".join([*lines, *([f"Not run: {'; '.join(lacking)}.", ""] if lacking else [])])


def table(record):
    return "\n".join([BEGIN, ABOUT, *(section(record, text) for text in TEXTS), END]) + "\n"
