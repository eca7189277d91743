# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernels.py of blocks share: products, and the steps before each step. No loop over steps is in here."""

import torch
from shared.ternary import ternary_dense

ops = torch.ops.unroll


def dense(x, weight, bias=None):
    """x W^T + b, multiplied by whoever is fastest here: torch, oneDNN or AMX."""
    return ops.dense_product(x, weight, bias)


def ternary(x, gain, weight, bias, gradient, scales=1, epsilon=1e-8):
    """A ternary dense layer: the kernel in single precision, its definition in double."""
    if x.dtype != torch.float32:
        return ternary_dense(x, gain, weight, bias, gradient, scales, epsilon)
    return ops.ternary_dense(x, gain, weight, bias, gradient=gradient, scales=scales, epsilon=epsilon)


def real_steps(y, mask):
    """0 at masked steps."""
    return y if mask is None else torch.where(mask.unsqueeze(-1), y, 0.0)


def sru_walks(cell, u, x, state, mask, drop, skips_input, activation="identity"):
    """h [T, B, directions * units] and the last c of each direction of an SRU's `cell` over u, the products of all steps and
    directions; state [B, directions * units] or None, drop [B, directions * units] or None."""
    u = u.view(*x.shape[:2], cell.dirs, cell.k, cell.units)
    u = u.unbind(2) if cell.dirs > 1 else (u.squeeze(2),)
    v, b = cell.weight_c.view(2, cell.dirs, cell.units), cell.bias.view(2, cell.dirs, cell.units)
    outputs, ends = [], []
    for d in range(cell.dirs):
        mine = slice(d * cell.units, (d + 1) * cell.units)
        h, _, c = ops.sru_scan(
            u[d],
            v[:, d],
            b[:, d],
            x[..., mine] if skips_input else None,
            None if state is None else state[:, mine],
            mask,
            None if drop is None else drop[:, mine],
            scale_x=cell.scale_x if skips_input else 1.0,
            activation=activation,
            reverse=d == 1,
        )
        outputs.append(h)
        ends.append(c)
    return outputs[0] if cell.dirs == 1 else torch.cat(outputs, dim=-1), ends


def complex_state(state):
    return None if state is None else torch.complex(*state)


def real_state(last):
    return last.real.contiguous(), last.imag.contiguous()


class StepsBefore:
    """The real steps before each step: those of x [T, B, in], and of state [B, reach, in], the oldest first."""

    def __init__(self, x, state, mask):
        self.all, self.reach, self.steps = torch.cat([state.transpose(0, 1), x]), state.shape[1], len(x)
        self.real = None
        if mask is not None:
            order = torch.argsort((~mask).int(), dim=0, stable=True)
            kept = torch.arange(self.reach, device=x.device).unsqueeze(1).expand(-1, x.shape[1])
            self.real, self.passed = torch.cat([kept, order + self.reach]), mask.cumsum(0)

    def before(self, back):
        """What came `back` real steps before each step, 0 to reach. At masked steps it means nothing."""
        if self.real is None:
            return self.all[self.reach - back : self.reach - back + self.steps]
        return self.rows((self.passed + (self.reach - 1 - back)).clamp(min=0))

    def last(self):
        """The last real steps, as `state` holds them."""
        if self.real is None:
            return self.all[self.steps :].transpose(0, 1)
        newest = torch.arange(self.reach, device=self.all.device).unsqueeze(1) + self.passed[-1]
        return self.rows(newest).transpose(0, 1)

    def rows(self, places):
        index = self.real.gather(0, places).unsqueeze(-1)
        return self.all.gather(0, index.expand(-1, -1, self.all.shape[2]))


def depthwise(steps, weight, bias):
    """The causal convolution of each feature with its own row of weight [width, taps], the oldest step first."""
    taps = weight.shape[1]
    y = steps.before(0) * weight[:, -1] if bias is None else torch.addcmul(bias, steps.before(0), weight[:, -1])
    for back in range(1, taps):
        y = torch.addcmul(y, steps.before(back), weight[:, taps - 1 - back])
    return y


