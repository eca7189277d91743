# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried: tasks with their examinations, cells with their settings, and what theory expects of each pair.

The generators are those of nodes/parity, nodes/word_problem and so on, whose help names their papers."""

import dataclasses

ADAM = {"weight_decay": 0.0, "beta2": 0.99, "warmup": 10, "final_learning_rate": 0.0}
QUIET = {"evaluate_every": 0, "sample_every": 0, "checkpoint_every": 0, "evaluate_whole": False, "evaluate_batches": 1}


@dataclasses.dataclass(frozen=True, eq=False)
class Cell:
    title: str
    block: str
    params: dict
    layers: int = 1
    one_hot: bool = False  # reads a feature for each class, in the place of an embedding
    # Reads features through a dense layer of this width: of cells whose width is that of what they read.
    lift: int | None = None

    def is_named(self, names):
        """By a part of its title; without names all are."""
        return not names or any(name.lower() in self.title.lower() for name in names)


@dataclasses.dataclass(frozen=True)
class Trial:
    """A cell on a task. `learns`: what theory says; None where it says nothing. `grows`: it could represent the solution, but is expected not to
    learn it, because its state grows: the norm monitor must say so."""
    cell: Cell
    learns: bool | None
    training: dict = dataclasses.field(default_factory=dict)
    grows: bool = False


def without_a_claim(*cells):
    return [Trial(cell, None) for cell in cells]


@dataclasses.dataclass(frozen=True)
class Task:
    key: str
    title: str
    about: str
    source: str
    params: dict
    head: str
    # Acc: share of the scored targets told right; loss; bits: least share of bits right that the loss allows.
    measure: str
    good: float  # what every examination must reach: a share at least, a loss at most
    examinations: dict  # title of the column: how the data are set for it
    training: dict
    trials: tuple
    width: int = 32  # of the embedding
    poor: float | None = None  # what a cell that cannot learn it does not reach, in any examination beyond training
    as_trained: tuple = ()  # examinations that a cell may pass by heart: more of what it was trained on
    seeds: tuple = (1,)  # of the cells that theory speaks of; seed 1 alone of the others

    def settings(self, trial):
        return {**QUIET, **ADAM, **self.training, **trial.training}

    def seeds_of(self, trial):
        return self.seeds if trial.learns is not None else (1,)


LSTM = Cell("LSTM", "lstm", {"units": 32})
KEEPING_LSTM = Cell("LSTM, forget_bias 5", "lstm", {"forget_bias": 5.0, "units": 32})
GRU = Cell("GRU", "gru", {"units": 32})
RNN = Cell("RNN", "rnn", {"units": 32})
CAYLEY = Cell("MRU, cayley", "mru", {"maker": "cayley", "matrix_size": 4, "num_heads": 4, "units": 32, "up_learning_rate_scale": 100.0},
              one_hot=True)
# What reads the state decays, so that the loss does not vanish before the rotations are as exact as long sequences ask
# for.
ON_AND_ON = {"steps": 1000, "weight_decay": 1.0}
NEVER_CONTENT = {"steps": 1000, "weight_decay": 10.0}
HOUSEHOLDER = Cell("MRU, householder", "mru", {"maker": "householder", "matrix_size": 4, "num_heads": 4, "units": 32})
LDU = Cell("MRU, ldu", "mru", {"maker": "ldu", "matrix_size": 4, "num_heads": 4, "units": 32})
GRUMML = Cell("GRUMML", "grumml", {"units": 32})
SRU_V1 = Cell("SRU, weight_c = 0", "sru", {"units": 32, "v1": True})
SRU = Cell("SRU", "sru", {"units": 32})
QRNN = Cell("QRNN", "qrnn", {"units": 32})
MINGRU = Cell("minGRU", "mingru", {"units": 32})
LRU = Cell("LRU", "lru", {"skip": "full", "state_size": 32, "units": 32})
ATTENTION = Cell("attention", "attention", {"num_heads": 4})

PARITY_LAST = Task(
    key="parity-last", title="Parity, asked for once", source="parity", params={"form": "published"}, head="head", measure="acc", good=0.99, poor=0.75,
    as_trained=("40",), seeds=(1, 2, 3),
    about="Format of the published files: lengths of 3 to 40 in training, including the answer position at the end; chance level is 0.5. A 1 must rotate by half a turn, a 0 not at all. A Cayley rotation with parameter a misses half a turn by 2 / a at every 1, so a = 20 is enough for 40 bits, and 256 need nearly a hundred. Once 40 bits are solved, the loss is 0 and a stops growing. So in Cayley's row AdamW's weight decay keeps the layers that read the state small, and a keeps growing; the parameters of the matrices have no decay.",
    examinations={f"{n}": {"validation_shortest": n, "validation_longest": n, "evaluation_sequences": 1000} for n in (40, 160, 256)},
    training={"steps": 2000, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(LSTM, True), Trial(GRU, True), Trial(RNN, True), Trial(HOUSEHOLDER, True),
            Trial(CAYLEY, True, {"learning_rate": 0.005, "steps": 16000, "weight_decay": 2.0}), Trial(LDU, None), Trial(GRUMML, False),
            Trial(SRU_V1, False), Trial(SRU, False), Trial(QRNN, False), Trial(MINGRU, False), Trial(LRU, False), Trial(ATTENTION, False)))

PARITY = Task(
    key="parity", title="Parity", source="parity", params={"ask": "every"}, head="head", measure="acc", good=0.99, poor=0.75,
    as_trained=("40 bits",), seeds=(1, 2, 3),
    about="Targets after every bit in training, and at the last bit of longer sequences in evaluation. Cayley's row has a weight decay of 10, so that the loss stays above 0.1 nats; Householder's row has 1, for a wider margin at 256 bits. Cayley's bits are one-hot: with an embedding 1 and 0 share weights, and the decay shrinks their vectors.",
    examinations={f"{n} bits": {"ask": "last", "validation_shortest": n, "validation_longest": n, "evaluation_sequences": 1000}
                  for n in (40, 160, 256)},
    training={"steps": 400, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(LSTM, True), Trial(GRU, True), Trial(RNN, True), Trial(HOUSEHOLDER, True, ON_AND_ON), Trial(CAYLEY, True, NEVER_CONTENT),
            Trial(LDU, False, grows=True), Trial(GRUMML, False), Trial(SRU_V1, False), Trial(SRU, False),
            Trial(QRNN, False), Trial(MINGRU, False), Trial(LRU, False), Trial(ATTENTION, False)))


RNN_RELU = Cell("RNN, relu", "rnn", {"nonlinearity": "relu", "recurrent_initializer": "orthogonal", "units": 32})
LRU_128 = Cell("LRU, 128 states", "lru", {"r_max": 0.999, "r_min": 0.9, "skip": "none", "state_size": 128, "units": 32})
LONG_LRU = Cell("LRU", "lru", {"r_max": 0.999, "r_min": 0.9, "skip": "none", "state_size": 256, "units": 32})
CHRONO_LSTM = Cell("LSTM, chrono 20, 64 units", "lstm", {"chrono": 20, "units": 64})
LIFTED_ATTENTION = Cell("attention", "attention", {"num_heads": 4}, lift=32)
TWO_OF_ATTENTION = Cell("attention, 2 layers", "attention", {"num_heads": 4}, layers=2)

S3 = Task(
    key="s3", title="Words of S3", source="word_problem", params={"group": "s3", "length": 16, "validation_length": 16}, head="head", measure="acc",
    good=0.99, poor=0.4, as_trained=("16 steps",), seeds=(1, 2, 3),
    about="The product of all permutations read so far, at every step; 16 steps in training. Chance level is 1/6. The rows of the MRU's rotations have weight decay for the reason given above.",
    examinations={f"{n} steps": {"validation_length": n, "evaluation_sequences": 200} for n in (16, 64, 128)},
    training={"steps": 600, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(LSTM, True), Trial(GRU, True), Trial(RNN, True, {"learning_rate": 0.003, "steps": 3000}), Trial(HOUSEHOLDER, True, ON_AND_ON),
            Trial(CAYLEY, True, {"steps": 3000, "weight_decay": 3.0}), Trial(LDU, None), Trial(GRUMML, False), Trial(SRU_V1, False),
            Trial(QRNN, False), Trial(LRU, False), Trial(ATTENTION, False)))

S3_128 = Task(
    key="s3-128", title="Words of S3, 128 steps", source="word_problem", params={"group": "s3", "length": 128, "validation_length": 128},
    head="head", measure="acc", good=0.99, poor=0.4, as_trained=("128 steps",), seeds=(1, 2, 3),
    about="The published lengths: 128 permutations in training, evaluated up to 512. The settings for 16 are not enough for 128: the LSTM and the MRUs need more steps, and the RNN and the MRUs a lower rate. Cayley's half turns are never exact; once 128 steps are solved they stop improving.",
    examinations={f"{n} steps": {"validation_length": n, "evaluation_sequences": 200} for n in (128, 256, 512)},
    training={"steps": 600, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(LSTM, True, {"steps": 2000}), Trial(GRU, True), Trial(RNN, True, {"learning_rate": 0.003, "steps": 8000}),
            Trial(HOUSEHOLDER, True, {"learning_rate": 0.003, "steps": 2000}),
            Trial(CAYLEY, None, {"learning_rate": 0.003, "steps": 10000}), Trial(GRUMML, False), Trial(SRU_V1, False), Trial(QRNN, False),
            Trial(LRU, False), Trial(ATTENTION, False)))

COUNTING = Task(
    key="counting", title="Counting: a^n b^n", source="counting", params={"validation_shortest": 1, "validation_longest": 20}, head="head",
    measure="acc", good=0.999,
    about="n from 1 to 20 in training, scored from the first b on; always predicting b has an accuracy of 1 - 1 / (n + 1).",
    examinations={f"n {low}-{high}": {"validation_shortest": low, "validation_longest": high, "evaluation_sequences": 400}
                  for low, high in ((1, 20), (21, 30), (31, 60))},
    training={"steps": 800, "batch": 32, "learning_rate": 0.01},
    trials=(Trial(KEEPING_LSTM, True), *without_a_claim(LSTM, RNN_RELU, GRU, SRU, QRNN, GRUMML, LRU, HOUSEHOLDER, ATTENTION)))

COPY = Task(
    key="copy", title="Copy", source="copy", params={"symbols": 8, "length": 5, "delay": 10}, head="head", measure="acc", good=0.99,
    about="Five of eight symbols, ten blanks, a delimiter, the five again; scored there.",
    examinations={"as trained": {"evaluation_sequences": 500}},
    training={"steps": 1000, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(CHRONO_LSTM, True, {"learning_rate": 0.02, "steps": 3000, "warmup": 100}),
            *without_a_claim(KEEPING_LSTM, LSTM, GRU, RNN, HOUSEHOLDER, GRUMML, SRU, QRNN, LRU, ATTENTION)))

COPY_10 = Task(
    key="copy-10", title="Copy, ten symbols", source="copy", params={"symbols": 8, "length": 10, "delay": 20}, head="head", measure="acc", good=0.99,
    about="The published sizes: ten of eight symbols, reproduced 20 steps after the last. A delay line, so a linear recurrence can be exact.",
    examinations={"as trained": {"evaluation_sequences": 500}},
    training={"steps": 1000, "batch": 64, "learning_rate": 0.01},
    trials=(Trial(LRU_128, True), *without_a_claim(GRU, HOUSEHOLDER)))

VECTOR_COPY = Task(
    key="vector-copy", title="Copy vectors", source="vector_copy", params={}, head="bce", measure="bits", good=0.999, seeds=(1, 2, 3),
    about="20 vectors of 7 bits, 8 blanks, a signal, the vectors again: the sizes of minimal-LRU. A delay line, so a linear recurrence can be exact.",
    examinations={"as trained": {"evaluation_sequences": 500}},
    training={"steps": 600, "batch": 32, "learning_rate": 0.01},
    trials=(Trial(LONG_LRU, True), *without_a_claim(LSTM, GRU, SRU, GRUMML, QRNN, LIFTED_ATTENTION)))

ADDING = Task(
    key="adding", title="Adding", source="adding", params={"length": 30}, head="mse", measure="loss", good=0.02, poor=0.1,
    about="Sum of two marked numbers among 30, predicted at the end; always predicting 1 has a loss of 0.167. Value and marker must be multiplied, which a linear model cannot.",
    examinations={"as trained": {"evaluation_sequences": 1000}},
    training={"steps": 1000, "batch": 64, "learning_rate": 0.005},
    trials=(Trial(KEEPING_LSTM, True), *without_a_claim(LSTM, GRU, RNN, SRU, GRUMML, QRNN), Trial(LRU, False), Trial(LIFTED_ATTENTION, None)))

ADDING_100 = Task(
    key="adding-100", title="Adding, 100 steps", source="adding", params={"length": 100}, head="mse", measure="loss", good=0.02, poor=0.1,
    about="The published size: two marked numbers among 100.",
    examinations={"as trained": {"evaluation_sequences": 1000}},
    training={"steps": 1000, "batch": 64, "learning_rate": 0.005},
    trials=(Trial(GRU, True), *without_a_claim(KEEPING_LSTM, SRU), Trial(LRU, False), Trial(LIFTED_ATTENTION, None)))

RECALL = Task(
    key="recall", title="Selective recall", source="recall", params={"vocabulary": 64, "pairs": 4, "length": 32}, head="head", measure="acc",
    good=0.99, poor=0.5, width=64,
    about="Four key-value pairs, then the keys again among filler; the target is the value.",
    examinations={"as trained": {"evaluation_sequences": 1000}},
    training={"steps": 1000, "batch": 64, "learning_rate": 0.003},
    trials=(Trial(TWO_OF_ATTENTION, True), *without_a_claim(LSTM, GRU, SRU, GRUMML), Trial(LRU, False), Trial(HOUSEHOLDER, None)))

RECALL_256 = Task(
    key="recall-256", title="Selective recall, 256 classes", source="recall", params={"vocabulary": 256, "pairs": 4, "length": 64}, head="head",
    measure="acc", good=0.99, poor=0.5, width=64,
    about="The published sizes of the quick example: four pairs of 127 keys and 128 values in 64 steps.",
    examinations={"as trained": {"evaluation_sequences": 1000}},
    training={"steps": 1500, "batch": 64, "learning_rate": 0.003},
    trials=(Trial(TWO_OF_ATTENTION, True), Trial(GRU, None), Trial(LRU, False)))

TASKS = {task.key: task for task in (PARITY_LAST, PARITY, S3, S3_128, COUNTING, COPY, COPY_10, VECTOR_COPY, ADDING, ADDING_100, RECALL, RECALL_256)}
