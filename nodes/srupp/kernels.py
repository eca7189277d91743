# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import attends_at_once, dense, ops, real_steps, remembered, sru_walks
from shared.sru_recurrence import sru_dropout_mask

uses = "sru_scan", "causal_attention", "dense_product"


def srupp_transformed(self, x, memory, mask):
    """z, and the KV cache for the next steps."""
    dropout = self.attn_dropout if self.training else 0.0
    if self.attention == "full" or (self.linear2 is not None and not attends_at_once(x, memory, mask, self.window, dropout)):
        real = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device) if mask is None else mask
        return self.transformed(x, memory, real)
    z, last = dense(x, self.linear1.weight), None
    if self.linear2 is not None:
        q = z if self.attn_normalize_after else self.normed(z)
        kv = dense(q, self.linear2.weight)
        z = torch.addcmul(z, ops.causal_attention(torch.cat([q, kv], dim=-1), self.num_heads), self.alpha)
        last = remembered(*kv.chunk(2, dim=-1), self.window)
    z = self.normed(z) if self.attn_normalize_after else z
    return self.dropped(z, self.transform_dropout), last


def srupp_layer(self, x, state=None, mask=None):
    """A walk for each direction."""
    memory = None if state is None else state[0][:, self.out :]
    normed = x if self.layer_norm is None or self.normalize_after else self.layer_norm(x)
    z, memory = srupp_transformed(self, normed, memory, mask)
    drop = sru_dropout_mask(x, self.out, self.dropout) if self.training and self.dropout > 0 else None
    c0 = None if state is None else state[0]
    y, ends = sru_walks(self, dense(z, self.linear3.weight), x, c0, mask, drop, skips_input=self.k == 3)
    if self.layer_norm is not None and self.normalize_after:
        y = real_steps(self.layer_norm(y), mask)
    ends += [] if memory is None else [memory]
    return y, (ends[0] if len(ends) == 1 else torch.cat(ends, dim=-1),)


def forward(self, x, state=None, mask=None):
    if self.layers is None:
        return srupp_layer(self, x, state, mask)
    ends, rest = [], None if state is None else state[0]
    for layer in self.layers:
        before = None if rest is None else (rest[:, : layer.state_width()],)
        rest = None if rest is None else rest[:, layer.state_width() :]
        x, (end,) = srupp_layer(layer, x, before, mask)
        ends.append(end)
    return x, (torch.cat(ends, dim=-1),)
