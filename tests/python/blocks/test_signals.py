# SPDX-License-Identifier: GPL-3.0-or-later
"""What the blocks show: the values of every signal, worked out from weights, inputs and the other signals. Evaluation, unmasked, in
double to 1e-12. A block may bring its own: nodes/<block>/signals.py has made(case, shown), which gives the signals by name, and the output or None."""

import pytest
import torch
import torch.nn.functional as F

from block_dumps import before, block_names, initial, signals_module, ternary_input, weights
from shared.activations import element_function
from stacked_signals import stacked


def signals(case):
    return {n.removeprefix("signal."): t for n, t in case.tensors.items() if n.startswith("signal.")}


def rnn_cell(p, walk):
    return {"h": (torch.tanh if p["nonlinearity"] == "tanh" else torch.relu)(walk.from_input + walk.from_state)}


def lstm_cell(p, walk):
    activation, sigma = element_function(p["activation"]), element_function(p["gate_activation"])
    i, f, g, o = (walk.from_input + walk.from_state).chunk(4, dim=2)
    if p["peepholes"]:
        p_i, p_f, p_o = weights(walk.case)["peephole" + walk.place].chunk(3)
        i, f, o = i + p_i * walk.before("c", 1), f + p_f * walk.before("c", 1), o + p_o * walk.shown("c")
    c = walk.shown("f") * walk.before("c", 1) + walk.shown("i") * walk.shown("g")
    h = walk.shown("o") * activation(walk.shown("c"))
    return {"i": sigma(i), "f": sigma(f), "g": activation(g), "o": sigma(o), "c": c, "h": h}


def gru_cell(p, walk):
    (ar, az, an), (br, bz, bn) = walk.from_input.chunk(3, dim=2), walk.from_state.chunk(3, dim=2)
    tau, sigma = element_function(p["activation"]), element_function(p["gate_activation"])
    if p["convention"] == "reset_after":
        n = tau(an + walk.shown("r") * bn)
    else:
        reset = walk.shown("r") * walk.before("h")
        n = tau(an + F.linear(reset, walk.weight_hh.chunk(3)[2], walk.bias_hh.chunk(3)[2]))
    keep = 1 - walk.shown("z") if p["convention"] == "reset_before_inverted_z" else walk.shown("z")
    h = (1 - keep) * walk.shown("n") + keep * walk.before("h")
    return {"r": sigma(ar + br), "z": sigma(az + bz), "n": n, "h": h}


def rnn(case, shown):
    return stacked(case, shown, rnn_cell)


def lstm(case, shown):
    return stacked(case, shown, lstm_cell)


def gru(case, shown):
    return stacked(case, shown, gru_cell)


def grumml(case, shown):
    module, x = case.module(), case.tensors["input.x.0"]
    a_f, a_c, a_g = module.gates(x)
    table = next(iter(case.values("input", "table")), module.lower_bound)
    h = shown["f"] * before(shown["h"], initial(case)) + (1 - shown["f"]) * shown["c"]
    g, u = module.gate(a_g), shown["g"] * shown["h"]
    if module.variant == "mmfreelm":
        g = torch.sigmoid(shown["h"])
        u = u * F.rms_norm(a_g, a_g.shape[-1:], module.gate_norm, eps=1e-6)
    made = {"f": module.forget_gate(a_f, table), "c": module.activation(a_c), "g": g, "h": h, "q": torch.round(ternary_input(case))}
    return made, module.dense("o", u)


def dense_mml(case, shown):
    return {"y": case.tensors["output.y.0"], "q": torch.round(ternary_input(case))}, None


