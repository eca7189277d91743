# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import initial, weights


def made(case, shown):
    """The window as one slice of the inputs behind the state; what comes out is made of the hidden units that were shown."""
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    given, reach = initial(case), p["window"] - 1
    before = x.new_zeros(reach, *x.shape[1:]) if given is None else given.unflatten(1, (reach, -1)).transpose(0, 1)
    behind = torch.cat((before, x))
    read = torch.cat([behind[reach - back : reach - back + len(x)] for back in range(p["window"])], dim=-1)
    function = {"tanh": torch.tanh, "relu": F.relu, "gelu": F.gelu}[p["activation"]]
    y = F.linear(shown["h"], w["output.weight"], w["output.bias"])
    if p["direct"]:
        y = y + F.linear(read, w["direct.weight"])
    return {"h": function(F.linear(read, w["hidden.weight"], w["hidden.bias"])), "y": y}, y
