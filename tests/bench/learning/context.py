# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters and loss against the length of the context: an n-gram model grows exponentially with it, an MLP over a window linearly, dilated convolutions
logarithmically, a recurrent network not at all. On the bundled fables, or on a text named by --data."""

import json
import pathlib
import tempfile

import graphs
import reporting
from runs import run_made, settings_hash
from tables import circumstances

CONTEXTS = [1, 2, 4, 8, 16, 32, 64]
TOKENS = 768  # an update
STEPS = 64  # of a window that is trained on; of the recurrent network's it is the context
WIDTH, HIDDEN, UNITS = 64, 256, 128
TRAINING = {"steps": 1000, "learning_rate": 2e-3, "final_learning_rate": 2e-4, "beta2": 0.99, "weight_decay": 0.1, "warmup": 50, "schedule": "cosine",
            "evaluate_every": 0, "sample_every": 0, "checkpoint_every": 0, "evaluate_whole": True}
BEGIN, END = "<!-- parameters and loss against context: written by ./dev bench learning --only context -->", "<!-- end of parameters against context -->"


def layers_for(context):
    """Of kernel 2 and dilations 1, 2, 4, ...: they read 2 ** layers steps."""
    return context.bit_length() - 1


KINDS = {"MLP": lambda k: ("window_mlp", {"width": WIDTH, "window": k, "hidden": HIDDEN}),
         "dilated": lambda k: ("dilated_conv", {"width": WIDTH, "num_layers": layers_for(k), "kernel_size": 2, "growth": 2}),
         "GRU": lambda k: ("gru", {"units": UNITS})}  # fmt: skip


def can_be(kind, context):
    return kind == "GRU" or context > 1


def experiment(kind, context, text):
    """text: its path; empty: the bundled fables."""
    steps = context if kind == "GRU" else STEPS
    wiring = graphs.Wiring()
    wiring.add("text", "data", {"file": text, "order": "windows", "steps": steps}, gives="tokens")
    wiring.add("embedding", "embedding", {"width": WIDTH}, reads="tokens")
    block, params = KINDS[kind](context)
    wiring.add(block, "cell", params)
    wiring.add("head", "head", more=["data.targets -> head.targets"])
    return graphs.experiment(f"context {context}: {kind}", dict(TRAINING, batch=TOKENS // steps), wiring.graph())


def settings_of(kind, context):
    return settings_hash(experiment(kind, context, "") if kind in KINDS else kind, context)


def of_ngrams(engine, folder, text):
    """Order by order: n-grams that are kept, and loss. The order reads one token less than its number."""
    file = folder / "ngrams.unroll"
    file.write_text(json.dumps(experiment("GRU", STEPS, text)), encoding="utf-8")
    return {row["order"]: row for row in engine.call("check", file, "--ngrams", "--json").rows if row["kind"] == "ngram" and "order" in row}


def noted(kind, context, seed, engine, machine, more):
    return run_made(engine, machine, task="context", cell=f"{kind} {context}", seed=seed, settings=settings_of(kind, context), **more)


def run(engine, record, options, machine):
    text = str(pathlib.Path(options.data).resolve()) if options.data else ""
    chosen = [kind for kind in ["n-gram", *KINDS] if not options.only[1:] or any(word.lower() in kind.lower() for word in options.only[1:])]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if "n-gram" in chosen:
            found = of_ngrams(engine, folder, text)
            for context in (k for k in CONTEXTS if k + 1 in found):
                row = found[context + 1]
                record.add(noted("n-gram", context, 1, engine, machine, {"parameters": row["grams"], "figures": {"loss": row["loss"]}, "seconds": 0}))
                print(f"context {context:3} n-gram   {row['loss']:.4f}  {row['grams']:,} n-grams", flush=True)
        for kind in (kind for kind in chosen if kind in KINDS):
            for context in (k for k in CONTEXTS if can_be(kind, k)):
                for seed in options.seeds or [1]:
                    file = folder / f"{kind}-{context}.unroll"
                    file.write_text(json.dumps(experiment(kind, context, text)), encoding="utf-8")
                    last = engine.train(file, folder / f"{kind}-{context}-{seed}", seed).metrics[-1]
                    made = {"parameters": engine.parameters(file), "figures": {"loss": last["final/loss"]}, "seconds": last["seconds"]}
                    record.add(noted(kind, context, seed, engine, machine, made))
                    print(f"context {context:3} {kind:8} {last['final/loss']:.4f}  {made['parameters']:,} weights  {last['seconds']:.0f} s", flush=True)
    print("\n" + table(record), flush=True)
    return True


ABOUT = f"""## Parameters and loss against context

What a context of k characters costs, and what it gives: the next character of a text, in nats on its whole validation part. An n-gram model of order k + 1
(interpolated Kneser-Ney, counted on the training part) keeps a number for every n-gram that it has seen, of up to V^(k+1) that there could be. An MLP over a
window of k embedded characters ({HIDDEN} hidden units) has a matrix for every place of the window; dilated convolutions (width {WIDTH}, kernel 2, dilations
1, 2, 4, …) have a layer for every doubling of it; a GRU ({UNITS} units) has the same weights whatever it reads, here windows of k characters from a state of zeros,
so that on average its context is half as long. {TRAINING["steps"]} updates of {TOKENS} characters each, AdamW, cosine from {TRAINING["learning_rate"]:g}; embedding and output head are
counted. An n-gram model has seen the whole training part, the networks {TRAINING["steps"] * TOKENS:,} characters of it.
"""


def entry(record, kind, context):
    runs = record.of("context", f"{kind} {context}", settings_of(kind, context))
    if not runs:
        return ["n/a" if kind == "n-gram" or not can_be(kind, context) else "not run", ""]
    return [f"{runs[0]['parameters']:,}", f"{sum(run['figures']['loss'] for run in runs) / len(runs):.3f}"]


def table(record):
    kinds = ["n-gram", *KINDS]
    runs = [run for kind in kinds for k in CONTEXTS for run in record.of("context", f"{kind} {k}", settings_of(kind, k))]
    lines = [BEGIN, ABOUT]
    if runs:
        lines += [circumstances(runs, "their mean is shown", "wall-clock training time"), ""]
    heads = ["context", "n-grams, exponential", "loss", "MLP weights, linear", "loss", "dilated weights, logarithmic", "loss", "GRU weights, constant", "loss"]
    rows = [[str(k), *(cell for kind in kinds for cell in entry(record, kind, k))] for k in CONTEXTS]
    return "\n".join([*lines, reporting.table(heads, rows), "",
                      "n/a: a window of one step is an embedding alone; n-grams of that order would be too many to keep (2,000,000 of all orders)."]
                     + [END]) + "\n"  # fmt: skip
