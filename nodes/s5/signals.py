# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from block_dumps import before, initial, weights


def made(case, shown):
    """Each mode by the formulas of continuous time; y as a sum over conjugate pairs."""
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    h = torch.view_as_complex(shown["h"].unflatten(-1, (-1, 2)).contiguous())
    re = w["Lambda_re"].clamp(max=-1e-4) if p["clip_eigs"] else w["Lambda_re"]
    z, dt = torch.complex(re, w["Lambda_im"]), torch.exp(w["log_step"])
    if p["discretization"] == "zoh":
        lam, gamma = torch.exp(z * dt), (torch.exp(z * dt) - 1) / z
    else:
        lam, gamma = (1 + z * dt / 2) / (1 - z * dt / 2), dt / (1 - z * dt / 2)
    B, C = torch.view_as_complex(w["B"]), torch.view_as_complex(w["C"])
    first = None if initial(case) is None else torch.complex(initial(case), initial(case, 1))
    new = lam * before(h, first) + torch.einsum("tbi,ni->tbn", x + 0j, gamma.unsqueeze(-1) * B)
    y = torch.einsum("tbn,on->tbo", h, C)
    if p["conj_sym"]:
        y = y + torch.einsum("tbn,on->tbo", h.conj(), C.conj())
    return {"h": torch.view_as_real(new).flatten(-2)}, y.real + w["D"] * x
