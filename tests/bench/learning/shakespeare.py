# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of tiny Shakespeare at the CPU setting of nanoGPT's README: 4 layers, width 128, windows of 64, batch 12, 2,000 steps. One frame, one
cell after another in the place of attention; the inner width of the dense layers makes the numbers of weights equal."""

import json
import math
import pathlib
import statistics
import tempfile

import graphs
import reporting
from field import field, state_numbers
from runs import run_made, settings_hash
from tables import circumstances
from trials import Cell

BOUND = 1.93  # of attention, nats per character on the whole validation split; published 1.88 on 20 batches
AHEAD = 3  # blocks that must read more characters a second than attention, at least
MATCH = 0.02  # how far apart the numbers of weights may lie
WARM = 10  # steps before the clock starts
TIMED = 150
ROUNDS = 9
BUNDLED = ""  # the text that speeds are timed on: they need no download
CHECKPOINT_EVERY = 100  # steps: what is lost at most where a run is killed

TRAINING = {"steps": 2000, "batch": 12, "beta2": 0.99, "weight_decay": 0.1, "warmup": 100, "schedule": "cosine", "evaluate_every": 0,
            "sample_every": 0, "checkpoint_every": 0, "evaluate_whole": True}

ATTENTION = Cell("attention", "attention", {"bias": False, "depth": graphs.GPT_LAYERS, "num_heads": 4, "window": 64})
MRU = {"depth": graphs.GPT_LAYERS, "matrix_size": 4, "num_heads": 8, "units": 128}
CELLS = {ATTENTION: 1e-3,
         Cell("MRU, householder", "mru", {**MRU, "maker": "householder"}): 2e-3,
         Cell("MRU, ldu", "mru", {**MRU, "maker": "ldu", "training_rule": "mru_lm"}): 2e-3,
         Cell("MRU, identity", "mru", {**MRU, "maker": "identity"}): 2e-3,
         Cell("MRU, old", "mru", {**MRU, "maker": "old", "training_rule": "as_others"}): 2e-3,
         Cell("SRU", "sru", {"units": 128}): 2e-3,
         Cell("SRU++", "srupp", {"num_heads": 4, "projection_size": 64, "units": 128, "window": 64}): 2e-3,
         Cell("GRUMML", "grumml", {"units": 128}): 2e-3,
         Cell("LRUMML", "lrumml", {"state_size": 64, "units": 128}): 2e-3}
LSTM = Cell("LSTM", "lstm", {"units": 128})
CELLS |= {cell: 2e-3 for cell in field(graphs.GPT_WIDTH, graphs.GPT_LAYERS) if cell.title not in {LSTM.title, *(known.title for known in CELLS)}}
CELLS[LSTM] = 2e-3


def file_name(cell):
    return "-".join(cell.title.lower().replace(",", "").split())


def settings_of(cell, rate):
    """Of all but where the text lies and how wide the dense layers come out."""
    return settings_hash(graphs.in_the_gpt_frame(cell, 0, "", dict(TRAINING, learning_rate=rate)), MATCH)


def of_this_width(engine, folder, cell, mlp, text, rate, settings):
    file = folder / f"{file_name(cell)}.unroll"
    training = dict(settings, learning_rate=rate, final_learning_rate=rate / 10)
    document = graphs.in_the_gpt_frame(cell, mlp, text, training)
    file.write_text(json.dumps(document), encoding="utf-8")
    return file, engine.parameters(file)


def matched(engine, folder, cell, text, rate, training=TRAINING, wanted=None):
    """text: its path; empty: the bundled fables. wanted: attention's number of weights, if counted already. The file with
    dense layers as wide as it asks for, how many weights it has, and that width."""
    wanted = wanted or of_this_width(engine, folder, ATTENTION, 512, text, rate, training)[1]
    _, narrow = of_this_width(engine, folder, cell, 8, text, rate, training)
    mlp = 8 + 8 * round((wanted - narrow) / (2 * graphs.GPT_WIDTH * graphs.GPT_LAYERS) / 8)
    file, have = of_this_width(engine, folder, cell, mlp, text, rate, training)
    assert abs(have / wanted - 1) <= MATCH, f"{cell.title}: {have} weights, attention {wanted}"
    return file, have, mlp


def tokens_per_second(rows):
    timed = [row for row in rows if WARM <= row["step"] <= WARM + TIMED]
    return (timed[-1]["tokens"] - timed[0]["tokens"]) / (timed[-1]["seconds"] - timed[0]["seconds"])


def chosen_cells(options):
    return [cell for cell in CELLS if cell.is_named(options.only[1:])]


def train_or_go_on(engine, file, run, seed):
    if (run / "checkpoints").exists():
        return engine.go_on(run)
    return engine.train(file, run, seed, "--set", f"training.checkpoint_every={CHECKPOINT_EVERY}")


def train_once(engine, folder, cell, seed, options):
    file, parameters, mlp = matched(engine, folder, cell, str(pathlib.Path(options.data).resolve()), CELLS[cell])
    last = train_or_go_on(engine, file, folder / f"{file_name(cell)}-{settings_of(cell, CELLS[cell])}-{seed}", seed).metrics[-1]
    return {"figures": {"loss": last["final/loss"]}, "parameters": parameters, "mlp": mlp, "rate": CELLS[cell], "seconds": last["seconds"]}


def time_all(engine, options):
    """Tokens a second of each cell, how many times attention's they are in the same round, and memory: short runs one after the other, in rounds, so
    that a slow minute meets all."""
    speeds, memory = {cell: [] for cell in chosen_cells(options)}, {}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        files = {cell: matched(engine, folder, cell, BUNDLED, CELLS[cell])[0] for cell in speeds}
        short = ["--steps", WARM + TIMED + 1, "--set", "training.evaluate_whole=false", "--set", "training.evaluate_batches=1"]
        for turn in range(ROUNDS):
            for cell, file in files.items():
                trained = engine.train(file, folder / f"{file_name(cell)}-{turn}", 1, *short)
                speeds[cell].append(tokens_per_second(trained.metrics))
                memory[cell] = trained.megabytes
    return {cell: {"tokens_per_s": round(statistics.median(found)), "memory_mb": memory[cell], **beside_attention(found, speeds)}
            for cell, found in speeds.items()}  # fmt: skip


def beside_attention(found, speeds):
    """Least, median and greatest of the rounds; nothing where attention was not chosen."""
    if ATTENTION not in speeds:
        return {}
    ratios = sorted(own / other for own, other in zip(found, speeds[ATTENTION], strict=True))
    return {"times_attention": [round(ratio, 3) for ratio in (ratios[0], statistics.median(ratios), ratios[-1])],
            "rounds_behind": sum(ratio <= 1 for ratio in ratios)}  # fmt: skip


def noted(cell, seed, engine, machine, more):
    return run_made(engine, machine, cell=cell.title, seed=seed, settings=settings_of(cell, CELLS[cell]), **more)


def timed_by(record, cell, build):
    """The cell's timing by this build of the engine; None where there is none that counts rounds."""
    found = [run for run in record.of("shakespeare speed", cell.title, settings_of(cell, CELLS[cell])) if run.get("build") == build]
    return found[0] if found and "rounds_behind" in found[0] else None


