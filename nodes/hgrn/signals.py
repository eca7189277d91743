# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    module, x, w, p = case.module(), case.tensors["input.x.0"], weights(case), case.facts["params"]
    bound = 0.0
    if p["layer"] > 0:
        shares = torch.softmax(w["lower_bounds"], dim=0)
        bound = shares.cumsum(dim=0)[p["layer"]] - shares[0]
    i = F.silu(module.i_proj(x))
    signals = {"f": bound + (1 - bound) * torch.sigmoid(module.f_proj(x)), "g": F.silu(module.g_proj(x))}
    f, old = shown["f"], before(shown["h"], initial(case))
    if p["convention"] == "hgru":
        signals["i"] = torch.cat([i[..., 0::2], i[..., 1::2]], dim=-1)
        enters = torch.complex(*shown["i"].chunk(2, dim=-1))
        h = f * torch.exp(1j * w["theta"]) * torch.complex(*old.chunk(2, dim=-1)) + (1 - f) * enters
        signals["h"] = torch.cat([h.real, h.imag], dim=-1)
    else:
        signals |= {"i": i, "h": f * old + (1 - f) * shown["i"]}
    return signals, module.o_proj(module.g_norm(shown["h"]) * shown["g"])
