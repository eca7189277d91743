# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    p, w = case.facts["params"], weights(case)
    h, c, n, m = (before(shown[name], initial(case, part)) for part, name in enumerate("hcnm"))
    recurrent = torch.einsum("tbhi,hgi->tbhg", h.unflatten(2, (p["num_heads"], -1)), w["recurrent_kernel"])
    recurrent = recurrent.unflatten(3, (4, -1)).transpose(2, 3).flatten(2)
    i, f, z, o = (F.linear(case.tensors["input.x.0"], w["weight"], w["bias"]) + recurrent).chunk(4, dim=2)
    n = n.abs()
    kept = (F.logsigmoid(f) if p["forget_gate"] == "sigmoid" else f) + m
    signals = {"m": torch.where(n == 0, i, torch.maximum(kept, i)), "i": torch.exp(i - shown["m"]),
               "f": torch.exp(kept - shown["m"]).clamp(max=1), "z": torch.tanh(z), "o": torch.sigmoid(o)}
    signals["c"] = shown["f"] * c + shown["i"] * shown["z"]
    signals["n"] = shown["f"] * n + shown["i"]
    signals["h"] = shown["o"] * shown["c"] / shown["n"]
    return signals, signals["h"]
