# SPDX-License-Identifier: GPL-3.0-or-later
"""delta_scan through torch's own checks (numeric gradients, schema, fake tensors, traced autograd), and beside the naive forms that
flash-linear-attention 0.6 has of it where that package is available."""

import importlib.util
import itertools
import pathlib

import pytest
import torch
import torch.nn.functional as F
from scans import assert_captured_whole, assert_same, opcheck, plain_loop

FADING = ("keys", "heads", "none")
KINDS = list(itertools.product(FADING, (False, True), (False, True)))


def draw(fading, own, steps=17, batch=3, heads=2, keys=5, values=6, dtype=torch.float64):
    """q, k, v, z, b, w, initial: keys of length 1, and up to 1.6 of what is found under b is taken away."""

    def numbers(*sizes):
        return torch.randn(*sizes, dtype=dtype)

    sizes = (steps, batch, heads, keys)
    k, b = F.normalize(numbers(*sizes), dim=-1), F.normalize(numbers(*sizes), dim=-1)
    z = -1.6 * torch.rand(*sizes[:-1], 1, dtype=dtype) * (k if own else b)
    w = {"keys": sizes, "heads": sizes[:-1]}.get(fading)
    w = None if w is None else 0.4 + 0.6 * torch.rand(*w, dtype=dtype)
    all = [numbers(*sizes), k, numbers(steps, batch, heads, values), z, None if own else b, w, numbers(batch, heads, keys, values)]
    return [x if x is None else x.detach().requires_grad_() for x in all]


def mask_of(steps, batch):
    return torch.rand(steps, batch) < 0.7


def given_of(all):
    return [x for x in all if x is not None]


@pytest.mark.parametrize("fading,own,masked", KINDS)
@pytest.mark.parametrize("reverse", (False, True))
def test_equals_the_plain_loop(kernels, fading, own, masked, reverse):
    q, k, v, z, b, w, initial = all = draw(fading, own, steps=37)
    mask = mask_of(37, 3) if masked else None

    def step(t, state):
        u = (z[t][..., None, :] @ state).squeeze(-2)
        factor = 1.0 if w is None else w[t][..., None] if fading == "keys" else w[t][..., None, None]
        state = factor * state + (k if own else b)[t][..., None] * u[..., None, :] + k[t][..., None] * v[t][..., None, :]
        return state, (q[t][..., None, :] @ state).squeeze(-2), u

    y, u, _, last = plain_loop(37, step, initial, mask, reverse)
    assert_same(kernels.delta_scan(q, k, v, z, b, w, initial, mask, reverse=reverse), (y, u, last), given_of(all))


@pytest.mark.parametrize("fading", FADING)
@pytest.mark.parametrize("own", (False, True))
def test_gradcheck(kernels, fading, own):
    given = draw(fading, own, steps=4, batch=2, keys=3, values=2)
    assert torch.autograd.gradcheck(lambda *all: kernels.delta_scan(*all, mask_of(4, 2) | True), given)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("fading,own", (("keys", False), ("heads", True), ("none", True)))
def test_opcheck(kernels, fading, own, dtype):
    q, k, v, z, b, w, initial = draw(fading, own, steps=5, batch=2, dtype=dtype)
    for arguments, options in (((q, k, v, z, b, w, initial, mask_of(5, 2)), {"reverse": True}), ((q, k, v, z, b, w), {})):
        opcheck(kernels.delta_scan.default, arguments, options, traced=dtype == torch.float64)


def test_opcheck_of_the_backward(kernels):
    q, k, v, z, b, w, initial = (t.detach() for t in draw("heads", False, steps=5, batch=2))
    y, u, last = kernels.delta_scan(q, k, v, z, b, w, initial)
    for start, other, factor in ((initial, b, w), (None, None, None)):
        for grads in ((y.clone(), u.clone(), last.clone()), (y.clone(), None, None), (None, None, last.clone())):
            opcheck(kernels.delta_scan_backward.default, (q, k, v, z, other, factor, start, None, u, *grads), traced=False)


def test_captured_whole(kernels):
    given = draw("heads", False, steps=5, batch=2)
    assert_captured_whole(lambda *all: kernels.delta_scan(*all)[0].square().sum(), given)


def test_reflections_keep_lengths(kernels):
    """beta = 2: eigenvalues 1 and -1."""
    k = F.normalize(torch.randn(2000, 1, 2, 6, dtype=torch.float64), dim=-1)
    initial = torch.randn(1, 2, 6, 4, dtype=torch.float64)
    *_, last = kernels.delta_scan(k, k, torch.zeros(2000, 1, 2, 4, dtype=torch.float64), -2 * k, initial=initial)
    torch.testing.assert_close(last.norm(dim=-2), initial.norm(dim=-2))


