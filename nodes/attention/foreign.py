# SPDX-License-Identifier: GPL-3.0-or-later
"""torch.nn.MultiheadAttention with one width for queries, keys and values has the same names and shapes; it knows no positions."""

from unroll_weights import plain

OTHERS = ("bias_k", "bias_v", "q_proj_weight", "k_proj_weight", "v_proj_weight")


def taken(given):
    others = [name for name in OTHERS if name in given.weights]
    if others:
        raise ValueError(f"this MultiheadAttention has {', '.join(others)} (add_bias_kv, kdim or vdim), which the block has not")
    given.demand("key_size", 0, 0, "MultiheadAttention has key_size")
    given.demand("value_size", 0, 0, "MultiheadAttention has value_size")
    given.demand("projections", True, True, "MultiheadAttention has projections")
    given.demand("positions", "rope", "none", "MultiheadAttention has positions")
    given.demand("bias", True, "in_proj_bias" in given.weights, "the MultiheadAttention has bias")
    given.notes.append("the file does not have the number of heads; the node's num_heads is used, and each step sees itself and those before it")
    return plain.same(given.weights)


SOURCES = (
    {
        "source": "torch.nn.MultiheadAttention",
        "names": rf"in_proj_(weight|bias)|out_proj\.(weight|bias)|{'|'.join(OTHERS)}",
        "fits": lambda own: "out_proj.weight" in own,
        "taken": taken,
    },
)
