# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains as the run did. The lines that call add_penalties and constrain are left out where no weight has such a rule."""

import math

from torch import nn

from .constraints import constrain
from .penalties import add_penalties
from .stand_ins import RULES, TRAINING, update_rule


def learning_rate(step):
    """Of update `step`, counted from 0: a linear rise, then constant or a cosine."""
    t = TRAINING
    first, decay = t["start_learning_rate"], t["decay_steps"] or t["steps"] - t["warmup"]
    if step < t["warmup"] and first > 0:
        return first + (t["learning_rate"] - first) * step / t["warmup"]
    if step < t["warmup"]:
        return t["learning_rate"] * (step + 1) / t["warmup"]
    if t["schedule"] == "constant" or decay <= 0:
        return t["learning_rate"]
    done = min((step - t["warmup"]) / decay, 1.0)
    return t["final_learning_rate"] + 0.5 * (t["learning_rate"] - t["final_learning_rate"]) * (1 + math.cos(math.pi * done))


def make_optimizer(model):
    """The run's optimiser. Weight decay pulls at tensors of two or more dimensions where RULES has nothing to say."""
    t, groups = TRAINING, {}
    for name, weight in model.named_parameters():
        decays, scale, *_ = RULES.get(name, (None, 1.0, "", 1.0))
        decays = weight.dim() >= 2 if decays is None else decays
        groups.setdefault((t["weight_decay"] if decays else 0.0, scale), []).append(weight)
    return update_rule([{"params": weights, "weight_decay": decay, "scale": scale} for (decay, scale), weights in groups.items()])


def clip_gradients(model):
    """Scales the gradients of each clip group down to the norm TRAINING["clip"], times its scale."""
    groups = {}
    for name, weight in model.named_parameters():
        groups.setdefault(RULES.get(name, (None, 1.0, "", 1.0))[2:], []).append(weight)
    for (_, scale), weights in groups.items():
        nn.utils.clip_grad_norm_(weights, TRAINING["clip"] * scale)


def asks(targets):
    """Whether there is a target: a class other than -100, a number that is not NaN."""
    return bool((~targets.isnan() if targets.is_floating_point() else targets != -100).any())


def train(model, batches, carry=False):
    """Trains on (model_input, targets) or (model_input, targets, mask) as Model.forward takes them; yields each update's loss.

    The gradients of TRAINING["accumulation"] batches are averaged before each update, of those that have a target; where none
    has, no weight is changed and None is the loss.
    carry: the states go on from batch to batch, for streams cut into pieces.
    """
    optimizer, states, many, total, asked = make_optimizer(model.train()), None, TRAINING["accumulation"], 0.0, 0
    for i, batch in enumerate(batches):
        loss, _, states = model(*batch, states=states if carry else None)
        states = {node: tuple(tensor.detach() for tensor in state) for node, state in states.items()}
        if asks(batch[1]):
            (loss / many).backward()
            total, asked = total + loss.item() / many, asked + 1
        if (i + 1) % many != 0:
            continue
        if asked == 0:
            yield None
            continue
        if asked < many:
            total *= many / asked
            for weight in model.parameters():
                if weight.grad is not None:
                    weight.grad.mul_(many / asked)
        total += add_penalties(model)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(i // many) * group["scale"]
        if TRAINING["clip"] > 0:
            clip_gradients(model)
        optimizer.step()
        constrain(model)
        optimizer.zero_grad()
        yield total
        total, asked = 0.0, 0