def stacked(self, x, state, walk, mask):
    """StackedRecurrence by whole walks: walk(x, state [B, units], place, reverse) -> y, last state."""
    places = [place for places in self.places for place in places]
    starts = [None] * len(places) if state is None else state[0].split(self.units, dim=1)
    starts, last = iter(starts), []
    for places in self.places:
        sides = []
        for place in places:
            y, end = walk(x, next(starts), place, place.endswith("_reverse"))
            sides.append(real_steps(y, mask))
            last.append(end)
        x = sides[0] if len(sides) == 1 else torch.cat(sides, dim=-1)
    return x, (last[0] if len(last) == 1 else torch.cat(last, dim=1),)


def attends_at_once(x, state, mask, window, dropout):
    """Whether each step sees itself and all before it, which is what the kernel of attention does."""
    return state is None and mask is None and 0 < len(x) <= min(window, 4096) and dropout == 0


def remembered(k, v, window):
    """The last window - 1 steps as a state of causal_attention: key, value, position; zeros where there was no step."""
    steps, slots = len(k), window - 1
    number = torch.arange(1, steps + 1, dtype=k.dtype, device=k.device).view(-1, 1, 1).expand(-1, k.shape[1], 1)
    rows = torch.cat([k, v, number], dim=-1).transpose(0, 1)
    if steps < slots:
        rows = torch.cat([rows.new_zeros(rows.shape[0], slots - steps, rows.shape[2]), rows], dim=1)
    return rows[:, rows.shape[1] - slots :].flatten(1)


def delta_rule(self, x, state, mask):
    """DeltaRule by one scan: the steps of the rule that a token has follow each other."""
    heads, units, rules = self.heads, self.o_proj.in_features, self.householders
    n, width = units // heads, units * (1 + 2 * rules)
    held = heads * n * n
    state = x.new_zeros(x.shape[1], held + (self.taps - 1) * width) if state is None else state[0]
    S, past = state.split([held, (self.taps - 1) * width], dim=1)
    u = dense(x, torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]))
    if self.taps > 1:
        kernel = torch.cat([self.q_conv1d.weight, self.k_conv1d.weight, self.v_conv1d.weight]).squeeze(1)
        steps = StepsBefore(u, past.unflatten(1, (self.taps - 1, width)), mask)
        u, past = depthwise(steps, kernel, None), steps.last().flatten(1)
    parts = torch.nn.functional.silu(u).split([units, rules * units, rules * units], dim=-1)
    q, k, v = (part.unflatten(-1, (-1, heads, n)) for part in parts)
    q, k = (part * torch.rsqrt(part.square().sum(-1, keepdim=True) + 1e-6) for part in (q, k))
    q = torch.cat([torch.zeros_like(k[:, :, 1:]), q / n**0.5], dim=2)
    beta = (self.strength * torch.sigmoid(dense(x, self.b_proj.weight))).unflatten(-1, (-1, heads))
    z, w = -beta.unsqueeze(-1) * k, None
    if self.a_proj is not None:
        a = torch.exp(-torch.exp(self.A_log) * torch.nn.functional.softplus(dense(x, self.a_proj.weight) + self.dt_bias))
        w = torch.cat([a.unsqueeze(2), torch.ones_like(beta[:, :, 1:])], dim=2)
        z = z * w.unsqueeze(-1)
    in_a_row = lambda part: part.transpose(1, 2).flatten(0, 1)  # [T rules, B, ...]
    written = in_a_row(beta.unsqueeze(-1) * v)
    real = None if mask is None else mask.repeat_interleave(rules, dim=0)
    forgotten = None if w is None else in_a_row(w)
    y, _, S = ops.delta_scan(in_a_row(q), in_a_row(k), written, in_a_row(z), None, forgotten, S.unflatten(1, (heads, n, n)), real)
    y = self.o_norm(y[rules - 1 :: rules])
    if self.g_proj is not None:
        y = y * torch.nn.functional.silu(dense(x, self.g_proj.weight)).unflatten(-1, (heads, n))
    return real_steps(dense(y.flatten(2), self.o_proj.weight), mask), (torch.cat([S.flatten(1), past], dim=1),)
