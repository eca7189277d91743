# SPDX-License-Identifier: GPL-3.0-or-later
"""The ternary ops against the layer's definition, and through torch's own checks. Rounding has no numeric gradient: what is straight through
is compared with autograd of the definition, which reads the same integers."""

import pytest
import torch
import torch.nn.functional as F

from scans import assert_captured_whole

SIZES = [((1, 1), 1), ((3, 7), 5), ((2, 5, 16), 16), ((200, 33), 65), ((9, 100), 129), ((1, 1000), 17)]


def draw(rows, out, bias=True):
    x = torch.randn(*rows, requires_grad=True)
    gain = (1 + 0.1 * torch.randn(rows[-1])).requires_grad_()
    weight = torch.randn(out, rows[-1], requires_grad=True)
    return [x, gain, weight] + ([torch.randn(out, requires_grad=True)] if bias else [])


def through(value, rounded):
    return value + (rounded - value).detach()


def definition(codes, x, gain, weight, bias=None, gradient="straight_through", scales=1, epsilon=1e-8):
    """In fp64, but for which side of a half a number fell on: that is the codes'."""
    x, gain, weight = x.double(), gain.double(), weight.double()
    n = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * gain
    step = n.abs().amax(-1, keepdim=True).clamp(min=1e-5).detach() / 127
    assert (codes - n / step).abs().max() < 0.5001 if n.numel() else True
    parts = weight.unflatten(0, (scales, -1))
    a = parts.abs().mean((1, 2), keepdim=True).clamp(min=1e-5)
    q = (parts / a).round().clamp(-1, 1).detach()
    effective = (through(parts, q) * a if gradient == "keras" else through(parts, q * a)).flatten(0, 1)
    return F.linear(through(n, codes * step), effective, None if bias is None else bias.double())


def assert_same(got, want, inputs):
    weights = torch.randn(want.shape)
    torch.testing.assert_close(got.double(), want, rtol=1e-5, atol=1e-5)
    gradients = [torch.autograd.grad((weights * y).sum(), inputs) for y in (got, want)]
    for name, g, w in zip(("x", "gain", "weight", "bias"), *gradients):
        scale = float(w.abs().max()) if w.numel() else 0
        torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-5 * max(scale, 1), msg=lambda m: f"{name}: {m}")


@pytest.mark.parametrize("gradient", ("straight_through", "keras"))
@pytest.mark.parametrize("bias", (False, True))
@pytest.mark.parametrize("rows,out", SIZES)
def test_equals_the_definition(kernels, rows, out, bias, gradient):
    inputs = draw(rows, out, bias)
    codes = kernels.ternary_rows(inputs[0].detach(), inputs[1].detach())[0].double()
    got = kernels.ternary_dense(*inputs, gradient=gradient)
    assert_same(got, definition(codes, *inputs, gradient=gradient), inputs)


@pytest.mark.parametrize("gradient", ("straight_through", "keras"))
def test_parts_of_the_weight_have_scales_of_their_own(kernels, gradient):
    inputs = draw((8, 20), 9)
    inputs[2] = (inputs[2].detach() * torch.tensor([1.0, 5.0, 0.1]).repeat_interleave(3)[:, None]).requires_grad_()
    options = {"gradient": gradient, "scales": 3, "epsilon": 1e-2}
    codes = kernels.ternary_rows(inputs[0].detach(), inputs[1].detach(), epsilon=1e-2)[0].double()
    assert_same(kernels.ternary_dense(*inputs, **options), definition(codes, *inputs, **options), inputs)


def test_rows_of_zeros_give_the_bias_and_a_finite_gradient(kernels):
    inputs = draw((4, 6), 3)
    with torch.no_grad():
        inputs[0][2] = 0
    y = kernels.ternary_dense(*inputs)
    assert torch.equal(y[2], inputs[3])
    assert all(g.isfinite().all() for g in torch.autograd.grad(y.square().sum(), inputs))


def test_no_rows(kernels):
    inputs = draw((0, 3, 6), 4)
    y = kernels.ternary_dense(*inputs)
    assert y.shape == (0, 3, 4)
    dx, *of_weights = torch.autograd.grad(y.sum(), inputs)
    assert dx.shape == (0, 3, 6) and all(g.shape == i.shape and not g.any() for g, i in zip(of_weights, inputs[1:]))


@pytest.mark.parametrize("strange", (float("nan"), float("inf"), -float("inf")))
def test_what_is_not_finite_does_not_vanish_in_integers(kernels, strange):
    x, gain, weight, bias = (t.detach() for t in draw((4, 40), 3))
    x[1, 17] = strange
    y = kernels.ternary_dense(x, gain, weight, bias)
    assert y[1].isnan().all() and y[[0, 2, 3]].isfinite().all()
    weight[2, 5] = float("nan")
    assert kernels.ternary_dense(x, gain, weight, bias).isnan().all()


def test_a_row_is_the_same_alone_and_among_others(kernels):
    x, gain, weight, bias = (t.detach() for t in draw((197, 50), 70))
    whole = kernels.ternary_dense(x, gain, weight, bias)
    for row in (0, 3, 191, 192, 196):
        assert torch.equal(kernels.ternary_dense(x[row], gain, weight, bias), whole[row])
    assert torch.equal(kernels.ternary_dense(x.t().contiguous().t(), gain, weight, bias), whole), "any strides"