def linear_recurrence(case, shown, layer):
    """h in pairs of real and imaginary part; what it gives is read off it. `layer(name, x)` is one of B, C and D."""
    w, x = weights(case), case.tensors["input.x.0"]
    h = torch.view_as_complex(shown["h"].unflatten(-1, (-1, 2)).contiguous())
    decay = torch.exp(w["nu_log"])
    lam = torch.polar(torch.exp(-decay), torch.exp(w["theta_log"]))
    gamma = torch.exp(w["gamma_log"]) if "gamma_log" in w else torch.sqrt(1 - lam.abs() ** 2)
    given = initial(case)
    first = None if given is None else torch.complex(given, initial(case, 1))
    new = lam * before(h, first) + gamma * torch.complex(layer("B_re", x), layer("B_im", x))
    y = layer("C_re", h.real) - layer("C_im", h.imag)
    if "D" in w:
        y = y + (w["D"] * x if w["D"].dim() == 1 else layer("D", x))
    return {"h": torch.view_as_real(new).flatten(-2)}, y


def lru(case, shown):
    return linear_recurrence(case, shown, lambda name, x: F.linear(x, weights(case)[name]))


def lrumml(case, shown):
    made, y = linear_recurrence(case, shown, case.module().layer)
    return made | {"q": torch.round(ternary_input(case))}, y


def taken(p, given, shown, q, k, v, product=lambda query, key, distance: (query * key).sum(-1)):
    """Weights one by one, and what steps take by those that were shown: q, k, v [T, B, heads, n], `given` the memory before them."""
    T, B, heads, n = q.shape
    slots, width = p["window"] - 1, heads * n  # of the keys
    made, rows = torch.zeros_like(shown["weights"]).view(T, B, heads, -1), torch.zeros_like(v)
    for b in range(B):
        there = [] if given is None else [(j - slots, row[:width].view(heads, -1), row[width:-1].view(heads, -1), row[-1] > 0)
                                          for j, row in enumerate(given[b].view(slots, -1))]
        there += [(t, k[t, b], v[t, b], True) for t in range(T)]
        values = torch.stack([value for _, _, value, _ in there])
        for t in range(T):
            scores = torch.stack([product(q[t, b], key, t - j) if real and 0 <= t - j <= slots else torch.full((heads,), -torch.inf).double()
                                  for j, key, _, real in there], dim=-1)
            # Before them a single first step shows empty keys.
            made[t, b, :, -len(there) :] = torch.softmax(scores / n**0.5, dim=-1)
            rows[t, b] = torch.einsum("hj,jhn->hn", shown["weights"][t, b].view(heads, -1)[:, -len(there) :], values)
    return made.flatten(2), rows.flatten(-2)


def taken_of_all(shown, heads, q, k, v):
    """Likewise where each step sees all, [T, B, width]."""
    q, k, v = (part.unflatten(-1, (heads, -1)) for part in (q, k, v))
    scores = torch.stack([(q * key).sum(-1) for key in k], dim=-1) / q.shape[-1] ** 0.5
    rows = torch.stack([(weights.unsqueeze(-1) * v.permute(1, 2, 0, 3)).sum(2) for weights in shown["weights"].unflatten(-1, (heads, -1))])
    return torch.softmax(scores, dim=-1).flatten(2), rows.flatten(2)


