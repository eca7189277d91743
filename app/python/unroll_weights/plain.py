# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mappings from torch.nn's modules with one weight and one bias share: Linear, Embedding, the norms, Conv1d. Their names are the same, so
that the number of dimensions tells them apart. The running means of a batch norm are listed to tell that it is none of them."""

NAMES = r"weight|bias|running_mean|running_var|num_batches_tracked"
VOCABULARY = "row i is taken for class i of the node's data; the file does not say which class that is"


def has_dimensions(count, bias=None):
    """Whether the weight has so many, and a bias is there: True, False, None for either."""

    def fits(own):
        if "weight" not in own or own["weight"].dim() != count or "running_mean" in own:
            return False
        return (bias is None or ("bias" in own) == bias) and ("bias" not in own or own["bias"].dim() == 1)

    return fits


def same(own):
    return ((name, name, tensor, "") for name, tensor in own.items())


def of_linear(given, width=None, note=None):
    """weight [out, in] and bias [out]; `width` is the setting that says `out`, with its default."""
    given.demand("bias", True, "bias" in given.weights, "the Linear has bias")
    if width:
        given.demand(*width, len(given.weights["weight"]), f"the Linear has {width[0]}")
    if note:
        given.notes.append(note)
    return same(given.weights)


def of_read_out(note=None):
    """The linear layer of a head."""

    def taken(given):
        given.demand("readout", "linear", "linear", "a Linear is the readout")
        return of_linear(given, note=note)

    return taken


def read_out_sources(note=None):
    return ({"source": "torch.nn.Linear", "names": NAMES, "fits": has_dimensions(2), "taken": of_read_out(note)},)
