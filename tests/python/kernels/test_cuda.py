# SPDX-License-Identifier: GPL-3.0-or-later
"""CUDA against CPU, outputs and gradients. Needs a GPU and UNROLL_CUDA_LIBRARY (libunroll_cuda.so); skipped without.

The way over the GPU is chosen by size; UNROLL_SCAN_WAY=columns or chunks has every scan go one way (tests/gpu does both)."""

import itertools
import os

import pytest
import torch

# fp32 and fp64 as on the CPU; bf16 reads and writes 8 bits of mantissa around an fp32 state.
BOUNDS = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 1e-2}
SHAPES = [(1, 1, 1), (2, 3, 7), (63, 1, 129), (65, 3, 33), (300, 40, 1000)]


@pytest.fixture(scope="module", autouse=True)
def cuda(kernels):
    path = os.environ.get("UNROLL_CUDA_LIBRARY")
    if not path or not torch.cuda.is_available():
        pytest.skip("no GPU, or UNROLL_CUDA_LIBRARY does not name libunroll_cuda.so")
    torch.ops.load_library(path)


def relative_rms(got, want):
    got, want = (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in (got, want))
    want = want.double()
    return ((got.double().cpu() - want).norm() / want.norm().clamp_min(1e-30)).item()


def given_type(t, dtype):
    """Of an argument on the GPU: those without a time (1 or 2 dimensions) stay fp32 beside bf16."""
    if t.is_complex():
        return torch.complex64 if dtype == torch.float32 else torch.complex128
    return torch.float32 if dtype == torch.bfloat16 and t.dim() <= 2 else dtype


def each_tensor(argument, change):
    """An argument with its numbers changed; masks and options stay."""
    if isinstance(argument, list):
        return [each_tensor(t, change) for t in argument]
    return change(argument) if isinstance(argument, torch.Tensor) and argument.dtype != torch.bool else argument


def outputs_and_gradients(op, arguments, options, device, dtype, weights=None):
    """Arguments are fp64, complex128 or masks; `weights` those of the outputs in the loss, drawn in the outputs' types where there are none."""
    moved = [each_tensor(a, lambda t: t.detach().to(device, given_type(t, dtype)).requires_grad_(True)) for a in arguments]
    moved = [a.to(device) if isinstance(a, torch.Tensor) else a for a in moved]
    out = op(*moved, **options)
    leaves = [t for a in moved for t in (a if isinstance(a, list) else [a]) if isinstance(t, torch.Tensor) and t.requires_grad]
    if weights is None:
        generator = torch.Generator().manual_seed(7)
        weights = [torch.randn(o.shape, generator=generator, dtype=torch.float64).to(o.dtype) for o in out]
    loss = sum((o * weight.to(device, o.dtype)).sum() for o, weight in zip(out, weights))
    loss = loss.abs() if loss.is_complex() else loss
    grads = torch.autograd.grad(loss, leaves, allow_unused=True)
    return [t for t in (*out, *grads) if t is not None], weights


