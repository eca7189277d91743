# SPDX-License-Identifier: GPL-3.0-or-later
"""MRU-LM at the setting of its authors on tiny Shakespeare (6 layers, width 384, windows of 256, batch 64, dropout 0.2, 5,000 steps), and a transformer in
the same frame, beside the published curves. Minutes on a GPU; on a CPU the first 200 steps alone."""

import json
import math
import pathlib
import shutil
import tempfile

import graphs
import reporting
from runs import run_made, settings_hash
from tables import circumstances

LAYERS, WIDTH, STEPS, HEADS, RATE, DROPOUT = 6, 384, 256, 6, 1e-3, 0.2
TRAINING = {"steps": 5000, "batch": 64, "learning_rate": RATE, "final_learning_rate": RATE / 10, "beta2": 0.99, "weight_decay": 0.1, "warmup": 100,
            "start_learning_rate": RATE / 10, "decay_steps": 5000, "schedule": "cosine", "evaluate_every": 200, "evaluate_whole": True, "sample_every": 0, "checkpoint_every": 200}  # fmt: skip
ON_A_CPU = 200  # steps
# Validation losses read off the plot in mru-lm's README, nats per character, by step. It was made by older code, with a
# transformer whose positions were divided by 512 before they rotated anything.
PUBLISHED = {"MRU": {200: 2.16, 600: 1.71, 1000: 1.58, 1400: 1.505, 2000: 1.52, 3000: 1.59, 4000: 1.65, 5000: 1.685},
             "transformer": {200: 2.41, 1000: 1.55, 1600: 1.50, 2000: 1.53, 3000: 1.61, 4000: 1.78, 5000: 1.893}}  # fmt: skip
CELLS = {"MRU": ("mru", {"units": WIDTH, "num_heads": HEADS, "matrix_size": 8, "maker": "ldu", "training_rule": "mru_lm", "depth": 2 * LAYERS, "dropout": DROPOUT}),
         "transformer": ("attention", {"num_heads": HEADS, "key_size": WIDTH, "value_size": WIDTH, "positions": "xpos", "xpos_scale": 512.0, "window": STEPS,
                                      "bias": False, "depth": LAYERS, "dropout": DROPOUT})}  # fmt: skip
BEGIN, END = "<!-- MRU-LM at its own setting: written by ./dev bench learning --only mru-lm -->", "<!-- end of MRU-LM -->"


def layer(block, params):
    """Norm, cell, dropout, sum; norm, two dense layers, dropout, sum."""
    plain = {"bias": False, "weights_initializer": "normal"}
    inner = graphs.Wiring()
    inner.add("layer_norm", "norm_1", {"bias": False})
    inner.add(block, "cell", params)
    if block != "attention":  # which drops of its output itself
        inner.add("dropout", "drop_1", {"rate": DROPOUT})
    inner.add("add", "add_1", reads="b")
    inner.add("layer_norm", "norm_2", {"bias": False})
    inner.add("linear", "up", dict(plain, width=4 * WIDTH))
    inner.add("activation", "gelu", {"function": "gelu"})
    inner.add("linear", "down", dict(plain, init_std=round(0.02 / math.sqrt(2 * LAYERS), 7), width=WIDTH))
    inner.add("dropout", "drop_2", {"rate": DROPOUT})
    inner.add("add", "add_2", reads="b", more=["add_1.y -> add_2.a"])
    return {"repeat": LAYERS, "inputs": ["x -> norm_1.x", "residual -> add_1.a"], "outputs": ["add_2.y -> y", "add_2.y -> residual"], **inner.graph()}


def experiment(cell, text):
    block, params = CELLS[cell]
    wiring = graphs.Wiring()
    wiring.add("text", "data", {"file": text, "order": "windows", "steps": STEPS}, gives="tokens")
    wiring.add("embedding", "embedding", {"init_std": 0.02, "share_table": True, "weight_decay": False, "width": WIDTH}, reads="tokens")
    wiring.add("dropout", "drop", {"rate": DROPOUT})
    wiring.add("group", "layer", more=["drop.y -> layer.residual"])
    wiring.nodes[-1]["group"] = layer(block, params)
    wiring.add("layer_norm", "norm", {"bias": False})
    wiring.add("head", "head", {"bias": False, "readout": "tied"}, more=["embedding.table -> head.table", "data.targets -> head.targets"])
    return graphs.experiment(f"MRU-LM's setting: {cell}", TRAINING, wiring.graph())


def settings_of(cell):
    return settings_hash(experiment(cell, ""))


def on_a_gpu():
    return shutil.which("nvidia-smi") is not None


def curve(rows):
    """Validation loss by the number of updates before it."""
    return {row["step"]: row["val/loss"] for row in rows if "val/loss" in row}


def train(engine, file, run, seed, steps):
    device = "auto" if on_a_gpu() else "cpu"
    return engine.train(file, run, seed, "--steps", steps, device=device)


