# SPDX-License-Identifier: GPL-3.0-or-later
"""Mamba against mambapy's MambaBlock with its weights set from ours: its parallel scan, its sequential one and its steps with a cache, outputs and gradients.
The package has no mask, and a given state only when stepping."""

import pytest
import torch

from authors import record


@pytest.fixture(scope="session")
def package():
    return pytest.importorskip("mambapy.mamba", reason="mambapy is not installed")


@pytest.fixture(scope="session")
def cases(blocks):
    found = [case for case in blocks["mamba"].cases if case.facts["double"] and not case.values("input", "mask")]
    assert len(found) > 20
    return found


def theirs(package, case, pscan):
    p = case.facts["params"]
    config = package.MambaConfig(d_model=case.facts["dimensions"]["input_size"], n_layers=1, dt_rank=p["dt_rank"] or "auto", d_state=p["state_size"],
                                 expand_factor=p["expand"], d_conv=p["kernel_size"], bias=p["use_bias"], conv_bias=p["conv_bias"], pscan=pscan)
    made = package.MambaBlock(config).double()
    made.load_state_dict({n.removeprefix("weight."): t for n, t in case.tensors.items() if n.startswith("weight.")}, strict=True)
    if pscan is not None:
        made.ssm = in_double(made)
    return made


def in_double(made):
    """The package's own, but for A and D, which it takes to single precision."""
    def ssm(x, z):
        A, D = -torch.exp(made.A_log), made.D
        delta, B, C = torch.split(made.x_proj(x), [made.config.dt_rank, made.config.d_state, made.config.d_state], dim=-1)
        delta = torch.nn.functional.softplus(made.dt_proj(delta))
        return (made.selective_scan if made.config.pscan else made.selective_scan_seq)(x, delta, A, B, C, D)
    return ssm


def apart(got, want):
    return ((got - want).abs().max() / want.abs().max().clamp(min=1e-30)).item()


@pytest.mark.parametrize("pscan", [True, False], ids=["parallel", "sequential"])
def test_whole_sequences(package, cases, pscan):
    worst = 0
    for case in cases:
        made, ours, (x, _, _) = theirs(package, case, pscan), case.module(), case.inputs()
        x_theirs = x.detach().clone().requires_grad_()
        if not pscan:
            torch.set_default_dtype(torch.float64)  # its first state is made in the default precision
        try:
            y = made(x_theirs.transpose(0, 1)).transpose(0, 1)
        finally:
            torch.set_default_dtype(torch.float32)
        want, _ = ours(x)
        for out in (y, want):
            (out * case.tensors["cotangent.y.0"]).sum().backward()
        grads = dict(ours.named_parameters())
        apart_in_grads = [apart(a, b) for a, b in [(x_theirs.grad, x.grad)] + [(p.grad, grads[n].grad) for n, p in made.named_parameters()]]
        record("mamba", "mambapy", apart(y, want), max(apart_in_grads))
        worst = max(worst, apart(y, want), *apart_in_grads)
    print(f"Mamba of mambapy, {'parallel' if pscan else 'sequential'}, outputs and gradients: {worst:.1e}")
    assert worst < 1e-10


def test_steps_with_a_cache(package, cases):
    """Its A and D are of single precision there."""
    worst = 0
    for case in cases:
        made, (x, state, _) = theirs(package, case, None), case.inputs()
        if state is None:
            continue
        inner, N = made.D.numel(), case.facts["params"]["state_size"]
        with torch.no_grad():
            h, past = state[0][:, : inner * N].unflatten(1, (inner, N)), state[0][:, inner * N :].unflatten(1, (-1, inner)).transpose(1, 2)
            outputs = []
            for step in x.unbind(0):
                y, (h, past) = made.step(step, (h, past))
                outputs.append(y)
            last = torch.cat([h.flatten(1), past.transpose(1, 2).flatten(1)], dim=1)
            want, (want_last,) = case.module()(x, state)
        worst = max(worst, apart(torch.stack(outputs), want), apart(last, want_last))
    record("mamba", "mambapy-steps", worst)
    print(f"Mamba of mambapy, stepping, outputs and states: {worst:.1e}")
    assert worst < 1e-5
