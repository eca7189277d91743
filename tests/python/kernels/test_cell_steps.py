# SPDX-License-Identifier: GPL-3.0-or-later
"""cell_steps against plain loops and torch.nn's layers, and through torch's own checks: numeric gradients, schema, fake tensors, traced autograd."""

import itertools

import pytest
import torch
import torch.nn.functional as F

from scans import assert_captured_whole, assert_same, opcheck, plain_loop

BETA = 0.7
GATES = {"tanh": 1, "relu": 1, "lstm": 4, "janet": 2, "ligru_tanh": 2, "ligru_relu": 2, "slstm": 4, "slstm_exp": 4}
PARTS = {"lstm": 2, "slstm": 4, "slstm_exp": 4}  # of the state; of the others h alone
# 0 heads: the weight is a diagonal.
FORMS = [(cell, heads) for cell in GATES for heads in (1, 2)] + [("tanh", 0), ("relu", 0)]
KINDS = [(*form, *how) for form in FORMS for how in itertools.product((False, True), (False, True))]


def draw(cell, heads, steps, batch, width, dtype=torch.float64):
    """u, weight, initial, mask."""
    gates, n = GATES[cell], width // (heads or 1)
    u = torch.randn(steps, batch, gates * width, dtype=dtype)
    if "relu" in cell:
        u = u + 2 * u.sign()  # far from the kink
    weight = torch.randn(heads, gates * n, n, dtype=dtype) * (0.3 / n**0.5) if heads else torch.randn(width, dtype=dtype) * 0.3
    initial = torch.randn(batch, PARTS.get(cell, 1) * width, dtype=dtype)
    return *(t.requires_grad_() for t in (u, weight, initial)), torch.rand(steps, batch) < 0.7


def sums(u, weight, h, gates):
    """As u lies, and gate by gate."""
    if weight.dim() == 1:
        return u + weight * h, [u + weight * h]
    heads = len(weight)
    by_head = u.unflatten(-1, (heads, -1)) + torch.einsum("bhi,hgi->bhg", h.unflatten(-1, (heads, -1)), weight)
    return by_head.flatten(1), [gate.flatten(1) for gate in by_head.unflatten(-1, (gates, -1)).unbind(2)]


def slstm(a, was, log_forget):
    i, f, z, o = a
    _, c, n, m = was
    n, kept = n.abs(), log_forget + m
    m = torch.where(n == 0, i, torch.maximum(kept, i))
    i, f = torch.exp(i - m), torch.exp((kept - m).clamp(max=0))
    c, n = f * c + i * torch.tanh(z), f * n + i
    return torch.sigmoid(o) * (c / n), c, n, m


def cell_of(cell, a, was):
    """The state's parts after a step."""
    if cell in ("tanh", "relu"):
        return (getattr(torch, cell)(a[0]),)
    if cell == "lstm":
        i, f, g, o = a
        c = torch.sigmoid(f) * was[1] + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
    if cell == "janet":
        return (torch.sigmoid(a[0]) * was[0] + torch.sigmoid(BETA - a[0]) * torch.tanh(a[1]),)
    if cell.startswith("ligru"):
        z = torch.sigmoid(a[1])
        return (z * was[0] + (1 - z) * getattr(torch, cell.removeprefix("ligru_"))(a[0]),)
    return slstm(a, was, a[1] if cell == "slstm_exp" else F.logsigmoid(a[1]))


def by_loop(cell, u, weight, initial, mask, reverse):
    """h, walked, last. The sums are those of masked steps too."""
    parts, width, kept = PARTS.get(cell, 1), initial.shape[1] // PARTS.get(cell, 1), [None] * len(u)

    def step(t, state):
        was = state.chunk(parts, dim=1)
        kept[t], a = sums(u[t], weight, was[0], GATES[cell])
        return (torch.cat(cell_of(cell, a, was), dim=1),)

    states, last = plain_loop(len(u), step, initial, mask, reverse)
    return states[..., :width], torch.cat([states, torch.stack(kept)], dim=-1) if GATES[cell] > 1 else states, last


