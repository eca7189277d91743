# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mappings from Keras share. A layer of Keras multiplies from the left, so that its matrices are ours transposed."""

import torch

CELL = r"((forward|backward)_layer\.)?cell\.vars\.[0-2]"
TERNARY = r"vars\.(kernel_encoded|kernel_shape|kernel_scale|bias)|_activation_norm\.vars\.0"
ZEROS = "zeros: Keras has one bias for both"
ELEMENTWISE = ("tanh", "sigmoid", "relu", "silu", "gelu", "softplus", "softsign", "identity", "elu", "celu", "exponential", "selu", "leaky_relu", "relu6", "mish", "log_sigmoid",
               "hard_sigmoid", "hard_silu", "hard_tanh", "hard_shrink", "soft_shrink", "tanh_shrink", "squareplus", "sparse_plus", "sparse_sigmoid")
# Where a shrink is 0, a cell stays shut; exponential overflows in a loop.
RECURRENT = tuple(name for name in ELEMENTWISE if name not in ("hard_shrink", "soft_shrink", "exponential"))
GATES = ("sigmoid", "hard_sigmoid", "sparse_sigmoid")
BOUNDED = (*GATES, "tanh", "softsign", "hard_tanh")


def gates_of(own):
    """How many gates a cell of Keras has: columns of its recurrent matrix over its rows; 0 where it is no such cell."""
    matrices = [tensor for name, tensor in own.items() if name.endswith("cell.vars.1") and tensor.dim() == 2]
    return matrices[0].shape[1] // matrices[0].shape[0] if matrices else 0


def settings_of(given, notes):
    """The settings of the recurrent layer itself, out of Bidirectional or RNN; {} where the file has none, which is noted."""
    if given.layer is None:
        given.notes.append(f"the file has no settings of the layer; the node's are used: {notes}")
        return {}
    name, settings = given.layer
    if name == "Bidirectional":
        if settings.get("merge_mode") != "concat":
            raise ValueError(f"Bidirectional joins its outputs by {settings.get('merge_mode')}; the block has them side by side (concat)")
        name, settings = settings["layer"]["class_name"], settings["layer"]["config"]
    if name == "RNN":
        settings = {**settings, **settings["cell"]["config"]}
    if settings.get("go_backwards"):
        raise ValueError("the layer reads backwards (go_backwards), which the block alone does not; put Reverse before and after it")
    return settings


def function_name(value):
    """Of an activation, that Keras writes as a word or as an object."""
    if isinstance(value, dict):
        value = value.get("config", {}).get("name") or value.get("class_name")
    return {"linear": "identity", None: "identity", "swish": "silu", "hard_swish": "hard_silu"}.get(value, value)


def same_function(given, settings, theirs, ours, default, known):
    """Refuses a layer whose function is another than the node's."""
    if theirs not in settings:
        return
    name = function_name(settings[theirs])
    if name not in known:
        raise ValueError(f"the layer has {theirs} {name}, which the block has not; it has {', '.join(known)}")
    if ours and {name, given.param(ours, default)} != {"elu", "celu"}:  # one function
        given.demand(ours, default, name, f"the layer has {theirs}")


def cells_of(given, layer):
    """(suffix of our names, prefix of theirs, kernel, recurrent kernel, bias or None) of each direction."""
    own, both = given.weights, any(name.startswith("forward_layer.") for name in given.weights)
    given.demand("bidirectional", False, both, "the layer has bidirectional")
    given.demand("num_layers", 1, 1, "a layer of Keras has num_layers")
    for suffix, before in (("_l0", "forward_layer.cell.vars."), ("_l0_reverse", "backward_layer.cell.vars.")) if both else (("_l0", "cell.vars."),):
        if before + "0" not in own or before + "1" not in own:
            raise ValueError(f"{before}0 and {before}1 are expected: the two matrices of {layer}")
        kernel, recurrent, bias = own[before + "0"], own[before + "1"], own.get(before + "2")
        given.demand("bias", True, bias is not None, "the layer has use_bias")
        yield suffix, before, kernel, recurrent, bias


def sized(given, recurrent, gates, name, layer):
    """The width of the state."""
    units = recurrent.shape[0]
    if recurrent.dim() != 2 or recurrent.shape[1] != gates * units:
        raise ValueError(f"{name} is {list(recurrent.shape)}, expected {gates} times as many columns as rows: this is no {layer}")
    given.demand("units", 128, units, "the layer has units")
    return units


