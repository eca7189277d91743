# SPDX-License-Identifier: GPL-3.0-or-later
"""Real and imaginary parts in turn, and apart again."""

import pytest
import torch

from scans import assert_captured_whole, assert_same, opcheck


def joined(re, im, scale):
    return torch.stack([re * scale, im * scale], -1)


def parts(*sizes, dtype=torch.double):
    return [torch.randn(*sizes, dtype=dtype, requires_grad=True) for _ in range(2)] + [torch.rand(sizes[-1], dtype=dtype, requires_grad=True)]


@pytest.mark.parametrize("sizes", [(7,), (5, 1), (3, 4, 33), (0, 4), (2000, 130)])
def test_join_with_a_scale(kernels, sizes):
    re, im, scale = parts(*sizes)
    assert_same([kernels.join_pairs(re, im, scale)], [joined(re, im, scale)], [re, im, scale])


def test_join_without_one_and_of_any_strides(kernels):
    re, im, _ = parts(6, 10)
    assert_same([kernels.join_pairs(re.t(), im.t())], [torch.stack([re.t(), im.t()], -1)], [re, im])


def test_split(kernels):
    pairs = torch.randn(5, 3, 9, 2, dtype=torch.double, requires_grad=True)
    assert_same(kernels.split_pairs(pairs), pairs.unbind(-1), [pairs])
    assert_same(kernels.split_pairs(pairs.transpose(0, 1)), pairs.transpose(0, 1).unbind(-1), [pairs])


def test_the_scales_gradient_does_not_depend_on_the_threads(kernels):
    re, im, scale = parts(3000, 200, dtype=torch.float)
    before = torch.get_num_threads()
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        found.append(torch.autograd.grad(kernels.join_pairs(re, im, scale).sin().sum(), [re, im, scale]))
    torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*found))


def test_opcheck_and_capture(kernels):
    re, im, scale = parts(4, 5, dtype=torch.float)
    opcheck(kernels.join_pairs.default, (re, im, scale))
    opcheck(kernels.join_pairs.default, (re, im))
    opcheck(kernels.split_pairs.default, (torch.randn(3, 4, 2, requires_grad=True),))
    assert_captured_whole(lambda *x: kernels.join_pairs(*x).square().sum(), [re, im, scale])


def test_what_does_not_fit_is_refused(kernels):
    re, im, scale = parts(4, 5)
    with pytest.raises(RuntimeError, match=r"join_pairs: scale has shape \[4\], expected \[5\]"):
        kernels.join_pairs(re, im, scale[:4])
    with pytest.raises(RuntimeError, match=r"split_pairs: pairs has shape \[4, 5\], expected \[..., N, 2\]"):
        kernels.split_pairs(re)
