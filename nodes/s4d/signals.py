# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from block_dumps import before, initial, weights


def made(case, shown):
    """Each mode of each feature by the formulas of continuous time; y as a sum over conjugate pairs."""
    w, x = weights(case), case.tensors["input.x.0"]
    h = torch.view_as_complex(shown["h"].unflatten(-1, (-1, 2)).contiguous())
    z, dt = torch.complex(-torch.exp(w["kernel.log_A_real"]), w["kernel.A_imag"]), torch.exp(w["kernel.log_dt"]).unsqueeze(-1)
    if case.facts["params"]["discretization"] == "zoh":
        lam, gamma = torch.exp(z * dt), (torch.exp(z * dt) - 1) / z
    else:
        lam, gamma = (1 + z * dt / 2) / (1 - z * dt / 2), dt / (1 - z * dt / 2)
    first = None if initial(case) is None else torch.complex(initial(case), initial(case, 1))
    new = lam.flatten() * before(h, first) + (gamma * x.unsqueeze(-1)).flatten(-2)
    pairs = torch.view_as_complex(w["kernel.C"]) * h.unflatten(-1, lam.shape)
    return {"h": torch.view_as_real(new).flatten(-2)}, (pairs + pairs.conj()).sum(-1).real + w["D"] * x