def naive(folder, name):
    """From its file: the package itself wants a GPU."""
    package = importlib.util.find_spec("fla")
    if package is None:
        pytest.skip("flash-linear-attention is not installed")
    pytest.importorskip("einops")
    file = pathlib.Path(package.submodule_search_locations[0]) / "ops" / folder / "naive.py"
    spec = importlib.util.spec_from_file_location("naive_" + folder.replace("/", "_"), file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, name)


def compare(name, ours, theirs, given):
    """Outputs, last states and the gradients of one weighted sum of both. Their forms are in fp32."""
    weights = [torch.randn_like(x) for x in ours]

    def gradients(outputs):
        return torch.autograd.grad(sum((w * o).sum() for w, o in zip(weights, outputs)), given)

    for got, wanted in zip((*ours, *gradients(ours)), (*theirs, *gradients(theirs)), strict=True):
        deviation = (got - wanted).norm() / wanted.norm()
        print(f"{name}: {deviation:.1e}")
        assert deviation < 1e-5


def delta_rule(steps=50, substeps=1):
    """q, k, v, beta up to 2, log of a decay, initial."""
    q, k, v, *_, initial = draw("none", True, steps=steps * substeps, keys=8, values=12, dtype=torch.float32)
    beta = (2 * torch.rand(steps * substeps, 3, 2)).requires_grad_()
    return q, k, v, beta, torch.empty(steps, 3, 2).uniform_(-0.6, 0).requires_grad_(), initial


def over(first, *tensors):
    return (x.transpose(0, first).contiguous() if first == 1 else x.permute(1, 2, 0, *range(3, x.dim())) for x in tensors)


def test_beside_naive_delta_rule(kernels):
    q, k, v, beta, _, initial = delta_rule()
    y, _, last = kernels.delta_scan(q / 8**0.5, k, v * beta[..., None], -beta[..., None] * k, initial=initial)
    out, state = naive("delta_rule", "delta_rule_recurrence")(*over(2, q, k, v, beta), initial_state=initial)
    compare("delta_rule_recurrence", (y, last), (out.permute(2, 0, 1, 3), state), (q, k, v, beta, initial))


def test_beside_naive_gated_delta_rule(kernels):
    q, k, v, beta, g, initial = delta_rule()
    w = g.exp()
    y, _, last = kernels.delta_scan(q / 8**0.5, k, v * beta[..., None], -(w * beta)[..., None] * k, None, w, initial)
    theirs = naive("gated_delta_rule", "naive_recurrent_gated_delta_rule")
    out, state = theirs(*over(1, q, k, v, beta, g), initial_state=initial, output_final_state=True)
    compare(theirs.__name__, (y, last), (out.transpose(0, 1), state), (q, k, v, beta, g, initial))


def test_beside_naive_gated_delta_product(kernels):
    """Several steps of the rule a token; the token's query reads after the last, its decay comes before the first."""
    count = 3
    q, k, v, beta, g, initial = delta_rule(steps=20, substeps=count)
    q = q[::count].detach().requires_grad_()
    w = torch.stack([g.exp(), *[torch.ones_like(g)] * (count - 1)], 1).flatten(0, 1)
    read = torch.stack([*[torch.zeros_like(q)] * (count - 1), q], 1).flatten(0, 1)
    y, _, last = kernels.delta_scan(read, k, v * beta[..., None], -(w * beta)[..., None] * k, None, w, initial)
    theirs = naive("gated_delta_product", "naive_recurrent_gated_delta_product")
    q_, k_, v_, g_, beta_ = over(1, q, k, v, g, beta)
    out, state = theirs(q_, k_, v_, g_, beta_, 1.0, initial_state=initial, output_final_state=True, num_householder=count)
    compare(theirs.__name__, (y[count - 1 :: count], last), (out.transpose(0, 1), state), (q, k, v, beta, g, initial))


def test_beside_naive_dplr(kernels):
    """The general form, that of RWKV-7: a decay for each key, and z and b of their own."""
    q, k, v, z, b, w, initial = draw("keys", False, steps=50, keys=8, values=12, dtype=torch.float32)
    y, _, last = kernels.delta_scan(q / 8**0.5, k, v, z, b, w, initial)
    theirs = naive("generalized_delta_rule/dplr", "dplr_recurrence")
    out, state = theirs(*over(2, q, k, v, z, b, w.log()), initial_state=initial)
    compare(theirs.__name__, (y, last), (out.permute(2, 0, 1, 3), state), (q, k, v, z, b, w, initial))
