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
    for number in re.findall(r"arXiv:\d+\.\d+", cell["source"]):
        assert number in spec, f"{number} is not in the spec's provenance"
    if (first := re.search(r"^[^;]*arXiv:(\d\d)", cell["source"])) and "after" not in cell["source"]:
        assert cell["year"] == 2000 + int(first[1]), "the year is that of the first version"
    if cell["parity"] == "no":
        assert cell["S3"] == cell["S5"] == "no", "parity is a part of both"
    if cell["S3"] == "no":
        assert cell["S5"] == "no"


@pytest.mark.parametrize("block", family.cells())
@pytest.mark.parametrize("params", [{}, {"input_size": 64, "units": 64, "state_size": 8, "num_layers": 2, "kernel_size": 3, "window": 5}], ids=["defaults", "others"])
def test_size_of_the_state(block, params):
    """By the reference class."""
    made = family.python_class(block)
    params = {"input_size": family.WIDTH} | {name: value for name, value in params.items() if name in inspect.signature(made).parameters}
    out = made(**params)(torch.randn(1, 1, params["input_size"]))
    assert sum(part.numel() for part in out[1]) == family.numbers(block, **params)


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