@pytest.mark.parametrize("cell,heads,masked,reverse", KINDS)
def test_equals_the_plain_loop(kernels, cell, heads, masked, reverse):
    u, weight, initial, mask = draw(cell, heads, 17, 7, 70)
    mask = mask if masked else None
    got = kernels.cell_steps(u, weight, initial, mask, cell=cell, beta=BETA, reverse=reverse)
    assert_same(got, by_loop(cell, u, weight, initial, mask, reverse), (u, weight, initial))


@pytest.mark.parametrize("cell,heads", FORMS)
def test_begins_with_zeros(kernels, cell, heads):
    """And at a masked step, the first one's too, u has no part in the state."""
    u, weight, initial, mask = draw(cell, heads, 9, 3, 6)
    mask[:2] = False
    got = kernels.cell_steps(u, weight, None, mask, cell=cell, beta=BETA)
    assert_same(got, by_loop(cell, u, weight, torch.zeros_like(initial), mask, False), (u, weight))
    h, _, last = kernels.cell_steps(torch.where(mask.unsqueeze(-1), u, torch.nan), weight, None, mask, cell=cell, beta=BETA)
    assert torch.equal(h, got[0]) and torch.equal(last, got[2])


@pytest.mark.parametrize("cell", ("slstm", "slstm_exp"))
def test_a_divisor_below_zero_counts_by_its_size(kernels, cell):
    """One that no step has made, and one that is 0 beside a c that is not."""
    u, weight, initial, _ = draw(cell, 2, 5, 4, 6)
    with torch.no_grad():
        initial[:, 12:18] = torch.tensor([-2.0, -0.1, 0.0, 0.0, 0.1, 2.0])
    got = kernels.cell_steps(u, weight, initial, cell=cell)
    assert_same(got, by_loop(cell, u, weight, initial, None, False), (u, weight, initial))


def test_a_gate_far_out_stays_finite(kernels):
    """exp of it would leave the type's range."""
    u, weight, initial, _ = draw("slstm_exp", 1, 6, 2, 4)
    with torch.no_grad():
        u[::2] += 900
        u[1::2] -= 900
    got = kernels.cell_steps(u, weight, initial, cell="slstm_exp")
    assert got[0].isfinite().all()
    assert_same(got, by_loop("slstm_exp", u, weight, initial, None, False), (u, weight, initial))


@pytest.mark.parametrize("kind", ("tanh", "relu", "lstm"))
def test_equals_torchs_layer(kernels, kind):
    layer = torch.nn.LSTM(5, 6, dtype=torch.float64) if kind == "lstm" else torch.nn.RNN(5, 6, nonlinearity=kind, dtype=torch.float64)
    x, initial = torch.randn(9, 3, 5, dtype=torch.float64), torch.randn(PARTS.get(kind, 1), 3, 6, dtype=torch.float64)
    u = F.linear(x, layer.weight_ih_l0, layer.bias_ih_l0 + layer.bias_hh_l0)
    y, last = layer(x, tuple(initial.unsqueeze(1)) if kind == "lstm" else initial)
    h, _, state = kernels.cell_steps(u, layer.weight_hh_l0[None], torch.cat(list(initial), dim=1), cell=kind)
    last = torch.cat([part[0] for part in last], dim=1) if kind == "lstm" else last[0]
    assert_same((h, state), (y, last), (layer.weight_hh_l0, layer.weight_ih_l0, layer.bias_hh_l0))


@pytest.mark.parametrize("cell,heads,masked,reverse", KINDS)
def test_gradcheck(kernels, cell, heads, masked, reverse):
    u, weight, initial, mask = draw(cell, heads, 4, 2, 4)

    def steps(u, weight, initial):
        return kernels.cell_steps(u, weight, initial, mask if masked else None, cell=cell, beta=BETA, reverse=reverse)

    assert torch.autograd.gradcheck(steps, (u, weight, initial))


