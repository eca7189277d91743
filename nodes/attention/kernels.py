# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from shared.by_kernels import attends_at_once, dense, ops, remembered

uses = "causal_attention", "dense_product"


def why_not(self, x, state=None, mask=None):
    if self.relative is not None:
        return "the kernel of attention has no relative positions"
    if self.sizes[0] != self.sizes[1]:
        return "the kernel of attention has values as wide as keys"
    if self.xpos_scale is not None:
        return "the kernel of attention turns queries and keys alike, without xPos"
    if attends_at_once(x, state, mask, self.window, self.dropout if self.training else 0.0):
        return None
    return "the kernel of attention takes whole sequences within the window, without state, mask and dropout"


def attention_turns(self, steps, like):
    if self.rope_base is None:
        return None, None
    half = self.sizes[0] // self.num_heads // 2
    places = torch.arange(steps, dtype=torch.float64, device=like.device)
    rates = self.rope_base ** (-torch.arange(half, dtype=torch.float64, device=like.device) / half)
    angle = (places[:, None] * rates).unsqueeze(0)
    return angle.cos().to(like.dtype), angle.sin().to(like.dtype)


def forward(self, x, state=None, mask=None):
    if self.position is not None:
        if len(x) > self.position.num_embeddings:
            raise ValueError(f"step {len(x)} has no position: max_positions is {self.position.num_embeddings}")
        x = x + self.position.weight[: len(x)].unsqueeze(1)
    qkv = x if self.in_proj_weight is None else dense(x, self.in_proj_weight, self.in_proj_bias)
    y = ops.causal_attention(qkv, self.num_heads, *attention_turns(self, len(x), x))
    y = y if self.out_proj is None else dense(y, self.out_proj.weight, self.out_proj.bias)
    return y, (remembered(*qkv.chunk(3, dim=-1)[1:], self.window),)
