# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.Conv1d has weight [out, in, k] with the oldest step first; ours is [out, k in], the newest step first. Depthwise, groups = in, its
weight is [out, 1, k] and ours [out, k]."""

from unroll_weights import plain


def taken(given):
    weight = given.weights["weight"]
    width, read, kernel = weight.shape
    for name, default, wanted in (("width", 128, width), ("kernel_size", 4, kernel), ("bias", True, "bias" in given.weights)):
        given.demand(name, default, wanted, f"the Conv1d has {name}")
    if read > 1:
        given.demand("depthwise", False, False, f"the Conv1d reads {read} features for each output, so that it has depthwise")
    given.notes.append("the file has neither dilation nor padding; the node's dilation is used, and zeros stand before the first step")
    yield "weight", "weight", weight.flip(2).transpose(1, 2).reshape(width, -1), "the newest step first"
    if "bias" in given.weights:
        yield "bias", "bias", given.weights["bias"], ""


SOURCES = ({"source": "torch.nn.Conv1d", "names": plain.NAMES, "fits": plain.has_dimensions(3), "taken": taken},)
