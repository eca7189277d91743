# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of the field, made of each block's family.json, its spec and its reference class: docs/family.md, and the page of the studio's help.

    ./dev python tests/python/blocks/family.py    # writes both

A family.json has the family, the year, the source, the equation in the notation that the page begins with, the numbers of the state as a formula of the block's
parameters (Python, with the functions of tests/bench/state_size.py), and what one such layer tracks, from theory. test_family.py
holds the formula to the reference, the source to the spec and the help, the pages to this."""

import functools
import inspect
import json
import re
import sys

from block_dumps import ROOT, module_at, reference_module

state_size = module_at("state_size", ROOT / "tests" / "bench" / "state_size.py")
PAGE, HELP = ROOT / "docs" / "family.md", ROOT / "resources" / "help" / "family.md"
WIDTH = 128  # of x, where a state is counted
TASKS = ("parity", "S3", "S5", "a^n b^n", "recall")
HELP_TITLES = {"parity": "Parity", "a^n b^n": "aⁿ bⁿ", "recall": "Recall"}

FAMILIES = {
    "dense": ("Dense and non-linear", """h_t = φ(W x_t + R h_{t-1}): each step reads the whole previous state. Such a layer can implement every finite automaton, and so parity, S3 and S5
(Minsky 1967; Merrill et al. 2024, arXiv:2404.08819). It can count without bound only if a state may grow by a constant: the cell of an LSTM, a relu; bounded states, as a GRU's with tanh,
cannot (Weiss et al. 2018, arXiv:1805.04908). Steps cannot be computed in parallel."""),
    "units": ("Non-linear, each unit by itself", """The gates of a unit read only that unit's state. SRU moves a state towards a value set by x without passing it; IndRNN's map of a state is monotone,
increasing for every x or decreasing for every x. So no unit can swap two states at a 1 and keep them at a 0, as parity requires
(for positive recurrent weights: Knorozova, Ronca 2024, arXiv:2312.09048)."""),
    "gated": ("Diagonal, decays from x", """h_t = a(x_t) ∘ h_{t-1} + b(x_t) with 0 ≤ a ≤ 1: linear in h, so computed as a scan. Without negative or complex eigenvalues of size 1 a layer of
finite precision cannot compute parity, and hence neither S3 nor S5 (Sarrof et al. 2024, arXiv:2405.17394; Grazzi et al. 2024, arXiv:2411.12537; for S5 also Merrill et al. 2024,
arXiv:2404.08819). It can count if a = 1 and b ≠ 0 are possible together (Sarrof et al.), or as a limit: Mamba's A → 0 leaves Δ u Bᵀ as it is. With b = (1 - a) ∘ c the state is a
mean: bounded. RG-LRU's b has the factor √(1 - a²): as a → 1 its steps go to 0, and the state is a count in units of them; how far it reaches is open."""),
    "modes": ("Diagonal, constant complex modes", """h_t = λ ∘ h_{t-1} + γ ∘ B x_t: a filter. The weight of a step depends only on its age, so neither parity nor a word problem can be computed (Merrill et al. 2024, arXiv:2404.08819;
Sarrof et al. 2024, arXiv:2405.17394). Modes with |λ| < 1 decay; as λ → 1 one sums its input, and so counts, if γ does not go to 0 with 1 - λ. The parameters of S4D and LRU keep
|λ| < 1, which rounds to 1; those of the cell S5 do not."""),
    "outer": ("Sums of outer products", """S_t = diag(a_t) S_{t-1} + k_t v_tᵀ: pairs of key and value, summed and read by a query. Factors between 0 and 1: no parity, as above. A head with
keys of n numbers stores n pairs without interference; recall grows with the state (Arora et al. 2024, arXiv:2402.18668)."""),
    "delta": ("The delta rule", """S_t = (diag(a_t) - b_t κ_tᵀ) S_{t-1} + k_t v_tᵀ: before a value is stored, the old one under its key is removed. I - β k kᵀ has the eigenvalue 1 - β along k: at β = 2
it is a reflection, which computes parity (Grazzi et al. 2024, arXiv:2411.12537). Products of n of them permute n + 1 items: S3 needs two per step, S5 four (Siems et al. 2025,
arXiv:2502.10297). β is a sigmoid or, with negative_eigenvalues, twice that, and so 2 only as a limit; a decay a must go to 1 as well. What the entries say of counting is our reasoning."""),
    "products": ("Products of matrices", """H_t = H_{t-1} M(x_t): the state is a product of matrices, which do not commute. With the right M one layer computes every group word problem
(Merrill et al. 2024, arXiv:2404.08819); which M are possible depends on the parametrisation."""),
    "window": ("Context instead of a state", """The last inputs are kept unchanged, as far as a window reaches. Softmax attention averages: it cannot compute the parity of long sequences (Hahn 2020,
arXiv:1906.06755), nor, if TC⁰ ≠ NC¹, S5 at constant depth (Merrill, Sabharwal 2023, arXiv:2207.00729); it can count and compare (Bhattamishra et al. 2020, arXiv:2009.11264).
A convolution or an MLP computes any function of its window, and nothing outside it."""),
}  # fmt: skip