def as_in_torch(given, layer, gates):
    """Of a layer whose gates stand in the order of torch.nn's, with one bias where that has two."""
    for suffix, theirs, kernel, recurrent, bias in cells_of(given, layer):
        sized(given, recurrent, gates, theirs + "1", layer)
        yield "weight_ih" + suffix, theirs + "0", kernel.t(), "transposed"
        yield "weight_hh" + suffix, theirs + "1", recurrent.t(), "transposed"
        if bias is not None:
            yield "bias_ih" + suffix, theirs + "2", bias, ""
            yield "bias_hh" + suffix, theirs + "2", torch.zeros_like(bias), ZEROS


def rows_in_order(matrix, units, order):
    """Gates of a transposed matrix, or of a bias, in our order."""
    rows = matrix.t() if matrix.dim() == 2 else matrix
    return torch.cat([rows[gate * units : (gate + 1) * units] for gate in order])


def ternary_codes(encoded, shape):
    """The elements -1, 0, 1 of a matrix that Keras-MML has packed: a prefix code, 0 for the commonest element, 10 and 11 for the others. At its
    beginning stand the two commonest, each as 0 for 0, 10 for 1 and 11 for -1."""
    bits = iter("".join(f"{byte:08b}" for byte in encoded.tolist()))

    def next_code():
        return 0 if next(bits) == "0" else 1 if next(bits) == "0" else 2

    try:
        elements = [(0, 1, -1)[next_code()] for _ in range(2)]
        elements.append(next(each for each in (0, 1, -1) if each not in elements))
        count = shape[0] * shape[1]
        return torch.tensor([elements[next_code()] for _ in range(count)], dtype=torch.float64).view(shape)
    except (StopIteration, RuntimeError):
        raise ValueError(f"its ternary code ends before its {shape[0]} x {shape[1]} elements") from None


def ternary_weight(own, before):
    """The weight of a DenseMML, which the file has rounded: codes q and the reciprocal of their scale a. Ours keeps what is not rounded and makes
    a = mean |W| and q = round(W / a) of it. So W = a q / (share of q that are not 0), which gives the same a and q."""
    try:
        encoded, scale = own[before + "kernel_encoded"], float(own[before + "kernel_scale"])
        shape = [int(size) for size in own[before + "kernel_shape"]]
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is missing: this is not a DenseMML saved by Keras-MML") from None
    if len(shape) != 2 or scale <= 0:
        raise ValueError(f"{before}: expected a matrix and a positive scale, found sizes {shape} and {scale:g}")
    codes = ternary_codes(encoded, shape)
    share = (codes != 0).double().mean().clamp(min=1e-12)
    return (codes.t() / (scale * share)).float()


def gain_row(own, name):
    """The gain of a norm: a layer that stands alone has one for every step, ours one for all."""
    gain = own[name]
    if gain.dim() > 1:
        rows = gain.reshape(-1, gain.shape[-1])
        if not torch.equal(rows, rows[:1].expand_as(rows)):
            raise ValueError(f"{name} is {list(gain.shape)}: a gain of its own for every step, and the block has one for all steps")
        gain = rows[0]
    return gain


def ternary_layer(own, before, names, use_bias):
    """Lines of a DenseMML; `names`: ours of gain, weight and bias."""
    gain, weight, bias = names
    yield gain, f"{before}_activation_norm.vars.0", gain_row(own, f"{before}_activation_norm.vars.0"), ""
    yield weight, f"{before}vars.kernel_encoded", ternary_weight(own, f"{before}vars."), "unpacked, transposed; what it was before rounding is not in the file"
    yield from bias_line(own, f"{before}vars.bias", bias, use_bias)


def dense_layer(own, before, names, use_bias):
    """Lines of a Dense; `names`: ours of weight and bias."""
    weight, bias = names
    yield weight, f"{before}vars.0", own[f"{before}vars.0"].t(), "transposed"
    yield from bias_line(own, f"{before}vars.1", bias, use_bias)


def bias_line(own, theirs, ours, use_bias):
    if theirs in own:
        yield ours, theirs, own[theirs], ""
    elif use_bias:
        raise ValueError(f"{theirs} is missing, and the node has use_bias = true")
