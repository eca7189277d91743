# SPDX-License-Identifier: GPL-3.0-or-later
"""The adaptive head beside torch.nn.AdaptiveLogSoftmaxWithLoss with the same weights: log-probabilities, loss and all gradients, in double; the
C++ block where its case has the cutoffs that it chooses itself, and its reference.py with others."""

import pytest
import torch

from block_dumps import reference_module

BOUND = 1e-12


def peer(ours, size, classes, div_value, bias):
    made = torch.nn.AdaptiveLogSoftmaxWithLoss(size, classes, ours.cutoffs[:-1], div_value, bias).double()
    made.load_state_dict(ours.state_dict(), strict=True)
    return made


def compared(ours, theirs, x, targets):
    """The largest deviation of the loss, the log-probabilities and every gradient, relative to its largest number where that is above 1."""
    results = []
    for module, leaf in ((ours, x.clone().requires_grad_()), (theirs, x.clone().requires_grad_())):
        if module is ours:
            loss, logits = module(leaf, targets)
        else:
            loss, logits = module(leaf, targets).loss, module.log_prob(leaf)
        (loss + logits.sin().sum()).backward()
        results.append([loss, logits, leaf.grad] + [weight.grad for _, weight in sorted(module.named_parameters())])
    return max(((a - b).abs().max() / b.abs().max().clamp(min=1)).item() for a, b in zip(*results))


@pytest.mark.parametrize("cutoffs, div_value, bias", [("40, 100, 300", 4.0, False), ("1,2,3", 2.0, True), ("", 1.5, True), ("499", 3.0, False)])
def test_reference_is_torchs(cutoffs, div_value, bias):
    torch.manual_seed(1)
    classes, size = 500, 70
    ours = reference_module("adaptive_head").AdaptiveHead(size, classes, cutoffs, div_value, bias).double()
    x, targets = torch.randn(64, size, dtype=torch.float64), torch.randint(classes, (64,))
    assert compared(ours, peer(ours, size, classes, div_value, bias), x, targets) < BOUND


def test_usual_cutoffs_of_many_classes_are_torchs_too():
    torch.manual_seed(2)
    ours = reference_module("adaptive_head").AdaptiveHead(64, 3000).double()
    assert ours.cutoffs == [200, 600, 3000]
    x, targets = torch.randn(64, 64, dtype=torch.float64), torch.randint(3000, (64,))
    assert compared(ours, peer(ours, 64, 3000, 4.0, False), x, targets) < BOUND


def test_block_is_torchs(blocks):
    """Torch scores every target; those that are not scored here are left out there."""
    cases = [case for case in blocks["adaptive_head"].cases if case.facts["double"]]
    assert len(cases) >= 10
    for case in cases:
        params, sizes = case.facts["params"], case.facts["dimensions"]
        if sizes["input_size"] < params["div_value"]:
            continue  # torch's projection has no width then
        theirs = peer(case.module(), sizes["input_size"], sizes["classes"], params["div_value"], params["head_bias"])
        x, targets = case.values("input", "x")[0].flatten(0, 1), case.values("input", "targets")[0].flatten()
        scored = targets != -100
        loss = theirs(x[scored], targets[scored]).loss
        assert abs(loss.item() - case.values("output", "loss")[0].item()) < BOUND, case.text
        logits = case.values("output", "logits")[0].flatten(0, 1)
        assert (theirs.log_prob(x) - logits).abs().max() < BOUND, case.text