NOTATION = """x_t is the input, y_t the output, h_t a vector state, S_t a matrix state per head: rows are keys, columns values. W is a weight, R a recurrent weight, b a bias;
a, f decays and forget gates, i, z input and update gates, β the rate of the delta rule, q, k, v queries, keys and values; ∘ is elementwise, σ the sigmoid. A norm and an output gate or
projection after the state are left out if they do not affect the columns below."""
WORDS = """**Year**: of the first version, as a preprint if there was one; the source may be a later one. **State**: size of the state between two steps, including carried inputs of convolutions;
*in* is the width of x, *directions* 2 of a bidirectional layer and else 1; **numbers**: the same with the block's defaults and an x of {width} features.
**Parity, S3, S5**: whether one such layer with suitable weights computes, at every length and in finite precision, the parity of bits, or the product of permutations of three or five items. **aⁿ bⁿ**:
whether it counts in steps of a fixed size as far as its precision allows. The options that decide are named, of MRU the makers that can; *as a → 1* means in the limit, which saturated floats
reach; *open*: no theorem says whether or how far, the note has what is known; ? means that we know of no result.
**Recall**: number of key-value pairs that it can return; *by width*: no keys, limited by the width of the vector. Several layers can do more. What cells learn, not only what they can
represent, is measured in [learning.md](learning.md)."""


@functools.cache
def cells():
    """Block -> what its family.json says, by family, year and title."""
    found = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "nodes").glob("*/family.json")}
    for block, cell in found.items():
        cell["title"] = re.search(r'\.title = "([^"]+)"', spec_text(block))[1]
    order = list(FAMILIES)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[1]["family"]), item[1]["year"], item[1]["title"])))


def spec_text(block):
    return (ROOT / "nodes" / block / "spec.cpp").read_text(encoding="utf-8")


@functools.cache
def python_class(block):
    name = re.search(r'pythonClass = "(\w+)"', spec_text(block))[1]
    return getattr(reference_module(block), name)


def numbers(block, **params):
    """Of the state by the formula of family.json; parameters that are not given have their defaults."""
    defaults = {n: p.default for n, p in inspect.signature(python_class(block)).parameters.items() if p.default is not p.empty}
    return state_size.numbers(cells()[block]["state"], defaults | {"input_size": WIDTH} | params)


def formula(cell):
    """In words that the page explains: A if C, else B."""
    told = re.sub(r"sum_of_powers\((\w+), (\w+)\)", r"Σ_(l = 1 … \2 - 1) \1^l", cell["state"])
    told = re.sub(r"attending\([^)]*\)", "attending", told).replace("(1 + bidirectional)", "directions")
    told = re.sub(r" == '(\w+)'", r" \1", told).replace(" else 0)", ")").replace(" else ", ", else ")
    return re.sub(r" ?\*\* ?2\b", "²", told).replace(" ** ", "^").replace(" * ", " · ").replace("input_size", "in")


def row(block, cell):
    tasks = " | ".join(cell[task] for task in TASKS)
    return f"| [{cell['title']}](../nodes/{block}/help.md) | {cell['year']} | {formula(cell)} | {numbers(block):,.0f} | {tasks} | {cell['source']} |"


def page():
    """docs/family.md."""
    lines = ["# A map of the field", "", "Every recurrent cell, and its alternatives, grouped by how the state is updated. Made by `./dev python tests/python/blocks/family.py`",
             "from each block's `family.json`; a test checks the sizes against the code.", "", NOTATION, "", WORDS.format(width=WIDTH)]  # fmt: skip
    for family, (title, text) in FAMILIES.items():
        members = {block: cell for block, cell in cells().items() if cell["family"] == family}
        lines += ["", f"## {title}", "", text, "", "```"]
        longest = max(len(cell["title"]) for cell in members.values())
        for cell in members.values():
            for i, equation in enumerate(cell["equation"]):
                lines.append(f"{cell['title'] if i == 0 else '':{longest}}   {equation}")
        lines += ["```", "", "| cell | year | state | numbers | parity | S3 | S5 | aⁿ bⁿ | recall | source |", "|---|---|---|---|---|---|---|---|---|---|"]
        lines += [row(block, cell) for block, cell in members.items()]
        noted = [f"{cell['title']}: {cell['note']}." for cell in members.values() if "note" in cell]
        lines += ["", " ".join(noted)] if noted else []
    return "\n".join(lines) + "\n"


def linked(source):
    """Papers open in the browser."""
    return re.sub(r"arXiv:(\d+\.\d+)", r"[arXiv:\1](https://arxiv.org/abs/\1)", source)


def help_entry(block, cell):
    """Name, year and source, the equation, then size of the state, what one layer tracks, and the note, a paragraph each."""
    tasks = " ".join(f"{HELP_TITLES.get(task, task)}: {cell[task]}." for task in TASKS)
    lines = ["", f"**[{cell['title']}](block:{block})** {cell['year']}. {linked(cell['source'])}", "", *(f"    {equation}" for equation in cell["equation"])]
    lines += ["", f"State: {formula(cell)} = {numbers(block):,.0f} numbers.", "", tasks]
    return lines + (["", f"Note: {cell['note']}."] if "note" in cell else [])


def help_page():
    """resources/help/family.md: a tree, and below it each cell; links go to the help of the block."""
    words = NOTATION + "\n" + WORDS.format(width=WIDTH).replace("[learning.md](learning.md)", "docs/learning.md")
    words = re.sub(r" (?=\*\*(Year|Parity|aⁿ|Recall))", "\n\n", words.replace("\n", " "))  # a paragraph each
    lines = ["# Family of cells", "", "Every recurrent cell, grouped by how the state is updated; a name opens the help of the block.", ""]
    for family, (title, _) in FAMILIES.items():
        members = [f"[{cell['title']}](block:{block}) {cell['year']}" for block, cell in cells().items() if cell["family"] == family]
        lines += [f"- **{title}**", *(f"  - {member}" for member in members)]
    lines += ["", "## How to read it", "", words]
    for family, (title, text) in FAMILIES.items():
        lines += ["", f"## {title}", "", text.replace("\n", " ")]
        for block, cell in cells().items():
            if cell["family"] == family:
                lines += help_entry(block, cell)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    HELP.write_text(help_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n{HELP}\n")
