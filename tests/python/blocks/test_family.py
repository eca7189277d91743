# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/family.md and the page of the studio: every recurrent block is there, its state has the size that its formula says, its source is the spec's."""

import inspect
import re

import pytest
import torch

import family
from block_dumps import ROOT
from test_authors import recurrent_blocks

FIELDS = {"family", "year", "source", "equation", "state", "title", *family.TASKS}


def test_every_recurrent_block_is_on_the_map():
    assert recurrent_blocks() - set(family.cells()) == {"delay"}, "a recurrent block needs a family.json in its folder"


@pytest.mark.parametrize("block", family.cells())
def test_entry(block):
    cell = family.cells()[block]
    assert FIELDS <= set(cell) <= FIELDS | {"note"}
    assert cell["family"] in family.FAMILIES and 1950 < cell["year"] < 2100 and cell["equation"]
    spec = " ".join(re.sub(r'"\s*"', "", family.spec_text(block)).split())
    help_text = (ROOT / "nodes" / block / "help.md").read_text(encoding="utf-8")
    for number in re.findall(r"arXiv:\d+\.\d+", cell["source"]):
        assert number in spec or number in help_text, f"{number} is neither in the spec's provenance nor in the help"
    if (first := re.search(r"^[^;]*arXiv:(\d\d)", cell["source"])) and "after" not in cell["source"]:
        assert cell["year"] == 2000 + int(first[1]), "the year is that of the first version"
    if cell["parity"] == "no":
        assert cell["S3"] == cell["S5"] == "no", "parity is a part of both"
    if cell["S3"] == "no":
        assert cell["S5"] == "no"


@pytest.mark.parametrize("block", family.cells())
@pytest.mark.parametrize("params", [{}, {"input_size": 64, "units": 64, "state_size": 8, "num_layers": 2, "kernel_size": 3, "window": 5}], ids=["defaults", "others"])
def test_size_of_the_state(block, params):
    params = {name: value for name, value in params.items() if name in inspect.signature(family.python_class(block)).parameters}
    assert family.numbers(block, **params) == real_size(block, params)


# Of the options that decide on the size those that are no number and no flag, and several together.
OTHERS = [
    ("causal_conv", {"input_size": 8, "kernel_size": 64, "dilation": 100}),
    ("causal_conv", {"input_size": 8, "kernel_size": 4, "dilation": 3}),
    ("dilated_conv", {"growth": 1, "num_layers": 5}),
    ("dilated_conv", {"growth": 3, "num_layers": 4, "kernel_size": 3, "width": 16}),
    ("dilated_conv", {"num_layers": 1}),
    ("hgrn", {"convention": "fla"}),
    ("linear_attention", {"feature_map": "identity"}),
    ("attention", {"key_size": 32, "value_size": 64}),
    ("attention", {"projections": False, "key_size": 32, "value_size": 64}),
    ("srupp", {"attention": "none"}),
    ("srupp", {"attention": "full", "bidirectional": True}),
    ("srupp", {"num_layers": 5, "attention_every_n_layers": 2, "bidirectional": True}),
    ("srupp", {"num_layers": 5, "attention_last_n_layers": 2}),
    ("lstm", {"num_layers": 3, "bidirectional": True}),
]


def real_size(block, params):
    """By the reference class."""
    params = {"input_size": family.WIDTH} | params
    out = family.python_class(block)(**params)(torch.randn(1, 1, params["input_size"]))
    return sum(part.numel() for part in out[1])


@pytest.mark.parametrize(("block", "params"), OTHERS)
def test_size_of_the_state_with_other_options(block, params):
    assert family.numbers(block, **params) == real_size(block, params)


def changed(default):
    """Another value of a flag or a whole number."""
    return not default if isinstance(default, bool) else 2 * default or 8


# What a changed option needs beside it, and an odd number where there must be one.
BESIDE = {
    ("attention", "projections"): {"key_size": 32, "value_size": 64},
    ("lru", "units"): {"skip": "full"},
    ("module_conv", "module_kernel"): {"module_kernel": 5},
    ("sru", "projections"): {"units": 32},
}


@pytest.mark.parametrize("block", family.cells())
def test_every_flag_and_number_that_changes_the_state_is_in_its_formula(block):
    for name, parameter in inspect.signature(family.python_class(block)).parameters.items():
        if isinstance(parameter.default, int):
            params = {name: changed(parameter.default)} | BESIDE.get((block, name), {})
            assert family.numbers(block, **params) == real_size(block, params), params


def test_formulas_are_told_in_words():
    told = {block: family.formula(cell) for block, cell in family.cells().items()}
    assert told["dilated_conv"] == "(kernel_size - 1) · (in + width · Σ_(l = 1 … num_layers - 1) growth^l)"
    assert told["hgrn"] == "units · (2 if convention hgru, else 1)" and told["lstm"] == "2 · num_layers · directions · units"
    assert not [block for block, words in told.items() if re.search(r"\*\*|==|'|attending\(|bidirectional", words)]


@pytest.mark.parametrize("path,made", [(family.PAGE, family.page), (family.HELP, family.help_page)], ids=["docs", "studio"])
def test_pages_are_up_to_date(path, made):
    assert path.read_text(encoding="utf-8") == made(), f"run ./dev python {(ROOT / 'tests/python/blocks/family.py').relative_to(ROOT)}"


def test_eigenvalues_of_rwkv7_are_as_the_map_says():
    """diag(w) - (a ∘ κ) κᵀ, with w and a within what its sigmoids give, is similar to a symmetric matrix; the smallest eigenvalue comes near exp(-exp(-1/2)) - 1."""
    torch.manual_seed(1)
    slowest = torch.exp(-torch.exp(torch.tensor(-0.5, dtype=torch.float64)))
    least = 0.0
    for n in (1, 2, 4, 16):
        w, a = torch.rand(500, n, dtype=torch.float64), torch.rand(500, n, dtype=torch.float64)
        w, a = slowest + (1 - slowest) * w.round(), a.round()  # the ends of both, which no sigmoid passes
        kappa = torch.nn.functional.normalize(torch.randn(500, n, dtype=torch.float64), dim=-1)
        root = a.sqrt() * kappa
        least = min(least, torch.linalg.eigvalsh(torch.diag_embed(w) - root.unsqueeze(-1) * root.unsqueeze(-2)).min().item())
    assert slowest - 1 - 1e-12 < least < slowest - 1 + 1e-3
    assert "above -0.455" in family.cells()["rwkv7"]["note"] and -0.455 < slowest - 1
