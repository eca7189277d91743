# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from block_dumps import before, initial


def made(case, shown):
    module, x, mode = case.module(), case.tensors["input.x.0"], case.facts["params"]["mode"]
    dt = next(iter(case.values("input", "dt")), torch.ones((), dtype=x.dtype))
    z = module.backbone(torch.cat([x, before(shown["h"], initial(case))], dim=2))
    u, v, g = shown["u"], shown["v"], shown["g"]
    if mode == "pure":
        drift = module.ff1(z)
        h = v * (1 - g * u)
        return {"u": drift, "v": module.A.expand_as(x.new_empty(*drift.shape)), "g": torch.exp(-dt * (module.w_tau.abs() + u.abs())), "h": h}, h
    gate = torch.sigmoid(module.time_a(z) * dt + module.time_b(z))
    h = u + g * v if mode == "no_gate" else u + g * (v - u)
    return {"u": torch.tanh(module.ff1(z)), "v": torch.tanh(module.ff2(z)), "g": gate, "h": h}, h
