# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def memory_slots(state, kept, window):
    """What a state [B, (window - 1) * (kept + 1)] holds of each step: key and value, `kept` numbers, and position, [window - 1, B, kept
    + 1]."""
    return None if state is None else state.unflatten(1, (window - 1, kept + 1)).transpose(0, 1)


def step_numbers(past, real):
    """The position of each step in its sequence, from 1 on, [T, B]."""
    counted = real.cumsum(0)
    return counted if past is None else counted + past[..., -1].detach().amax(0).clamp(min=0).long()


def seen_steps(places, there, T, window):
    """Of K positions the last T are the current steps. [T, K, B]: existing, not later, and within the window. A masked
    step sees itself, so that the softmax is defined."""
    distance = places[-T:].unsqueeze(1) - places.unsqueeze(0)
    own = torch.eye(len(places), dtype=torch.bool, device=places.device)[-T:].unsqueeze(-1)
    return there & (distance >= 0) & (distance < window) | own


def causal_attention(q, k, v, past, real, num_heads, window, drop, turned=lambda x, places, side: x, scored=None):
    """weights_tj = softmax_j(q_t k_j / sqrt(n))      over t - window < j <= t, in num_heads heads of n features
    y_t = sum_j weights_tj v_j

    q, k [T, B, width], v [T, B, values]; past as memory_slots gives it; real [T, B]; `turned` may rotate the heads of each position
    (side 1: of queries, -1: of keys), `scored` take the place of q_t k_j, given q, k and the distances [T, K, B]. Gives y and the
    state: key, value and position of the last window - 1 steps, zeros where there was no step. Masked steps are
    ignored and not cached."""
    T, B, width = q.shape
    kept = width + v.shape[-1]
    slots = window - 1
    number = step_numbers(past, real)
    before = q.new_zeros(slots, B, kept + 1) if past is None else past
    rows = torch.cat([before, torch.cat([k, v, number.unsqueeze(-1).to(q.dtype)], dim=-1)])
    remain = torch.cat([torch.ones_like(before[..., -1], dtype=torch.bool), real])
    newest = remain.byte().argsort(dim=0, stable=True)[len(remain) - slots:]  # the newest, in their order
    last = rows.gather(0, newest.unsqueeze(-1).expand(-1, -1, rows.shape[-1])).transpose(0, 1)

    # The current steps are at 0, 1, 2 ..., cached ones at -1, -2 ... before them.
    places = torch.arange(-slots, 0, device=q.device).unsqueeze(1).expand(-1, B)
    places = torch.cat([places, real.cumsum(0) - 1])
    there = torch.cat([before[..., -1] > 0, real])
    if past is None:
        rows, places, there = rows[slots:], places[slots:], there[slots:]
    seen = seen_steps(places, there, T, window)

    q, k, v = (part.unflatten(-1, (num_heads, -1)) for part in (q, rows[..., :width], rows[..., width:-1]))
    q, k = turned(q, places[-T:], 1), turned(k, places, -1)
    distance = places[-T:].unsqueeze(1) - places.unsqueeze(0)
    scores = torch.einsum("tbhn,jbhn->bhtj", q, k) if scored is None else scored(q, k, distance)
    scores = scores / q.shape[-1] ** 0.5
    weights = scores.masked_fill(~seen.permute(2, 0, 1).unsqueeze(1), -torch.inf).softmax(dim=-1)
    return torch.einsum("bhtj,jbhn->tbhn", drop(weights), v).flatten(-2), last.flatten(1)


def full_attention(q, k, v, real, num_heads, drop):
    """The same over all real steps, later ones too: y_t = sum_j softmax_j(q_t k_j / sqrt(n)) v_j. Nothing is remembered. A masked step,
    of which nothing is read, sees itself too."""
    q, k, v = (part.unflatten(-1, (num_heads, -1)) for part in (q, k, v))
    seen = real.unsqueeze(0) | torch.eye(len(q), dtype=torch.bool, device=q.device).unsqueeze(-1)
    scores = torch.einsum("tbhn,jbhn->bhtj", q, k) / q.shape[-1] ** 0.5
    weights = scores.masked_fill(~seen.permute(2, 0, 1).unsqueeze(1), -torch.inf).softmax(dim=-1)
    return torch.einsum("bhtj,jbhn->tbhn", drop(weights), v).flatten(-2)


def dropped_out(x, rate):
    return x * (x.new_empty(x.shape).bernoulli_(1 - rate) / (1 - rate))
