# SPDX-License-Identifier: GPL-3.0-or-later
"""Every form of every case computes what its definition says, outputs and gradients, at sizes that fit no block and no power of two."""

import sys
import types

import pytest
import torch

import timing
from cases import families
from kinds import CPU, CUDA, UNROLL
from worker import CaseRun

CASES = [case for family in families("tiny") for case in family]


@pytest.fixture(autouse=True)
def environment(library, monkeypatch):
    torch.ops.load_library(library)
    # What torch.compile is given is examined here, not what it makes of it: that takes minutes.
    monkeypatch.setattr(torch, "compile", lambda call, **_: call)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_values(case):
    run = CaseRun(case, case.forms, seed=7, check=True)
    assert [number for number, form in enumerate(case.forms) if form.kind == UNROLL] == [0], "ours is the first"
    problems = {form.name: found["problem"] for form, found in zip(case.forms, run.found.values(), strict=True) if "problem" in found}
    assert all("is not installed" in problem or "takes whole chunks" in problem for problem in problems.values()), problems
    ours = 5e-5 if case.title.split(" (")[0].endswith("block") else 1e-5  # a block's gradients by every weight
    for form, found in zip(case.forms, run.found.values(), strict=True):
        if form.same_values and form.name not in problems:
            assert found["error"] < (ours if form.kind == UNROLL else 1e-4), form.name
    if problems:
        pytest.skip("; ".join(problems.values()))


def scan(factors, added, dim):
    h, states = 0, []
    for a, b in zip(factors.unbind(dim), added.unbind(dim)):
        h = a * h + b
        states.append(h)
    return torch.stack(states, dim)


def test_values_of_what_only_a_gpu_has(monkeypatch):
    """What is put before and after the kernels of others, and the layouts they are given. Their rules in place of the packages."""

    def hgrn(x, g):
        return scan(g.exp(), x, 1), None

    monkeypatch.setitem(sys.modules, "fla.ops.hgrn", types.SimpleNamespace(chunk_hgrn=hgrn, fused_recurrent_hgrn=hgrn))
    monkeypatch.setitem(sys.modules, "accelerated_scan.warp", types.SimpleNamespace(scan=lambda gates, tokens: scan(gates, tokens, -1)))
    seen = 0
    for case in (case for family in families("tiny", CUDA) for case in family):
        forms = [form for form in case.forms if CPU not in form.devices]
        run = CaseRun(case, forms, seed=7, check=True)
        assert all(found.get("error", 1) < 1e-5 for found in run.found.values()), run.found
        seen += len(forms)
    assert seen == 9, "three forms of gated_scan, fo-pooling and diag_scan"


def test_wrong_values_are_not_timed():
    """A form that is off in one gradient alone is told of and left out."""
    case = CASES[0]
    ours = next(form for form in case.forms if form.kind == UNROLL)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(_, y):
            return y.clone()

        @staticmethod
        def backward(_, gradient):
            return gradient * 1.01

    def prepare(inputs):
        prepared = ours.prepare(inputs)
        return type(prepared)(lambda: Wrong.apply(prepared.call()), prepared.leaves)

    run = CaseRun(case, [type(ours)("off", UNROLL, prepare)], seed=7, check=True)
    [found] = run.found.values()
    assert "values differ" in found["problem"]
    assert not run.ready


def test_turns(monkeypatch):
    """Every call gets its samples, in bursts that alternate; turns in which others were at work are done again, but not for ever."""
    called = []
    calls = {name: lambda name=name: called.append(name) for name in ("a", "b")}
    shares = iter([0.5, 0.0, 0.0])
    monkeypatch.setattr(timing.Others, "share", lambda _: next(shares, 0.0))
    turns = timing.Turns(calls, budget=0.0, least=30, clock=timing.Processor()).run()
    assert [len(turns.samples[name]) for name in calls] == [40, 40] and turns.others == 0.0
    assert called == ["a", "b"] + ["a"] * 21 + ["b"] * 21 + ["a"] * 21 + ["b"] * 21 + ["b"] * 21 + ["a"] * 21

    monkeypatch.setattr(timing.Others, "share", lambda _: 0.5)
    turns = timing.Turns(calls, budget=0.0, least=1, clock=timing.Processor()).run()
    assert len(turns.samples["a"]) == 20 and turns.others == 0.5