@pytest.mark.parametrize("out,inputs,scales", ((1, 1, 1), (16, 16, 1), (17, 15, 1), (33, 257, 3), (48, 1000, 4)))
def test_what_is_packed_is_unpacked(kernels, out, inputs, scales):
    weight = torch.randn(out, inputs)
    packed, scale = kernels.ternary_pack(weight, scales=scales)
    assert packed.numel() == -(-out // 16) * -(-inputs // 16) * 64
    parts = weight.unflatten(0, (scales, -1))
    a = parts.abs().mean((1, 2), keepdim=True)
    torch.testing.assert_close(scale, a.flatten(), rtol=1e-6, atol=0)
    want = (parts / scale[:, None, None]).round().clamp(-1, 1) * scale[:, None, None]
    assert torch.equal(kernels.ternary_unpack(packed, scale, out, inputs), want.flatten(0, 1))
    again, _ = kernels.ternary_pack(want.flatten(0, 1), scales=scales)
    assert torch.equal(again, packed)


def test_a_half_is_rounded_to_even(kernels):
    weight = torch.tensor([[1.0, -0.5, 0.5, 2.0, -1.0, 1.0]])  # mean 1
    packed, scale = kernels.ternary_pack(weight)
    assert kernels.ternary_unpack(packed, scale, 1, 6).tolist() == [[1, 0, 0, 1, -1, 1]]


def test_product_of_extreme_integers_is_exact(kernels):
    codes = torch.full((3, 5000), -128, dtype=torch.int8)
    codes[1] = 127
    weight = torch.ones(20, 5000)
    weight[1::2] = -1
    packed, scale = kernels.ternary_pack(weight)
    y = kernels.ternary_product(codes, torch.ones(3, 1), packed, scale, None, 20)
    assert torch.equal(y, codes.float().sum(1, keepdim=True) * weight[:, 0])


@pytest.mark.filterwarnings("ignore:Input #0 requires gradient")
def test_gradcheck_of_what_is_not_rounded(kernels):
    """fp32, so the bias and steps that it sees exactly."""
    x, gain, weight, bias = draw((4, 3), 2)
    call = lambda b: kernels.ternary_dense(x.detach(), gain.detach(), weight.detach(), b)  # noqa: E731
    assert torch.autograd.gradcheck(call, (bias,), eps=0.25, atol=1e-4, check_batched_grad=False)


def test_opcheck(kernels):
    x, gain, weight, bias = draw((9, 2, 7), 6)
    for arguments, options in (
        ((x, gain, weight, bias), {"gradient": "keras", "scales": 2}),
        ((x, gain, weight), {}),
        ((x.detach()[:0], gain.detach(), weight.detach()), {}),
    ):
        torch.library.opcheck(kernels.ternary_dense.default, arguments, options)


def test_opcheck_of_the_parts(kernels):
    x, gain, weight, bias = (t.detach() for t in draw((5, 2, 7), 6))
    codes, step, inverse_rms = kernels.ternary_rows(x, gain)
    packed, scale = kernels.ternary_pack(weight)
    for op, arguments in (
        (kernels.ternary_rows, (x, gain)),
        (kernels.ternary_pack, (weight,)),
        (kernels.ternary_unpack, (packed, scale, 6, 7)),
        (kernels.ternary_product, (codes, step, packed, scale, bias, 6)),
        (kernels.ternary_layer, (x, gain, packed, scale, bias, 6)),
        (kernels.ternary_norm_backward, (x, x, inverse_rms, gain)),
    ):
        torch.library.opcheck(op.default, arguments)


def test_compiled_graph_is_captured_whole(kernels):
    inputs = draw((9, 2, 7), 6)
    assert_captured_whole(lambda *inputs: kernels.ternary_dense(*inputs).square().sum(), inputs)


def test_errors_name_the_argument(kernels):
    x, gain, weight, bias = (t.detach() for t in draw((5, 6), 4))
    packed, scale = kernels.ternary_pack(weight)
    codes, step, _ = kernels.ternary_rows(x, gain)
    for call, words in (
        (lambda: kernels.ternary_rows(x, gain[:5]), r"ternary_rows: gain has shape \[5\], expected \[6\]"),
        (lambda: kernels.ternary_rows(x.double(), gain), "ternary_rows: x is Double, expected Float"),
        (lambda: kernels.ternary_rows(x[:, :0], gain[:0]), r"x has shape \[5, 0\], expected \[..., inputs\] with 1 to"),
        (lambda: kernels.ternary_dense(x, gain, weight[:, 1:]), r"weight has shape \[4, 5\] and x \[5, 6\], expected"),
        (lambda: kernels.ternary_dense(x, gain, weight, bias[1:]), r"bias has shape \[3\], expected \[4\]"),
        (lambda: kernels.ternary_dense(x, gain, weight, gradient="own"), 'gradient is "own", expected straight_through'),
        (lambda: kernels.ternary_pack(weight, scales=3), "scales is 3, expected a divisor of the 4 outputs"),
        (lambda: kernels.ternary_pack(weight[0]), r"weight has shape \[6\], expected \[outputs, inputs\]"),
        (lambda: kernels.ternary_unpack(packed, scale, 40, 6), r"packed has shape \[1, 1, 64\], expected \[3, 1, 64\]"),
        (lambda: kernels.ternary_product(codes.float(), step, packed, scale, bias, 4), "codes is Float, expected Char"),
        (lambda: kernels.ternary_product(codes, step[1:], packed, scale, bias, 4), r"step has shape \[4, 1\], expected"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()