def blocks_ahead(record, build):
    """Blocks that are faster than attention by some of their options: in the median of the rounds, and in all rounds but one at most, as two in a hundred
    would be by chance. None where not all were timed by this build."""
    timed = {cell: timed_by(record, cell, build) for cell in CELLS}
    if None in timed.values():
        return None
    by_median = {cell.block for cell, run in timed.items() if run["times_attention"][1] > 1}
    beyond_chance = {cell.block for cell, run in timed.items() if run["rounds_behind"] <= 1}
    return sorted(by_median), sorted(beyond_chance)


def are_enough(ahead):
    by_median, _ = ahead
    return len(by_median) >= AHEAD


def told_of_ahead(ahead):
    if ahead is None:
        return f"Not all cells were timed by one build: whether {AHEAD} blocks are ahead of attention in tokens/s is unknown."
    by_median, beyond_chance = (", ".join(blocks) or "none" for blocks in ahead)
    word = "as asked" if are_enough(ahead) else f"**{AHEAD} are asked for**"
    return f"Ahead of attention in tokens/s in the median of {ROUNDS} rounds: {by_median}; {word}. In at least {ROUNDS - 1} of them: {beyond_chance}."


def time_and_judge(engine, record, options, machine):
    for cell, figures in time_all(engine, options).items():
        record.add(noted(cell, 1, engine, machine, {"task": "shakespeare speed", "build": engine.build, **figures}))
        print(f"shakespeare {cell.title:10} {figures['tokens_per_s']:>8,} tokens/s  {figures['memory_mb']} MB", flush=True)
    ahead = blocks_ahead(record, engine.build)
    print(f"shakespeare {told_of_ahead(ahead)}", flush=True)
    return ahead is None or are_enough(ahead)


