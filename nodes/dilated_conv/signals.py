# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import initial, weights


def made(case, shown):
    """Each layer by torch's convolution over what was shown of the one below it, behind its part of the state."""
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    width, k, given = p["width"], p["kernel_size"], initial(case)
    below, place, layers = x, 0, []
    for layer in range(p["num_layers"]):
        dilation, read = p["growth"] ** layer, below.shape[-1]
        reach = (k - 1) * dilation
        before = x.new_zeros(reach, x.shape[1], read)
        if given is not None:
            before = given[:, place : place + reach * read].unflatten(1, (reach, read)).transpose(0, 1)
        place += reach * read
        kernel = w[f"layers.{layer}.weight"].unflatten(1, (k, read)).flip(1).transpose(1, 2)
        a = F.conv1d(torch.cat((before, below)).permute(1, 2, 0), kernel, w[f"layers.{layer}.bias"], dilation=dilation).permute(2, 0, 1)
        z = {"gated": lambda a: torch.tanh(a[..., :width]) * torch.sigmoid(a[..., width:]), "relu": F.relu, "tanh": torch.tanh}[p["activation"]](a)
        layers.append(z + below if p["residual"] and read == width else z)
        below = shown["h"][..., layer * width : (layer + 1) * width]
    return {"h": torch.cat(layers, dim=-1)}, below
