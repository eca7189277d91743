# SPDX-License-Identifier: GPL-3.0-or-later
"""What theory expects of each cell on each problem of states.py, with its source: written down before anything is run.

A claim is of cells as deep as the problem has them, at finite precision, on sequences longer than those of training. Those of
windows and of MRU's general matrices were written after the first runs of parity, S3, A5 and S5; that filters and RG-LRU
cannot count was claimed before the runs, which agreed, and is withdrawn: it is open, as in the limit they do."""

import dataclasses

SOURCES = {
    "Grazzi": "Grazzi et al. 2024 (negative eigenvalues), arXiv:2411.12537",
    "Siems": "Siems et al. 2025 (DeltaProduct), arXiv:2502.10297",
    "Merrill": "Merrill, Petty, Sabharwal 2024 (illusion of state), arXiv:2404.08819",
    "Hahn": "Hahn 2020 (limits of self-attention), arXiv:1906.06755",
    "Weiss": "Weiss, Goldberg, Yahav 2018 (counting), arXiv:1805.04908",
    "Hewitt": "Hewitt et al. 2020 (Dyck-(k,m)), arXiv:2010.07515",
    "Arora": "Arora et al. 2023 (Zoology), arXiv:2312.04927",
    "Based": "Arora et al. 2024 (Based: recall and state size), arXiv:2402.18668",
    "Knorozova": "Knorozova, Ronca 2024 (positive recurrent weights), arXiv:2312.09048",
    "Schlag": "Schlag, Irie, Schmidhuber 2021 (delta rule), arXiv:2102.11174",
    "Gu": "Gu, Dao 2023 (Mamba), arXiv:2312.00752",
    "Sarrof": "Sarrof, Veitsman, Hahn 2024 (expressive capacity), arXiv:2405.17394",
    "derived": "our reasoning",
}


@dataclasses.dataclass(frozen=True)
class Claim:
    learns: bool | None  # None: open, where there is a reason; without one theory says nothing
    why: str = ""
    source: str = "derived"


SILENT = Claim(None)
DENSE = ("LSTM", "GRU", "RNN", "sLSTM", "JANET", "LiGRU", "CfC")
BY_UNITS = ("SRU", "IndRNN")  # non-linear, each unit by itself
FILTERS = ("S4D", "S5", "LRU", "LRUMML")  # diagonal, the same for all inputs
DECAYS = ("QRNN", "HGRN", "Mamba", "GRUMML", "RG-LRU", "minGRU", "minLSTM")  # diagonal, from 0 to 1, of the input
KEYED = ("linear attention", "GLA", "RetNet", "HGRN2", "Mamba-2", "mLSTM")  # sums of outer products
# No negative eigenvalue.
POSITIVE = (*DECAYS, "GLA", "HGRN2", "Mamba-2", "mLSTM", "DeltaNet, β to 1", "Gated DeltaNet, β to 1")
DELTA = ("DeltaNet, β to 1", "DeltaNet, β to 2", "Gated DeltaNet, β to 1", "Gated DeltaNet, β to 2")
BOUNDED = {"window MLP": 8, "dilated convolutions": 32}  # steps that one layer sees
REFLECTIONS = {"DeltaNet, β to 2": 1, "Gated DeltaNet, β to 2": 1, "DeltaProduct, 2": 2, "DeltaProduct, 4": 4}  # a step


def every(cells, learns, why, source):
    return {cell: Claim(learns, why, source) for cell in cells}


def without_groups():
    """Of cells that hold no permutation at all: of parity, and so of every group, and of numbers that are added modulo 5."""
    return {**every(DENSE, True, "dense and non-linear: any finite automaton", "Merrill"),
            **every(POSITIVE, False, "eigenvalues from 0 to 1 alone", "Grazzi"),
            **every((*FILTERS, "RetNet", "linear attention"), False, "transitions do not depend on the input", "Grazzi"),
            **{cell: Claim(False, f"sees the last {steps} steps alone") for cell, steps in BOUNDED.items()},
            "SRU": Claim(False, "a unit moves towards what x sets, and never past it"),
            "IndRNN": Claim(False, "a unit's map keeps the order of states, or turns it round, at every input", "Knorozova")}  # fmt: skip


def tracked(needed, reflections, attention, rotations):
    """Of words in a group whose elements are so many reflections: `needed` says so. `rotations`: what holds them as
    rotations in one plane of at most 4 dimensions, of which MRU has one a step; empty where nothing does."""
    claims = without_groups()
    claims["MRU, householder"] = Claim(bool(rotations), f"rotations: {rotations}" if rotations else "rotations of 4 dimensions have no odd permutations of five")
    claims["MRU, identity"] = Claim(True, "any matrices of 4 dimensions: permutations of five, too, are such")
    for title, there in REFLECTIONS.items():
        claims[title] = Claim(there >= reflections, f"{reflections} reflection{'s' * (reflections > 1)} a step needed, it has {there}", needed)
    claims["RWKV-7"] = Claim(False, "rates to 1: eigenvalues from -0.46, a flip loses half of the state")
    claims["attention"] = attention
    return claims


