# SPDX-License-Identifier: GPL-3.0-or-later
"""What theory expects of each cell on each problem of states.py, with its source: written down before anything is run.

A claim is of cells as deep as the problem has them, at finite precision, on sequences longer than those of training."""

import dataclasses

SOURCES = {
    "Grazzi": "Grazzi et al. 2024 (negative eigenvalues), arXiv:2411.12537",
    "Siems": "Siems et al. 2025 (DeltaProduct), arXiv:2502.10297",
    "Merrill": "Merrill, Petty, Sabharwal 2024 (illusion of state), arXiv:2404.08819",
    "Hahn": "Hahn 2020 (limits of self-attention), arXiv:1906.06755",
    "Weiss": "Weiss, Goldberg, Yahav 2018 (counting), arXiv:1805.04908",
    "Hewitt": "Hewitt et al. 2020 (Dyck-(k,m)), arXiv:2010.07515",
    "Arora": "Arora et al. 2023 (Zoology), arXiv:2312.04927",
    "Schlag": "Schlag, Irie, Schmidhuber 2021 (delta rule), arXiv:2102.11174",
    "Gu": "Gu, Dao 2023 (Mamba), arXiv:2312.00752",
    "Sarrof": "Sarrof, Veitsman, Hahn 2024 (expressive capacity), arXiv:2405.17394",
    "derived": "our reasoning",
}


@dataclasses.dataclass(frozen=True)
class Claim:
    learns: bool | None  # None: theory says nothing
    why: str = ""
    source: str = "derived"


SILENT = Claim(None)
DENSE = ("RNN", "LSTM", "GRU", "sLSTM")
POSITIVE = ("Mamba", "mLSTM", "DeltaNet, β to 1")  # transitions without a negative eigenvalue


def every(cells, learns, why, source):
    return {cell: Claim(learns, why, source) for cell in cells}


def tracked(needed, reflections, attention, rotations):
    """Of words in a group whose elements are so many reflections: `needed` says so. `rotations`: what holds them as
    rotations in one plane of at most 4 dimensions, of which MRU has one a step; empty where nothing does."""
    claims = every(DENSE, True, "dense and non-linear: any finite automaton", "Merrill")
    claims |= every(POSITIVE, False, "eigenvalues from 0 to 1 alone", "Grazzi")
    claims["LRU"] = Claim(False, "transitions do not depend on the input", "Grazzi")
    claims["SRU"] = Claim(False, "diagonal: under one input each unit tends to a limit")
    claims["MRU, householder"] = Claim(bool(rotations), f"rotations: {rotations}" if rotations else "rotations of 4 dimensions have no odd permutations of five")
    for title, there in (("DeltaNet, β to 2", 1), ("DeltaProduct, 2", 2), ("DeltaProduct, 4", 4)):
        claims[title] = Claim(there >= reflections, f"{reflections} reflections a step are needed, it has {there}", needed)
    claims["RWKV-7"] = Claim(False, "rates to 1: eigenvalues from -0.46, a flip loses half of the state")
    claims["attention"] = attention
    return claims


SHALLOW = Claim(False, "constant depth, a problem complete for NC1", "Merrill")
ONE_LAYER = Claim(False, "one layer composes nothing")

# 1 + 1 + 1 + ... has period 5. Every number comes after an operator: two steps, so two reflections where a step has
# one.
ARITHMETIC = {**every(DENSE, True, "dense and non-linear: any finite automaton", "Merrill"),
              **every(POSITIVE, False, "eigenvalues from 0 to 1 alone", "Grazzi"),
              "LRU": Claim(False, "transitions do not depend on the input", "Grazzi"),
              "SRU": Claim(False, "diagonal: under one input each unit tends to a limit"),
              "attention": ONE_LAYER}  # fmt: skip

RECALL = {"attention": Claim(True, "looks up", "Arora"), "LRU": Claim(False, "the same for all inputs: width would grow with the length", "Arora"),
          **every(("DeltaNet, β to 1", "DeltaNet, β to 2"), True, "a key's old value is removed; fewer pairs than keys of a head", "Schlag")}
CROWDED = {"attention": RECALL["attention"], "LRU": RECALL["LRU"]}  # more pairs than a head has keys

SELECTIVE = {"LRU": Claim(False, "time-invariant: cannot leave blanks out", "Gu"), "Mamba": Claim(True, "selective", "Gu"),
             **every(DENSE, True, "what is taken in depends on the input", "derived")}
INDUCTION = {"LRU": Claim(False, "time-invariant", "Gu"), "Mamba": Claim(True, "selective", "Gu")}

COUNTED = {"LSTM": Claim(True, "c counts without bound", "Weiss"), **every(("RNN", "GRU"), False, "bounded states do not count on", "Weiss")}
NESTED = {**every(DENSE, True, "bounded depth: a stack in m log k units", "Hewitt"), "LRU": Claim(False, "time-invariant: no flip-flop", "Sarrof")}

CLAIMS = {
    "parity": tracked("Grazzi", 1, Claim(False, "one changed bit changes too little", "Hahn"), "half turns"),
    "s3": tracked("Siems", 2, ONE_LAYER, "those of a triangle in space"),
    "a5": tracked("Siems", 2, SHALLOW, "those of the icosahedron"),
    "s5": tracked("Siems", 4, SHALLOW, ""),
    "arithmetic": ARITHMETIC,
    "recall-64": RECALL, "recall-128": RECALL, "recall-256": CROWDED, "recall-512": CROWDED,
    "selective-copy": SELECTIVE, "induction": INDUCTION, "counting-3": COUNTED, "dyck": NESTED,
}  # fmt: skip


def of(problem, cell):
    return CLAIMS[problem].get(cell, SILENT)
