# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.by_kernels import dense, ops, real_steps

uses = "matrix_scan", "reflections", "dense_product"


class MruLowerTimesUpper(torch.autograd.Function):
    """(strict lower + D)(strict upper + D), D = exp((a - mean a) / 2) with a the diagonal."""

    @staticmethod
    def forward(ctx, numbers):
        a = numbers.diagonal(dim1=-2, dim2=-1)
        D = torch.diag_embed(torch.exp((a - a.mean(-1, keepdim=True)) / 2))
        lower, upper = torch.tril(numbers, -1) + D, torch.triu(numbers, 1) + D
        ctx.save_for_backward(lower, upper)
        return lower @ upper

    @staticmethod
    def backward(ctx, grad):
        lower, upper = ctx.saved_tensors
        to_lower, to_upper = grad @ upper.mT, lower.mT @ grad
        sums = to_lower.diagonal(dim1=-2, dim2=-1) + to_upper.diagonal(dim1=-2, dim2=-1)
        to_d = sums * lower.diagonal(dim1=-2, dim2=-1) / 2
        return torch.tril(to_lower, -1) + torch.triu(to_upper, 1) + torch.diag_embed(to_d - to_d.mean(-1, keepdim=True))


class MruCayley(torch.autograd.Function):
    """M = 2 (I - S)^-1 - I of a skew S. With P = (M + I) / 2, dM = 2 P dS P: backward two products, and no inverse."""

    @staticmethod
    def forward(ctx, skew):
        eye = torch.eye(skew.shape[-1], dtype=skew.dtype, device=skew.device)
        m = 2 * torch.linalg.inv_ex(eye - skew)[0] - eye
        ctx.save_for_backward(m)
        return m

    @staticmethod
    def backward(ctx, grad):
        (m,) = ctx.saved_tensors
        turned = (m + torch.eye(m.shape[-1], dtype=m.dtype, device=m.device)).mT
        return turned @ grad @ turned / 2


def mru_matrices(self, x):
    """M, [T, B, heads, n, n]"""
    n = self.n
    if self.maker == "old":
        return self.matrices(x)
    a = self.thinned(dense(x, self.state_matrices_up)).unflatten(-1, (self.heads, -1))
    if self.maker == "householder":
        return ops.reflections(a)
    if self.maker == "cayley":
        S = a.new_zeros(*a.shape[:-1], n, n)
        i, j = torch.triu_indices(n, n, 1, device=x.device)
        S[..., i, j] = a
        return MruCayley.apply(S - S.mT)
    a = a.unflatten(-1, (n, n))
    return MruLowerTimesUpper.apply(a) if self.maker == "ldu" else a + torch.eye(n, dtype=x.dtype, device=x.device)


def mru_read_out(self):
    """W_down and W_out as one matrix, [units, heads n n]."""
    down = self.state_matrices_down
    heads, n, columns = down.shape
    if self.maker == "old":
        down = down * (heads * columns)
    out = self.mru_out.view(-1, heads, n, columns).transpose(0, 1).flatten(1, 2)
    return torch.bmm(out, down.transpose(1, 2)).unflatten(1, (-1, n)).transpose(0, 1).flatten(1)


def forward(self, x, state=None, mask=None):
    eye = torch.eye(self.n, dtype=x.dtype, device=x.device)
    before = None if state is None else state[0].unflatten(-1, (self.heads, self.n, self.n)) + eye
    h, last = ops.matrix_scan(mru_matrices(self, x), before, mask)
    return real_steps(dense(h.flatten(2), mru_read_out(self)), mask), ((last - eye).flatten(1),)
