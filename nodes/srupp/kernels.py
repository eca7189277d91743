# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import attends_at_once, dense, ops, real_steps, remembered
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
    T, B, _ = x.shape
    memory = None if state is None else state[0][:, self.out :]
    normed = x if self.layer_norm is None or self.normalize_after else self.layer_norm(x)
    z, memory = srupp_transformed(self, normed, memory, mask)
    u = dense(z, self.linear3.weight).view(T, B, self.dirs, self.k, self.units)
    u = u.unbind(2) if self.dirs > 1 else (u.squeeze(2),)
    drop = sru_dropout_mask(x, self.out, self.dropout) if self.training and self.dropout > 0 else None
    v, b = self.weight_c.view(2, self.dirs, self.units), self.bias.view(2, self.dirs, self.units)
    skips_input = self.k == 3
    outputs, ends = [], []
    for d in range(self.dirs):
        mine = slice(d * self.units, (d + 1) * self.units)
        h, _, c = ops.sru_scan(
            u[d],
            v[:, d],
            b[:, d],
            x[..., mine] if skips_input else None,
            None if state is None else state[0][:, mine],
            mask,
            None if drop is None else drop[:, mine],
            scale_x=self.scale_x if skips_input else 1.0,
            reverse=d == 1,
        )
        outputs.append(h)
        ends.append(c)
    y = outputs[0] if self.dirs == 1 else torch.cat(outputs, dim=-1)
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