# No lower bound is known without that assumption.
SHALLOW = Claim(False, "constant depth is in TC0, the problem is complete for NC1: if TC0 ≠ NC1", "Merrill")
ONE_LAYER = Claim(False, "one layer composes nothing")

# 1 + 1 + 1 + ... has period 5. Every number comes after an operator: two steps, so two reflections where a step has
# one.
ARITHMETIC = {**without_groups(), "attention": ONE_LAYER}
# Expressions without brackets are among those with brackets: who cannot do the one cannot do the other.
BRACKETED = {**ARITHMETIC, **every(DENSE, True, "bounded depth: a finite automaton", "Merrill")}

# Asymptotic: no theorem says that this width is too small for this length.
INVARIANT = every(FILTERS, False, "the same for all inputs: the width needed grows with the length; that this one is too small is not proved", "Arora")
SHORT = {"window MLP": Claim(False, "two layers see 15 steps, most pairs lie further back")}
LOOKED_UP = every(("attention", "SRU++"), True, "looks up", "Arora")
CROWDED = {**LOOKED_UP, **INVARIANT, **SHORT}  # as many pairs as a head has keys, or more
RECALL = {**CROWDED, **every(KEYED, True, "fewer pairs than keys of a head", "Based"),
          "Mamba": Claim(True, "fewer pairs than states of a feature", "Based"),
          **every(DELTA, True, "a key's old value is removed; fewer pairs than keys of a head", "Schlag")}  # fmt: skip

SELECTIVE = {**every(FILTERS, False, "time-invariant: cannot leave blanks out", "Gu"), "Mamba": Claim(True, "selective", "Gu"),
             **every(DENSE, True, "what is taken in depends on the input", "derived")}  # fmt: skip
INDUCTION = {**every(FILTERS, False, "time-invariant", "Gu"), "window MLP": Claim(False, "two layers see 15 steps"),
             "Mamba": Claim(True, "selective", "Gu")}

MEANS = "a state is a mean of what came in, or decays: bounded"
SUMS = "as λ → 1 a mode sums what came in; how far a sum that is learned reaches, no theorem says"
COUNTED = {"LSTM": Claim(True, "c counts without bound", "Weiss"), **every(("RNN", "GRU"), False, "bounded states do not count on", "Weiss"),
           **every(("LiGRU", "IndRNN"), True, "a relu counts without bound", "Weiss"), "JANET": Claim(False, "at β = 1 a state stays below e: bounded", "derived"),
           "CfC": Claim(False, "bounded states do not count on", "Weiss"),
           **every(("SRU", "QRNN", "HGRN", "GRUMML", "minGRU", "minLSTM", "RetNet", "HGRN2"), False, MEANS, "Sarrof"),
           **{cell: Claim(False, f"sees the last {steps} letters alone") for cell, steps in BOUNDED.items()},
           **every(FILTERS, None, SUMS, "derived"),
           "RG-LRU": Claim(None, "as a → 1 the factor of the input, √(1 - a²), goes to 0 with it; no theorem says how far that count reaches")}  # fmt: skip
NESTED = {"window MLP": Claim(None, "sees 8 symbols: right in 0.90 at most"), "dilated convolutions": Claim(None, "see 32 symbols: 0.97 at most"),
          **every(DENSE, True, "bounded depth: a stack in m log k units", "Hewitt"), **every(FILTERS, False, "time-invariant: no flip-flop", "Sarrof")}

CLAIMS = {
    "parity": tracked("Grazzi", 1, Claim(False, "one changed bit changes too little", "Hahn"), "half turns"),
    "s3": tracked("Siems", 2, ONE_LAYER, "those of a triangle in space"),
    "a5": tracked("Siems", 2, SHALLOW, "those of the icosahedron"),
    "s5": tracked("Siems", 4, SHALLOW, ""),
    "arithmetic": ARITHMETIC, "arithmetic-brackets": BRACKETED,
    "recall-32": RECALL, "recall-32x32": RECALL, "recall-32x128": RECALL, "recall-64": RECALL, "recall-128": RECALL, "recall-256": CROWDED, "recall-512": CROWDED,
    "selective-copy": SELECTIVE, "induction": INDUCTION, "counting-3": COUNTED, "dyck": NESTED,
}  # fmt: skip


def of(problem, cell):
    return CLAIMS[problem].get(cell, SILENT)