def compare(op, arguments, options, dtype):
    """With fp64 on the same numbers, which are rounded as the GPU gets them, the gradients that arrive too."""
    arguments = [each_tensor(a, lambda t: t.to(given_type(t, dtype)).to(t.dtype)) for a in arguments]
    got, weights = outputs_and_gradients(op, arguments, options, "cuda", dtype)
    want, _ = outputs_and_gradients(op, arguments, options, "cpu", torch.float64, weights)
    for g, w in zip(got, want):
        assert g.shape == w.shape
        # Nothing may be left of them but what bf16's rounding cancelled to.
        few = dtype == torch.bfloat16 and w.numel() < 8
        assert relative_rms(g, w) <= (0.1 if few else BOUNDS[dtype])


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_gated_scan(kernels, shape, dtype, masked, reverse):
    steps, batch, width = shape
    for gates, candidate in ((3, "silu"), (2, "tanh"), (3, "identity"), (2, "positive")):
        pre = torch.randn(steps, batch, gates * width, dtype=torch.float64)
        mask = torch.rand(steps, batch) < 0.7 if masked else None
        arguments = [[pre], torch.randn(batch, width, dtype=torch.float64), mask]
        compare(kernels.gated_scan, arguments, {"candidate": candidate, "output_gate": gates == 3, "reverse": reverse}, dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("shape", [*SHAPES, (1000, 2, 5)])
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_diag_scan(kernels, shape, dtype, masked, reverse):
    steps, batch, width = shape
    for constant, kind in itertools.product((False, True), (torch.float64, torch.complex128)):
        if kind.is_complex and dtype == torch.bfloat16:
            continue

        def normal(*sizes, kind=kind):
            return torch.randn(*sizes, dtype=kind)

        a = normal(*((width,) if constant else shape))
        a = a / a.abs() * (0.4 + 0.59 * torch.rand(a.shape, dtype=torch.float64))
        mask = torch.rand(steps, batch) < 0.7 if masked else None
        compare(kernels.diag_scan, [a, normal(*shape), normal(batch, width), mask], {"reverse": reverse}, dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_sru_scan(kernels, shape, dtype, masked, reverse):
    steps, batch, width = shape

    def normal(*sizes):
        return torch.randn(*sizes, dtype=torch.float64)

    for parts, skip, activation in ((3, True, "identity"), (4, False, "tanh"), (3, False, "identity")):
        arguments = [
            normal(steps, batch, parts, width),
            torch.rand(2, width, dtype=torch.float64) - 0.5,
            normal(2, width),
            normal(steps, batch, width) if skip else None,
            normal(batch, width),
            torch.rand(steps, batch) < 0.7 if masked else None,
            (torch.rand(batch, width) < 0.8).double() / 0.8,
        ]
        compare(kernels.sru_scan, arguments, {"scale_x": 1.3, "activation": activation, "reverse": reverse}, dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 2, 3), (63, 1, 5, 4), (65, 3, 2, 8), (130, 20, 6, 16), (9, 2, 2, 33)])
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_matrix_scan(kernels, shape, dtype, masked, reverse):
    steps, batch, heads, size = shape

    def scan(m, initial, mask, **options):
        return kernels.matrix_scan(m, initial.view(batch, heads, size, size), mask, **options)

    rotations = torch.linalg.qr(torch.randn(*shape, size, dtype=torch.float64))[0].contiguous()
    initial = torch.randn(batch, heads * size * size, dtype=torch.float64)
    mask = torch.rand(steps, batch) < 0.7 if masked else None
    compare(scan, [rotations, initial, mask], {"reverse": reverse}, dtype)


# What walks step by step takes no bf16, and its products take the CPU long.
EXACT = (torch.float32, torch.float64)
WALKED = [*SHAPES[:-1], (100, 9, 260)]


def contracting(rows, width):
    """Recurrent weights beside which states stay small however long they walk."""
    return torch.randn(rows, width, dtype=torch.float64) * 0.5 / width**0.5


@pytest.mark.parametrize("dtype", EXACT)
@pytest.mark.parametrize("shape", WALKED)
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_rnn_steps(kernels, shape, dtype, masked, reverse):
    steps, batch, width = shape
    for activation in ("tanh", "relu"):
        u, initial = torch.randn(*shape, dtype=torch.float64), torch.randn(batch, width, dtype=torch.float64)
        mask = torch.rand(steps, batch) < 0.7 if masked else None
        compare(kernels.rnn_steps, [u, contracting(width, width), initial, mask], {"activation": activation, "reverse": reverse}, dtype)


@pytest.mark.parametrize("dtype", EXACT)
@pytest.mark.parametrize("shape", WALKED)
@pytest.mark.parametrize("masked,reverse", list(itertools.product((False, True), (False, True))))
def test_gru_steps(kernels, shape, dtype, masked, reverse):
    steps, batch, width = shape
    for convention in ("reset_after", "reset_before", "reset_before_inverted_z"):
        u, initial = torch.randn(steps, batch, 3 * width, dtype=torch.float64), torch.randn(batch, width, dtype=torch.float64)
        bias = torch.randn(width, dtype=torch.float64) if convention == "reset_after" else None
        mask = torch.rand(steps, batch) < 0.7 if masked else None

        def states(*arguments, **options):
            return kernels.gru_steps(*arguments, **options)[:2]  # what is kept for the gradient may be kept otherwise

        compare(states, [u, contracting(3 * width, width), bias, initial, mask], {"convention": convention, "reverse": reverse}, dtype)


