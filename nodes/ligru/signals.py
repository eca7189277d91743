# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    w, h = weights(case), before(shown["h"], initial(case))
    sums = F.linear(case.tensors["input.x.0"], w["w.weight"], w.get("w.bias"))
    if "norm.weight" in w:
        mean, variance = sums.mean(-1, keepdim=True), sums.var(-1, keepdim=True, unbiased=False)
        sums = (sums - mean) / torch.sqrt(variance + 1e-5) * w["norm.weight"] + w["norm.bias"]
    a, z = (sums + F.linear(h, w["u.weight"])).chunk(2, dim=-1)
    c = torch.tanh(a) if case.facts["params"]["nonlinearity"] == "tanh" else a.clamp(min=0)
    new = shown["z"] * h + (1 - shown["z"]) * shown["c"]
    return {"z": torch.sigmoid(z), "c": c, "h": new}, new
