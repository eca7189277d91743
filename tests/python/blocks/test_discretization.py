# SPDX-License-Identifier: GPL-3.0-or-later
"""S5 and S4D near and at modes that neither decay nor rotate, where (exp(dt A) - 1) / A is 0 / 0 and its limit is dt."""

import mpmath
import pytest
import torch

from block_dumps import reference_module
from shared.discretization import discretize

PRECISION = {torch.float64: 2.0**-52, torch.float32: 2.0**-23}


def exact(re, im, dt):
    """gamma and its derivative by A, by 150 digits."""
    with mpmath.workdps(150):
        A, dt = mpmath.mpc(re, im), mpmath.mpf(dt)
        if A == 0:
            return dt, dt * dt / 2
        grown = mpmath.exp(A * dt)
        return (grown - 1) / A, (dt * grown * A - (grown - 1)) / A**2


def modes(dtype):
    """Sizes of dt A from 0 over the end of the series, 1 / 32, to 5; decaying, growing, rotating."""
    sizes = [0, 1e-30, 1e-12, 1e-6, 1e-4, 1e-3, 1e-2, 0.031, 0.0312499, 0.03125, 0.0313, 0.1, 1, 5]
    turns = [torch.tensor([-1.0, -0.6, 0.0, 0.0, 0.3]), torch.tensor([0.0, 0.8, 1.0, -1.0, 0.1])]
    dt = torch.tensor([0.001, 0.03, 0.1, 1.0]).to(dtype)
    re, im = (torch.einsum("s,t,d->std", torch.tensor(sizes, dtype=torch.float64), turn.double(), 1 / dt.double()).to(dtype) for turn in turns)
    return re, im, dt.expand_as(re).contiguous()


def of_both(value, variables):
    """The derivatives of the real and of the imaginary part by each of the variables, as one complex number."""
    parts = [torch.autograd.grad(part.sum(), variables, retain_graph=True) for part in (value.real, value.imag)]
    return [torch.complex(a, b) for a, b in zip(*parts)]


@pytest.mark.parametrize("dtype", PRECISION)
def test_gamma_and_its_gradients_are_exact_at_0_and_near_it(dtype):
    re, im, dt = (part.requires_grad_() for part in modes(dtype))
    lam, gamma = discretize(re, im, dt)
    by_re, by_im, by_dt = of_both(gamma, (re, im, dt))
    numbers = [part.detach().flatten().tolist() for part in (re, im, dt, gamma, by_re, by_im, by_dt, lam)]
    for a, b, step, value, left, right, along, factor in zip(*numbers):
        want, slope = exact(a, b, step)
        eps, slope = PRECISION[dtype], complex(slope)
        size = (a * a + b * b) ** 0.5 * step
        assert abs(value - complex(want)) <= 4 * eps * abs(complex(want)), (a, b, step)
        near = 4 if size < 0.03 else 200  # the quotient's own derivative loses 1 / |dt A|
        assert max(abs(left - slope), abs(right - 1j * slope)) <= near * eps * abs(slope), (a, b, step)
        assert abs(along - factor) <= 16 * eps * max(1, abs(factor)), "d gamma / d dt is exp(dt A)"


def test_gradients_are_those_of_differences_at_0():
    zeros = [torch.zeros(3, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    dt = torch.tensor([0.001, 0.1, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda *given: torch.view_as_real(torch.stack(discretize(*given))), (*zeros, dt))


def finite_with_gradients(module, x):
    y = module(x)[0]
    y.square().sum().backward()
    assert y.isfinite().all()
    for name, weight in module.named_parameters():
        assert weight.grad.isfinite().all(), name
    return y.detach()


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("clip", [False, True])
def test_s5_sums_where_its_modes_keep_all(dtype, clip):
    module = reference_module("s5").S5(4, state_size=3, clip_eigs=clip).to(dtype)
    with torch.no_grad():
        module.Lambda_re.zero_(), module.Lambda_im.zero_()
    x = torch.randn(9, 2, 4, dtype=dtype)
    y = finite_with_gradients(module, x)
    with torch.no_grad():
        B, C = torch.view_as_complex(module.B), torch.view_as_complex(module.C)
        h = torch.zeros(2, 3, dtype=B.dtype)
        for t in range(9):
            h = h + torch.exp(module.log_step) * (x[t].to(B.dtype) @ B.T)
            want = 2 * (h @ C.T).real + module.D * x[t]
            assert (y[t] - want).abs().max() <= (1e-4 if clip else 20 * PRECISION[dtype]) * want.abs().max().clamp(min=1)
    assert (module.Lambda_im.grad.abs() > 1e-6).all(), "a mode can leave 0"


@pytest.mark.parametrize("dtype", PRECISION)
def test_s4d_with_the_first_mode_of_lin_that_does_not_decay(dtype):
    """exp(-120) is 0 in single precision, 8e-53 in double."""
    module = reference_module("s4d").S4D(4, state_size=3).to(dtype)
    with torch.no_grad():
        module.kernel.log_A_real.fill_(-120)
        assert not module.kernel.A_imag[:, 0].any()
        module.kernel.C[:, 1:] = 0
    x = torch.randn(9, 2, 4, dtype=dtype)
    y = finite_with_gradients(module, x)
    with torch.no_grad():
        want = 2 * torch.exp(module.kernel.log_dt) * module.kernel.C[:, 0, 0] * x.cumsum(0) + module.D * x
    assert (y - want).abs().max() <= 20 * PRECISION[dtype] * want.abs().max()
