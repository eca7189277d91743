# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F

from block_dumps import before, initial, weights


def made(case, shown):
    p, w = case.facts["params"], weights(case)
    hidden, f, i = F.linear(case.tensors["input.x.0"], w["to_hidden_and_f_i_gate.weight"], w.get("to_hidden_and_f_i_gate.bias")).chunk(3, dim=-1)
    c = {"g": case.dump.module.min_lstm_g, "identity": lambda a: a, "tanh": torch.tanh}[p["activation"]](hidden)
    f, i = torch.sigmoid(f), torch.sigmoid(i)
    h = shown["f"] * before(shown["h"], initial(case)) + shown["i"] * shown["c"]
    return {"f": f / (f + i), "i": i / (f + i), "c": c, "h": h}, h