def count_all(engine, record, options, machine):
    """What a token costs each cell: numbers of its state, FLOPs. Nothing is trained."""
    with tempfile.TemporaryDirectory() as place:
        _, wanted = of_this_width(engine, pathlib.Path(place), ATTENTION, 512, BUNDLED, CELLS[ATTENTION], TRAINING)
        for cell in chosen_cells(options):
            if options.lacking and record.has("shakespeare costs", cell.title, settings_of(cell, CELLS[cell]), 1):
                continue
            file, _, _ = matched(engine, pathlib.Path(place), cell, BUNDLED, CELLS[cell], wanted=wanted)
            state = graphs.GPT_LAYERS * state_numbers(engine, cell, graphs.GPT_WIDTH)
            record.add(noted(cell, 1, engine, machine, {"task": "shakespeare costs", "state": state, **engine.costs(file)}))
    return True


def run(engine, record, options, machine):
    if options.costs:
        return count_all(engine, record, options, machine)
    if options.speed:
        return time_and_judge(engine, record, options, machine)
    good = True
    for cell in chosen_cells(options):
        for seed in options.seeds or [1]:
            if options.lacking and record.has("shakespeare", cell.title, settings_of(cell, CELLS[cell]), seed):
                continue
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(options.keep or place)
                folder.mkdir(parents=True, exist_ok=True)
                found = train_once(engine, folder, cell, seed, options)
            record.add(noted(cell, seed, engine, machine, {"task": "shakespeare", **found}))
            good = good and (cell is not ATTENTION or found["figures"]["loss"] <= BOUND)
            print(f"shakespeare {cell.title:10} seed {seed}  {found['figures']['loss']:.4f} nats/character  {found['parameters']:,} weights  "
                  f"{found['seconds']:.0f} s", flush=True)
    print("\n" + table(record, engine.build))
    return good


ABOUT = f"""## Tiny Shakespeare

The next character, at the CPU setting of nanoGPT's README (4 layers, width 128, windows of 64 from a state of zeros, batch 12, 2,000
steps of AdamW, no dropout): published 1.88 nats on 20 batches; attention must reach {BOUND} on the whole validation split. Every cell is
used in the same block: norm, cell, sum, norm, two dense layers, sum; attention has RoPE, where nanoGPT has learned positions. The inner
width of the dense layers equalises the numbers of weights within {MATCH:.0%}. `depth` is that of the {graphs.GPT_LAYERS} layers for
attention and MRU alike; ldu and old are trained as mru-lm and its branch old train them (`training_rule`). Learning rates were not tuned:
attention has nanoGPT's, every other cell twice that.

MRU's parametrisations differ in what they can forget. A rotation preserves norms and ldu the determinant, so early inputs weigh as much
as late ones; the matrices of identity may shrink. Other rates, 8 rows, four times the state and other values of `up_learning_rate_scale`
ended between 1.92 and 2.02 with ldu and between 2.13 and 2.28 with rotations. mru-lm's own curve is at 2.16 after 3.3 million characters
(6 layers, width 384); these runs end at 1.5 million.

Speeds are medians of {ROUNDS} short runs on the bundled fables (75 characters, here there are 65), the cells one after the other
(`--speed`), with median, minimum and maximum of the ratio to attention. Speeds of another build of the engine are marked; losses count
for every build. State: numbers kept between two steps, of all {graphs.GPT_LAYERS} layers; of attention the window's keys and values. FLOPs: of a token read (forward), as
`check` counts them with the characters of the fables (`--costs`).
"""


