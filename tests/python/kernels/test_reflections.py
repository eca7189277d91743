# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of Householder reflections."""

import torch

from scans import assert_captured_whole, opcheck


def test_rotations_with_gradients(kernels):
    numbers = torch.randn(3, 4, 10, dtype=torch.double, requires_grad=True)
    m = kernels.reflections(numbers)
    torch.testing.assert_close(m @ m.mT, torch.eye(5, dtype=torch.double).expand(3, 4, 5, 5))
    torch.testing.assert_close(torch.linalg.det(m), torch.ones(3, 4, dtype=torch.double))
    assert torch.autograd.gradcheck(kernels.reflections, numbers)


def test_opcheck_and_capture(kernels):
    numbers = torch.randn(6, 8, requires_grad=True)
    opcheck(kernels.reflections.default, (numbers,))
    assert_captured_whole(lambda x: kernels.reflections(x).cos().sum(), [numbers])
