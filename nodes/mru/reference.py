# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
import torch.nn.functional as F
from shared.masked_output import at_masked_steps


class MRU(nn.Module):
    """H_t = H_{t-1} M_t, H_0 = I      y_t = W_out flatten(H_t W_down), head by head

    M_t is computed from x_t and is I at initialisation. The state is H - I, [B, heads n n]: zeros mean I.
    At masked steps H is kept. Every `scan` gives these values: matrix products are associative."""

    def __init__(self, input_size, units=128, num_heads=2, matrix_size=8, maker="ldu", scan="auto", dropout=0.0, masked_output="zero"):
        super().__init__()
        self.masked_output = masked_output
        self.heads, self.n, self.maker, self.dropout = num_heads, matrix_size, maker, dropout
        n, rows = matrix_size, num_heads * matrix_size
        numbers = {"ldu": n * n, "identity": n * n, "cayley": n * (n - 1) // 2, "householder": 2 * n, "old": 0}[maker]
        columns_in, columns = -(-input_size // rows), -(-units // rows)
        up = (num_heads, columns_in, n) if maker == "old" else (num_heads * numbers, input_size)
        self.state_matrices_up = nn.Parameter(torch.zeros(up))
        spread = num_heads**0.5 * n / (num_heads * columns) if maker == "old" else n**0.5
        self.state_matrices_down = nn.Parameter(torch.randn(num_heads, n, columns) * 0.02 * spread)
        self.mru_out = nn.Parameter(torch.randn(units, rows * columns) * 0.02)

    def matrices(self, x):
        """M, [T, B, heads, n, n]"""
        n, eye = self.n, torch.eye(self.n, dtype=x.dtype, device=x.device)
        if self.maker == "old":  # each row of each head sees its own piece of x
            columns = self.state_matrices_up.shape[1]
            pieces = F.pad(x, (0, self.heads * n * columns - x.shape[-1])).unflatten(-1, (self.heads, n, columns))
            return eye + 0.08 * self.heads * self.thinned(pieces @ self.state_matrices_up)

        a = self.thinned(F.linear(x, self.state_matrices_up)).unflatten(-1, (self.heads, -1))
        if self.maker == "householder":
            return reflection(eye[0] + a[..., :n]) @ reflection(eye[0] + a[..., n:])
        if self.maker == "cayley":
            S = torch.zeros(*a.shape[:-1], n, n, dtype=x.dtype, device=x.device)
            i, j = torch.triu_indices(n, n, 1, device=x.device)
            S[..., i, j] = a
            S = S - S.mT
            return torch.linalg.solve(eye - S, eye + S)
        a = a.unflatten(-1, (n, n))
        if self.maker == "identity":
            return eye + a
        diagonal = a.diagonal(dim1=-2, dim2=-1)
        D = torch.diag_embed(torch.exp((diagonal - diagonal.mean(-1, keepdim=True)) / 2))
        return (torch.tril(a, -1) + D) @ (torch.triu(a, 1) + D)

    def thinned(self, a):
        if not self.training or self.dropout == 0:
            return a
        return a * (torch.empty_like(a).bernoulli_(1 - self.dropout) / (1 - self.dropout))

    def zero_state(self, state):
        """What a state of zeros stands for: I of every head."""
        return torch.eye(self.n, dtype=state.dtype, device=state.device).flatten().repeat(self.heads)

    def forward(self, x, state=None, mask=None):
        M = self.matrices(x)
        H = torch.eye(self.n, dtype=x.dtype, device=x.device).expand(M.shape[1:])
        if state is not None:
            H = H + state[0].view_as(H)
        states = []
        for t in range(len(M)):
            new = H @ M[t]
            H = new if mask is None else torch.where(mask[t].view(-1, 1, 1, 1), new, H)
            states.append(H)

        down = self.state_matrices_down
        if self.maker == "old":
            down = down * (self.heads * down.shape[-1])
        y = F.linear((torch.stack(states) @ down).flatten(2), self.mru_out)
        return at_masked_steps(y, mask, self.masked_output), ((H - torch.eye(self.n, dtype=x.dtype, device=x.device)).flatten(1),)


def reflection(v):
    """I - 2 v v^T / v^T v, and I of v = 0"""
    square = v.square().sum(-1)[..., None, None]
    return torch.eye(v.shape[-1], dtype=v.dtype, device=v.device) - 2 * v.unsqueeze(-1) * v.unsqueeze(-2) / (square + (square == 0))
