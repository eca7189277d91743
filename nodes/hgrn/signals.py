# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def of_pairs(signal):
    """A complex signal has the real and the imaginary part of a unit in turn."""
    return torch.view_as_complex(signal.unflatten(-1, (-1, 2)).contiguous())


def made(case, shown):
    module, x, w, p = case.module(), case.tensors["input.x.0"], weights(case), case.facts["params"]
    bound = 0.0
    if p["layer"] > 0:
        shares = torch.softmax(w["lower_bounds"], dim=0)
        bound = shares.cumsum(dim=0)[p["layer"]] - shares[0]
    i = F.silu(module.i_proj(x))
    signals = {"f": bound + (1 - bound) * torch.sigmoid(module.f_proj(x)), "g": F.silu(module.g_proj(x))}
    f, first = shown["f"], initial(case)
    if p["convention"] == "fla":
        old = before(shown["h"], first)
    else:  # the state has all real parts, then all imaginary ones
        old = before(of_pairs(shown["h"]), None if first is None else torch.complex(*first.chunk(2, dim=-1)))
    signals["i"] = i
    if p["convention"] == "fla":
        signals["h"] = f * old + (1 - f) * shown["i"]
        return signals, module.o_proj(module.g_norm(shown["h"]) * shown["g"])
    h = f * torch.exp(1j * w["theta"]) * old + (1 - f) * of_pairs(shown["i"])
    signals["h"] = torch.view_as_real(h).flatten(-2)
    now = of_pairs(shown["h"])
    return signals, module.o_proj(module.g_norm(torch.cat([now.real, now.imag], dim=-1)) * shown["g"])