def trained_and_timed(record, cell):
    return [record.of(task, cell.title, settings_of(cell, CELLS[cell])) for task in ("shakespeare", "shakespeare speed")]


def newest_build(record):
    timed = [run for cell in CELLS for run in trained_and_timed(record, cell)[1]]
    return max(timed, key=lambda run: run["date"]).get("build") if timed else None


def cost_columns(record, cell):
    costs = record.of("shakespeare costs", cell.title, settings_of(cell, CELLS[cell]))
    return [f"{costs[0]['state']:,}", f"{costs[0]['flops']:,.0f}"] if costs else ["not counted", ""]


def loss_of(record, cell):
    """The mean of the seeds; of what was not run infinite."""
    runs, _ = trained_and_timed(record, cell)
    return statistics.mean(run["figures"]["loss"] for run in runs) if runs else math.inf


def loss_row(record, cell):
    runs, _ = trained_and_timed(record, cell)
    return [cell.title, f"{loss_of(record, cell):.3f}", f"{runs[0]['parameters']:,}", str(runs[0]["mlp"]), f"{runs[0]['rate']:g}",
            *cost_columns(record, cell)]


def speed_of(record, cell):
    _, speeds = trained_and_timed(record, cell)
    return speeds[0]["tokens_per_s"] if speeds else 0


def speed_row(record, cell, build):
    _, speeds = trained_and_timed(record, cell)
    other = "" if build and speeds[0].get("build") == build else ", another build"
    least, middle, most = speeds[0].get("times_attention", [None] * 3)
    return [cell.title, f"{speeds[0]['tokens_per_s']:,}{other}", f"{middle:.2f} ({least:.2f} to {most:.2f})" if middle else "", f"{speeds[0]['memory_mb']} MB"]


def lacking(word, cells):
    """One line, and an empty one behind it, of cells that have no row."""
    return [f"Not {word}: {'; '.join(cell.title for cell in cells)}.", ""] if cells else []


def table(record, build):
    """build: which speeds count; without one the build that was timed last."""
    build = build or newest_build(record)
    runs = [run for cell in CELLS for found in trained_and_timed(record, cell) for run in found]
    lines = [ABOUT]
    if runs:
        lines += [circumstances(runs, "their mean is shown", "trained"), ""]
    trained = [cell for cell in sorted(CELLS, key=lambda cell: loss_of(record, cell)) if trained_and_timed(record, cell)[0]]
    losses = reporting.table(["cell", "loss, nats/character", "weights", "dense width", "rate", "state, numbers", "FLOPs a token"],
                             [loss_row(record, cell) for cell in trained])  # fmt: skip
    untrained = [cell for cell in CELLS if cell not in trained]
    timed = [cell for cell in sorted(CELLS, key=lambda cell: -speed_of(record, cell)) if speed_of(record, cell)]
    speeds = reporting.table(["cell", "tokens/s", "times attention's", "memory"], [speed_row(record, cell, build) for cell in timed])
    untimed = [cell for cell in CELLS if cell not in timed]
    return "\n".join([*lines, "By loss:", "", losses, "", *lacking("run", untrained), "By speed:", "", speeds, "", *lacking("timed", untimed),
                      told_of_ahead(blocks_ahead(record, build) if build else None)]) + "\n"