def attention(case, shown):
    """RoPE in complex numbers; what comes out is made of the weights that were shown."""
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    T, B, width = x.shape
    heads, given = p["num_heads"], initial(case)
    if p["positions"] == "learned":
        past = x.new_zeros(B, 1, 1) if given is None else given.view(B, p["window"] - 1, -1)
        x = x + w["position.weight"][past[:, :, -1].amax(1).clamp(min=0).long() + torch.arange(T).unsqueeze(1)]
    keys, values = case.module().sizes
    qkv = (F.linear(x, w["in_proj_weight"], w.get("in_proj_bias")) if p["projections"] else x).split([keys, keys, values], dim=-1)
    q, k, v = (part.unflatten(-1, (heads, -1)) for part in qkv)
    half = q.shape[-1] // 2

    def product(query, key, distance):
        if p["positions"] == "relative":
            angle = distance * 10000.0 ** (-torch.arange(width // 2).double() / (width // 2))
            r = (w["relative.weight"] @ torch.cat([angle.sin(), angle.cos()])).view(heads, -1)
            u, v = w["content_bias"].view(heads, -1), w["position_bias"].view(heads, -1)
            return ((query + u) * key + (query + v) * r).sum(-1)
        if p["positions"] not in ("rope", "xpos"):
            return (query * key).sum(-1)
        pairs = torch.arange(half).double() / half
        turned = torch.exp(1j * distance * p["rope_base"] ** -pairs)
        if p["positions"] == "xpos":
            turned = turned * ((pairs + 0.4) / 1.4) ** (distance / p["xpos_scale"])
        query, key = torch.complex(query[..., :half], query[..., half:]), torch.complex(key[..., :half], key[..., half:])
        return (query * key.conj() * turned).real.sum(-1)

    made, rows = taken(p, given, shown, q, k, v, product)
    return {"weights": made}, F.linear(rows, w["out_proj.weight"], w.get("out_proj.bias")) if p["projections"] else rows


def mru(case, shown):
    """H is the one before it times M."""
    module, x = case.module(), case.tensors["input.x.0"]
    heads, n = module.heads, module.n
    H, M = shown["H"], module.matrices(x)
    given, eye = initial(case), torch.eye(n, dtype=torch.float64)
    first = eye.expand(H.shape[1:]) if given is None else eye + given.unflatten(-1, (heads, n, n))
    made = before(H, first) @ shown["M"]
    norm = H.square().sum((-2, -1)).sqrt() / n**0.5
    down = module.state_matrices_down * (heads * module.state_matrices_down.shape[-1] if module.maker == "old" else 1)
    y = F.linear((H @ down).flatten(2), module.mru_out)
    return {"H": made, "M": M, "log_norm": norm.log10()}, y


def normed(case, layer, x):
    w = weights(case)
    return F.layer_norm(x, x.shape[-1:], w[layer + ".weight"], w[layer + ".bias"])


def sru_made(case, shown, u, x, first):
    """f, r and c, and h before a norm. u [T, B, dirs, k, units]."""
    p, w, (dirs, units) = case.facts["params"], weights(case), (u.shape[2], u.shape[4])
    c = shown["c"].unflatten(-1, (dirs, units))
    first = None if first is None else first.unflatten(-1, (dirs, units))
    c_before = torch.empty_like(c)
    for d in range(dirs):
        one, start = c[:, :, d], None if first is None else first[:, d]
        c_before[:, :, d] = before(one, start) if d == 0 else before(one.flip(0), start).flip(0)
    v, b = w["weight_c"].view(2, dirs, units), w["bias"].view(2, dirs, units)
    f = torch.sigmoid(u[..., 1, :] + v[0] * c_before + b[0])
    r = torch.sigmoid(u[..., 2, :] + v[1] * c_before + b[1])
    made = f * c_before + (1 - f) * u[..., 0, :]
    if not p.get("has_skip_term", True):
        skip = torch.zeros_like(c)
    elif u.shape[-2] == 4:
        skip = u[..., 3, :]
    else:
        scale = (1 + 2 * torch.tensor(p["highway_bias"], dtype=torch.float64).exp()).sqrt() if p["rescale"] else 1.0
        skip = (x * scale).unflatten(-1, (dirs, units))
    y = (r * ((torch.tanh(c) if p.get("activation") == "tanh" else c) - skip) + skip).flatten(-2)
    if p["layer_norm"] and p["normalize_after"]:
        y = normed(case, "layer_norm", y)
    return {"f": f.flatten(-2), "r": r.flatten(-2), "c": made.flatten(-2)}, y


def sru_input(case):
    x, p = case.tensors["input.x.0"], case.facts["params"]
    return normed(case, "layer_norm", x) if p["layer_norm"] and not p["normalize_after"] else x


def sru(case, shown):
    p, w, z = case.facts["params"], weights(case), sru_input(case)
    if "weight_proj" in w:
        z = F.linear(z, w["weight_proj"])
    u = (F.linear(z, w["weight"]) if p["projections"] else z).unflatten(-1, (2 if p["bidirectional"] else 1, -1, p["units"]))
    return sru_made(case, shown, u, case.tensors["input.x.0"], initial(case))


def srupp(case, shown):
    """Of several layers each from what it was shown of it, by a case of its own."""
    p = case.facts["params"]
    if p["num_layers"] == 1:
        return srupp_layer(case, shown)
    module, x, given, made, seen = case.module(), case.tensors["input.x.0"], initial(case), [], 0
    attend = [layer.linear2 is not None for layer in module.layers]
    for i, layer in enumerate(module.layers):
        mine, of_state, keys = slice(i * layer.out, (i + 1) * layer.out), layer.state_width(), shown["weights"].shape[-1] // max(sum(attend), 1)
        of_layer = {name: shown[name][..., mine] for name in "cfr"}
        of_layer["weights"] = shown["weights"][..., seen : seen + keys] if attend[i] else torch.eye(len(x)).unsqueeze(1).repeat(1, x.shape[1], p["num_heads"])
        seen += keys if attend[i] else 0
        start = None if given is None else given[:, :of_state]
        given = None if given is None else given[:, of_state:]
        made.append(srupp_layer(LayerCase(case, i, x, start, attend[i]), of_layer))
        x = layer(x, None if start is None else (start,))[0].detach()
    gates = {name: torch.cat([signals[name] for signals, _ in made], dim=-1) for name in "cfr"}
    attending = [signals["weights"] for (signals, _), one in zip(made, attend) if one] or [made[0][0]["weights"]]
    return {**gates, "weights": torch.cat(attending, dim=-1)}, made[-1][1]


class LayerCase:
    """One layer of a stack as a case of one layer."""

    def __init__(self, case, index, x, start, attends):
        prefix = f"weight.layers.{index}."
        self.tensors = {"weight." + n.removeprefix(prefix): t for n, t in case.tensors.items() if n.startswith(prefix)} | {"input.x.0": x}
        self.facts = {"params": case.facts["params"] | {"num_layers": 1, "attention": case.facts["params"]["attention"] if attends else "none"}}
        self.start = start

    def values(self, kind, port):
        return [] if self.start is None else [self.start]


def srupp_layer(case, shown):
    p, w, given = case.facts["params"], weights(case), initial(case)
    z = F.linear(sru_input(case), w["linear1.weight"])
    T, heads, out = len(z), p["num_heads"], p["units"] * (2 if p["bidirectional"] else 1)
    first, memory = (None, None) if given is None else (given[:, :out], given[:, out:])
    attends, norms = p["attention"] != "none", p["attn_layer_norm"]
    before = attends and norms and not p["attn_normalize_after"]
    if attends:
        q = normed(case, "attn_layer_norm", z) if before else z
        k, v = F.linear(q, w["linear2.weight"]).chunk(2, dim=-1)
        made, rows = (taken_of_all(shown, heads, q, k, v) if p["attention"] == "full"
                      else taken(p, memory, shown, *(part.unflatten(-1, (heads, -1)) for part in (q, k, v))))
        z = z + w["alpha"] * rows
    else:
        made = torch.eye(T, dtype=z.dtype).unsqueeze(1).repeat(1, z.shape[1], heads)
    if norms and not before:
        z = normed(case, "attn_layer_norm", z)
    u = F.linear(z, w["linear3.weight"]).unflatten(-1, (2 if p["bidirectional"] else 1, -1, p["units"]))
    gates, y = sru_made(case, shown, u, case.tensors["input.x.0"], first)
    return {**gates, "weights": made}, y


def mingru(case, shown):
    p, w = case.facts["params"], weights(case)
    hidden, gate = F.linear(case.tensors["input.x.0"], w["to_hidden_and_gate.weight"], w.get("to_hidden_and_gate.bias")).chunk(2, dim=-1)
    c = {"g": case.dump.module.min_gru_g, "identity": lambda a: a, "tanh": torch.tanh}[p["activation"]](hidden)
    h = (1 - shown["z"]) * before(shown["h"], initial(case)) + shown["z"] * shown["c"]
    return {"z": torch.sigmoid(gate), "c": c, "h": h}, h


def qrnn(case, shown):
    p, w, x = case.facts["params"], weights(case), case.tensors["input.x.0"]
    given, units = initial(case), p["units"]
    first, *last = (None,) * p["window"] if given is None else given.split([units] + [x.shape[2]] * (p["window"] - 1), dim=1)
    windows = [x]
    for start in reversed(last):
        windows.append(before(windows[-1], start))
    z, f, *o = F.linear(torch.cat(windows, dim=2), w["linear.weight"], w["linear.bias"]).split(units, dim=2)
    keep = torch.sigmoid(f if p["convention"] == "paper" else -f)
    keep = p["zoneout"] + (1 - p["zoneout"]) * keep
    o = torch.sigmoid(o[0]) if o else torch.ones_like(z)
    shown_keep = shown["f"] if p["convention"] == "paper" else 1 - shown["f"]
    c = shown_keep * before(shown["c"], first) + (1 - shown_keep) * shown["z"]
    return {"z": torch.tanh(z), "f": keep if p["convention"] == "paper" else 1 - keep, "o": o, "c": c}, shown["o"] * shown["c"]


def head(case, shown):
    return {"probability": torch.softmax(case.tensors["output.logits.0"], dim=-1)}, None


def mse(case, shown):
    return {"prediction": case.tensors["output.prediction.0"]}, None


def bce(case, shown):
    return {"probability": torch.sigmoid(case.tensors["output.logits.0"])}, None


def pool(case, shown):
    """Over the steps up to each; over all of them it is the output."""
    x, kind = case.tensors["input.x.0"], case.facts["params"]["kind"]
    counts = torch.arange(1, len(x) + 1, dtype=x.dtype).view(-1, 1, 1)
    running = {"max": x.cummax(0).values, "mean": x.cumsum(0) / counts, "last": x, "first": x[:1].expand_as(x)}[kind]
    assert torch.equal(shown["running"][-1], case.tensors["output.y.0"]) or kind == "mean"
    return {"running": running}, None


def maker(block):
    """What works out its signals."""
    own = signals_module(block)
    return own.made if own else MADE_BY.get(block, output_alone)


def output_alone(case, shown):
    return {"y": case.tensors["output.y.0"]}, None


MADE_BY = {"attention": attention, "rnn": rnn, "lstm": lstm, "gru": gru, "grumml": grumml, "sru": sru, "srupp": srupp, "lru": lru, "mingru": mingru,
           "qrnn": qrnn, "pool": pool, "head": head, "mse": mse, "bce": bce, "dense_mml": dense_mml,
           "lrumml": lrumml, "mru": mru}


@pytest.mark.parametrize("block", block_names())
def test_values(blocks, block):
    cases = [c for c in blocks[block].cases
             if c.facts["double"] and not c.facts["training"] and not c.values("input", "mask")]
    assert cases
    for case in cases:
        shown = signals(case)
        with torch.no_grad():
            made, y = maker(block)(case, shown)
        assert made.keys() == shown.keys(), case.text
        pairs = [(name, made[name], shown[name]) for name in made]
        if y is not None:
            pairs.append(("y", y, case.tensors["output.y.0"]))
        for name, value, want in pairs:
            scale = max(1.0, want.abs().max().item())
            assert value.shape == want.shape and (value - want).abs().max() <= 1e-12 * scale, f"{case.text}: {name}"
