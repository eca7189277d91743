# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    w, x = weights(case), case.tensors["input.x.0"]

    def gate(name):
        heads = x.unflatten(-1, (case.facts["params"]["num_heads"], -1))
        return torch.sigmoid((torch.einsum("tbhi,hij->tbhj", heads, w[name + ".w"]) + w[name + ".b"]).flatten(-2))

    a = torch.exp(-F.softplus(w["a_param"])) ** (8 * shown["r"])
    h = shown["a"] * before(shown["h"], initial(case)) + torch.sqrt(1 - shown["a"] ** 2) * shown["i"] * x
    return {"a": a, "r": gate("a_gate"), "i": gate("input_gate"), "h": h}, h
