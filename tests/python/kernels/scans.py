# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the scans share: the loop around a step, and the comparison of two calls, outputs and gradients."""

import torch


def over(mask, like):
    """The mask (batch) of a step over a tensor (batch, ...)."""
    return mask.view(-1, *[1] * (like.dim() - 1))


def plain_loop(steps, step, initial, mask, reverse):
    """step(t, state) -> new state, *outputs. A masked step holds the state and gives zeros. -> *outputs, states, last state."""
    state, walked = initial, [None] * steps
    for t in reversed(range(steps)) if reverse else range(steps):
        new, *outputs = step(t, state)
        if mask is not None:
            new, outputs = torch.where(over(mask[t], state), new, state), [torch.where(over(mask[t], o), o, 0.0) for o in outputs]
        state = new
        walked[t] = (*outputs, state)
    return (*(torch.stack(all_steps) for all_steps in zip(*walked)), state)


def assert_same(got, want, inputs):
    """Outputs, and the gradients of one weighted sum of them all."""
    weights = [torch.randn_like(w) for w in want]

    def gradients(outputs):
        total = sum((w * o).sum() for w, o in zip(weights, outputs))
        return torch.autograd.grad(total.abs() if total.is_complex() else total, inputs)

    for g, w in zip((*got, *gradients(got)), (*want, *gradients(want)), strict=True):
        torch.testing.assert_close(g, w, rtol=1e-12, atol=1e-12)


def opcheck(op, arguments, options=None, traced=True):
    """torch's own checks of an op. Without `traced` those of one call alone, schema and fake tensors: tracing takes nearly all of the time, says
    the same in every precision, and goes through an op's backward where the op itself is traced."""
    more = {} if traced else {"test_utils": ("test_schema", "test_faketensor")}
    torch.library.opcheck(op, arguments, options, **more)


def assert_captured_whole(call, inputs):
    """torch.compile takes the call in one graph, with its gradients."""
    compiled = torch.compile(call, backend="aot_eager", fullgraph=True)
    want = torch.autograd.grad(call(*inputs), inputs)
    for g, w in zip(torch.autograd.grad(compiled(*inputs), inputs), want, strict=True):
        torch.testing.assert_close(g, w)
