# SPDX-License-Identifier: GPL-3.0-or-later
"""outer_scan through torch's own checks (numeric gradients, schema, fake tensors, traced autograd), and beside the naive forms that
flash-linear-attention 0.6 has of it where that package is available."""

import importlib.util
import itertools
import pathlib

import pytest
import torch
from scans import assert_captured_whole, assert_same, opcheck, plain_loop

DECAYS = ("keys", "heads", "constant keys", "constant heads", "none")
KINDS = list(itertools.product(DECAYS, (False, True), (False, True)))


def decay(kind, sizes, dtype):
    sizes = {"keys": sizes, "heads": sizes[:-1], "constant keys": sizes[2:], "constant heads": sizes[2:-1]}.get(kind)
    return None if sizes is None else (0.4 + 0.6 * torch.rand(*sizes, dtype=dtype)).requires_grad_()


def draw(kind, steps=17, batch=3, heads=2, keys=5, values=6, dtype=torch.float64):
    def numbers(*sizes):
        return torch.randn(*sizes, dtype=dtype, requires_grad=True)

    sizes = (steps, batch, heads, keys)
    return [numbers(*sizes), numbers(*sizes), numbers(steps, batch, heads, values), decay(kind, sizes, dtype), numbers(batch, heads, keys, values)]


def mask_of(steps, batch):
    return torch.rand(steps, batch) < 0.7


def over_state(a, kind, t):
    if a is None:
        return 1.0
    a = a if kind.startswith("constant") else a[t]
    return a[..., None] if kind.endswith("keys") else a[..., None, None]


@pytest.mark.parametrize("kind,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, kind, masked, reverse):
    q, k, v, a, initial = draw(kind, steps=37)
    mask = mask_of(37, 3) if masked else None

    def step(t, state):
        state = over_state(a, kind, t) * state + k[t][..., None] * v[t][..., None, :]
        return state, (q[t][..., None, :] @ state).squeeze(-2)

    y, _, last = plain_loop(37, step, initial, mask, reverse)
    assert_same(kernels.outer_scan(q, k, v, a, initial, mask, reverse=reverse), (y, last), [x for x in (q, k, v, a, initial) if x is not None])


@pytest.mark.parametrize("kind", DECAYS)
def test_gradcheck(kernels, kind):
    given = draw(kind, steps=4, batch=2, keys=3, values=2)
    assert torch.autograd.gradcheck(lambda *all: kernels.outer_scan(*all, mask_of(4, 2) | True), given)


def test_gradient_of_a_factor_of_zero(kernels):
    q, k, v, a, initial = draw("keys", steps=5, batch=1)
    with torch.no_grad():
        a[2] = 0
        a[4, 0, 0] = 0
    assert torch.autograd.gradcheck(lambda *all: kernels.outer_scan(*all), (q, k, v, a, initial))


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("kind", DECAYS)
def test_opcheck(kernels, kind, dtype):
    q, k, v, a, initial = draw(kind, steps=5, batch=2, dtype=dtype)
    for arguments, options in (((q, k, v, a, initial, mask_of(5, 2)), {"reverse": True}), ((q, k, v, a), {})):
        opcheck(kernels.outer_scan.default, arguments, options, traced=dtype == torch.float64)


def test_opcheck_of_the_backward(kernels):
    q, k, v, a, initial = (t.detach() for t in draw("heads", steps=5, batch=2))
    y, last = kernels.outer_scan(q, k, v, a, initial)
    for start, factor in ((initial, a), (None, None)):
        for grads in ((y.clone(), last.clone()), (y.clone(), None), (None, last.clone())):
            opcheck(kernels.outer_scan_backward.default, (q, k, v, factor, start, None, y, *grads), traced=False)


def test_captured_whole(kernels):
    given = draw("heads", steps=5, batch=2)
    assert_captured_whole(lambda *all: kernels.outer_scan(*all)[0].square().sum(), given)


def naive(module, name):
    """From its file: the package itself wants a GPU."""
    package = importlib.util.find_spec("fla")
    if package is None:
        pytest.skip("flash-linear-attention is not installed")
    file = pathlib.Path(package.submodule_search_locations[0]) / "ops" / module / "naive.py"
    spec = importlib.util.spec_from_file_location(f"naive_{module}", file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, name)


def compare(kernels, theirs, kind, log_decay=True):
    """Their forms go over (batch, steps, heads, ...) in fp32, scale q by 1 / sqrt(keys) and take logarithms of the factors."""
    q, k, v, a, initial = draw(kind, steps=50, keys=8, values=12, dtype=torch.float32)
    given = [x for x in (q, k, v, a, initial) if x is not None]
    y, last = kernels.outer_scan(q * q.shape[-1] ** -0.5, k, v, a, initial)
    gates = [a.log().transpose(0, 1)] if log_decay else []
    want, state = theirs(*(x.transpose(0, 1) for x in (q, k, v)), *gates, initial_state=initial, output_final_state=True)
    weights = torch.randn_like(y), torch.randn_like(last)

    def gradients(outputs):
        return torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, outputs)), given)

    ours, peers = (y, last), (want.transpose(0, 1), state)
    for got, wanted in zip((*ours, *gradients(ours)), (*peers, *gradients(peers)), strict=True):
        deviation = (got - wanted).norm() / wanted.norm()
        print(f"{theirs.__name__}: {deviation:.1e}")
        assert deviation < 1e-5


def test_beside_naive_linear_attention(kernels):
    compare(kernels, naive("linear_attn", "naive_recurrent_linear_attn"), "none", log_decay=False)


def test_beside_naive_simple_gla(kernels):
    compare(kernels, naive("simple_gla", "naive_recurrent_simple_gla"), "heads")


def test_beside_naive_gla(kernels):
    compare(kernels, naive("gla", "naive_recurrent_gla"), "keys")


def test_beside_naive_retention(kernels):
    theirs = naive("retention", "naive_retention")
    q, k, v, *_ = draw("none", steps=40, heads=3, keys=8, values=12, dtype=torch.float32)
    a = 1 - 2.0 ** (-5 - torch.arange(3.0))
    y, _ = kernels.outer_scan(q * q.shape[-1] ** -0.5, k, v, a)
    torch.testing.assert_close(y, theirs(*(x.permute(1, 2, 0, 3) for x in (q, k, v))).permute(2, 0, 1, 3), rtol=1e-4, atol=1e-4)