def run(engine, record, options, machine):
    if not options.data:
        raise SystemExit("mru-lm reads tiny Shakespeare: name its input.txt by --data")
    steps = TRAINING["steps"] if on_a_gpu() else ON_A_CPU
    for cell in (cell for cell in CELLS if not options.only[1:] or any(word.lower() in cell.lower() for word in options.only[1:])):
        for seed in options.seeds or [1]:
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(options.keep or place)
                folder.mkdir(parents=True, exist_ok=True)
                file = folder / f"mru-lm-{cell}.unroll"
                file.write_text(json.dumps(experiment(cell, str(pathlib.Path(options.data).resolve()))), encoding="utf-8")
                trained = train(engine, file, folder / f"{cell}-{seed}", seed, steps).metrics
                parameters = engine.parameters(file)
            seen = curve(trained)
            record.add(run_made(engine, machine, task="mru-lm", cell=cell, seed=seed, settings=settings_of(cell), steps=steps, parameters=parameters,
                                seconds=trained[-1]["seconds"], figures={str(step): loss for step, loss in seen.items()}))
            for step, loss in seen.items():
                beside = PUBLISHED[cell].get(step)
                print(f"mru-lm {cell:12} seed {seed}  step {step:5}  {loss:.4f}" + (f"  published {beside}" if beside else ""), flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## MRU-LM at its own setting

Tiny Shakespeare at the setting of mru-lm's configuration (c45d36d): {LAYERS} layers of MRU (ldu, {HEADS} heads of 8 x 8) and two dense layers, width
{WIDTH}, windows of {STEPS}, batch {TRAINING["batch"]}, dropout {DROPOUT}, {TRAINING["steps"]:,} steps of AdamW (0.9, 0.99) with weight decay 0.1,
cosine from {RATE:g} to {RATE / 10:g}; the rate, decay and clip of the MRU's matrices as mru-lm has them (`training_rule`). The head's matrix is the
embedding's table, which does not decay. Matrices begin normal with standard deviation 0.02, the last of each branch with 0.02 / √{2 * LAYERS}, those before and
behind the MRU's state as there (0 and 0.02 √8). The schedule is mru-lm's: 100 steps of warm-up from a tenth of the rate, then a cosine of 5,000 steps, of which
the run makes 4,900. The gallery has both: `mru-lm`, `mru-lm-transformer`.

What still differs from mru-lm:

- **Rate.** mru-lm sets it at every tenth step; here it changes at each.
- **Clipping.** mru-lm clips two groups to a norm of 1, each on its own: the table with the gains of the norms, and the matrices. Here they are one group.
- **Batches.** mru-lm cuts the text into pieces of {STEPS + 1} characters; an epoch takes each of them once, in random order. Here windows begin at random places.
- **Rotation of the transformer's xPos.** mru-lm divides positions by 512 before it rotates, so that no angle is above 0.4 in a window, and counts pairs
  from 1; here positions are undivided and pairs count from 0.
- **Decay of xPos.** mru-lm's ζ is (4i/n + 0.4n) / (1 + 0.4n), for n = 64 from 0.965 to 1.038: at the end of a window a product counts 0.98 to 1.02 times
  as much. Here ζ is the paper's, (2i/n + 0.4) / 1.4, from 0.29 to 0.98: there the fastest pair's counts {(0.4 / 1.4) ** ((STEPS - 1) / 512):.2f} times as much.

Published losses are read off a plot, which older code made. On a CPU only the first {ON_A_CPU} steps are run. Before the head shared the table (24,960
weights more), with decay of both and 0.02 in the last dense layers too, they ended at 2.248 (MRU, seed 1, 29 November 2026); with a warm-up from 0 besides,
at 2.281.

At step 200 the published transformer was behind the published MRU; here it is far ahead of both, with seed 1. What differs most from mru-lm's is the rotation:
of positions divided by 512 the angles of neighbouring characters are 0.002 apart at most, so that attention hardly tells them apart at first. Whether that is the reason was not tried.
"""


def table(record):
    runs = {cell: record.of("mru-lm", cell, settings_of(cell)) for cell in CELLS}
    every = [run for found in runs.values() for run in found]
    lines = [BEGIN, ABOUT]
    if every:
        lines += [circumstances(every, "the first is shown", "wall-clock training time"), ""]
    rows = []
    for step in sorted({step for found in PUBLISHED.values() for step in found}):
        row = [f"{step:,}"]
        for cell, found in runs.items():
            seen = found[0]["figures"].get(str(step)) if found else None
            row += [f"{seen:.3f}" if seen is not None else "not run", str(PUBLISHED[cell].get(step, ""))]
        rows.append(row)
    heads = ["step", *(head for cell in CELLS for head in (cell, "published"))]
    return "\n".join([*lines, reporting.table(heads, rows), END]) + "\n"