@pytest.mark.parametrize("cell,heads", FORMS)
@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_opcheck(kernels, dtype, cell, heads):
    u, weight, initial, mask = draw(cell, heads, 5, 2, 4, dtype)
    for arguments in ((u, weight, initial, mask), (u, weight), (u, weight, None, mask), (u[:0], weight, initial), (u[:, :0], weight)):
        opcheck(kernels.cell_steps.default, arguments, {"cell": cell, "beta": BETA, "reverse": dtype == torch.float32}, traced=False)


@pytest.mark.parametrize("cell,heads", (("slstm", 2), ("relu", 0)))
def test_opcheck_of_the_traced(kernels, cell, heads):
    """With the weight's heads and with its diagonal; what is traced is the same for every cell."""
    opcheck(kernels.cell_steps.default, draw(cell, heads, 5, 2, 4), {"cell": cell, "reverse": True})


@pytest.mark.parametrize("cell,heads", FORMS)
def test_opcheck_of_the_backward(kernels, cell, heads):
    u, weight, initial, mask = (t.detach() for t in draw(cell, heads, 5, 2, 4))
    h, walked, last = kernels.cell_steps(u, weight, initial, mask, cell=cell, beta=BETA)
    for start in (initial, None):
        for grads in ((h.clone(), walked.clone(), last.clone()), (h.clone(), None, None), (None, walked.clone(), last.clone())):
            opcheck(kernels.cell_steps_backward.default, (weight, start, mask, walked, *grads), {"cell": cell, "beta": BETA}, traced=False)


@pytest.mark.parametrize("cell,heads", (("slstm", 2), ("ligru_relu", 1), ("relu", 0)))
def test_is_captured_whole(kernels, cell, heads):
    u, weight, initial, mask = draw(cell, heads, 5, 2, 4)
    assert_captured_whole(lambda u, weight, initial: kernels.cell_steps(u, weight, initial, mask, cell=cell)[0].sum(), (u, weight, initial))


def test_refuses_second_derivatives(kernels):
    u, weight, initial, _ = draw("janet", 1, 5, 2, 4)
    h, *_ = kernels.cell_steps(u, weight, initial, cell="janet")
    (grad,) = torch.autograd.grad(h.square().sum(), u, create_graph=True)
    with pytest.raises(RuntimeError, match="cell_steps_backward.*is not implemented"):
        grad.sum().backward()


SENTENCES = (
    ({"u": (5, 2, 15)}, r"u has shape \[5, 2, 15\], expected \[5, 2, 16\]"),
    ({"u": (5, 16)}, r"u has shape \[5, 16\], expected \[steps, batch, width\]"),
    ({"weight": (2, 4, 2)}, r"weight has shape \[2, 4, 2\], expected \[2, 8, 2\]"),
    ({"weight": (4,)}, r"weight has shape \[4\], expected \[heads, 4 width / heads, width / heads\]"),
    ({"initial": (2, 4)}, r"initial has shape \[2, 4\], expected \[2, 16\]"),
    ({"mask": (5, 3)}, r"mask has shape \[5, 3\], expected \[5, 2\]"),
)


@pytest.mark.parametrize("shapes,words", SENTENCES)
def test_errors_name_the_argument(kernels, shapes, words):
    given = dict(zip(("u", "weight", "initial", "mask"), draw("slstm", 2, 5, 2, 4)))
    for name, sizes in shapes.items():
        given[name] = torch.ones(sizes, dtype=given[name].dtype)
    with pytest.raises(RuntimeError, match=words):
        kernels.cell_steps(*given.values(), cell="slstm")


def test_errors_name_the_cell_and_the_type(kernels):
    u, weight, initial, _ = draw("tanh", 1, 5, 2, 4)
    with pytest.raises(RuntimeError, match='cell is "gru", expected one of tanh, relu, lstm, janet, ligru_tanh, ligru_relu, slstm, slstm_exp'):
        kernels.cell_steps(u, weight, initial, cell="gru")
    with pytest.raises(RuntimeError, match=r"weight has shape \[4, 4\], expected \[heads, 1 width / heads, width / heads\] or \[width\]"):
        kernels.cell_steps(u, weight[0], initial)
    with pytest.raises(RuntimeError, match="expected float32 or float64"):
        kernels.cell_steps(u.bfloat16(), weight, initial)