def of_few_bits(*sizes):
    """Numbers whose sums are exact in fp32, so that every order of adding them gives the same rows and scales."""
    return (torch.randn(*sizes) * 4).round().clamp(-16, 16) / 4


@pytest.mark.parametrize("rows,inputs,outputs", ((1, 1, 1), (2, 3, 7), (9, 256, 128), (193, 33, 20), (5, 4111, 3)))
def test_ternary(kernels, rows, inputs, outputs):
    x, gain, weight, bias = of_few_bits(rows, inputs), torch.ones(inputs), of_few_bits(outputs, inputs), torch.randn(outputs)

    def parts(device):
        packed, scale = kernels.ternary_pack(weight.to(device))
        y, codes, step, inverse_rms = kernels.ternary_layer(x.to(device), gain.to(device), packed, scale, bias.to(device), outputs)
        return {"packed": packed, "scale": scale, "codes": codes, "step": step, "inverse rms": inverse_rms, "y": y}

    on_cpu, on_gpu = parts("cpu"), parts("cuda")
    for name in ("packed", "scale", "codes", "step", "inverse rms"):
        assert torch.equal(on_gpu[name].cpu(), on_cpu[name]), name
    assert relative_rms(on_gpu["y"], on_cpu["y"]) <= 1e-6

    def gradients(device):
        inputs = [t.to(device, copy=True).requires_grad_() for t in (x, gain, weight, bias)]
        y = kernels.ternary_dense(*inputs, gradient="keras")
        return torch.autograd.grad((y * torch.linspace(-1, 1, y.numel(), device=device).view_as(y)).sum(), inputs)

    for got, want in zip(gradients("cuda"), gradients("cpu"), strict=True):
        assert relative_rms(got, want) <= 1e-5


def test_runs_twice_give_the_same_bits(kernels):
    u = torch.randn(200, 64, 4, 256, device="cuda")
    weights, bias = torch.randn(2, 2, 256, device="cuda").unbind()
    h, c, last = kernels.sru_scan(u, weights, bias)
    first = kernels.sru_scan_backward(u, weights, bias, None, None, None, None, c, h, None, last)
    again = kernels.sru_scan_backward(u, weights, bias, None, None, None, None, c, h, None, last)
    assert all(torch.equal(a, b) for a, b in zip(first, again))
    # Few columns, many steps, one a for all: chunks, and a sum handed from chunk to chunk.
    a, b, grad = torch.rand(40, device="cuda"), *torch.randn(2, 5000, 1, 40, device="cuda")
    h = kernels.diag_scan(a, b)[0]
    first = kernels.diag_scan_backward(a, None, None, h, grad, None)
    again = kernels.diag_scan_backward(a, None, None, h, grad, None)
    assert torch.equal(h, kernels.diag_scan(a, b)[0]) and all(torch.equal(x, y) for x, y in zip(first, again))


def test_runs_on_the_current_stream(kernels):
    stream = torch.cuda.Stream()
    gates = torch.zeros(64, 8, 3 * 64, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        gates += 1.0
        on_stream = kernels.gated_scan([gates])[0]
    stream.synchronize()
    assert torch.equal(on_stream, kernels.gated_scan([torch.ones_like(gates)])[0])


def test_opcheck(kernels):
    gates = torch.randn(5, 2, 21, device="cuda", requires_grad=True)
    torch.library.opcheck(kernels.gated_scan.default, ([gates],))
    u = torch.randn(5, 2, 4, 7, device="cuda", requires_grad=True)
    weights = torch.randn(2, 7, device="cuda", requires_grad=True)
    torch.library.opcheck(kernels.sru_scan.default, (u, weights, weights.detach().clone().requires_grad_(True)))
