# SPDX-License-Identifier: GPL-3.0-or-later
"""What one chunk of the golden values gives to Model.forward."""


def golden_inputs(model, golden, chunk):
    """What Model.forward takes; numbers in the type of the weights."""
    given, dtype = [golden.get(f"{chunk}.{name}") for name in ("model_input", "targets", "mask")], next(model.parameters()).dtype
    return [tensor.to(dtype) if tensor is not None and tensor.is_floating_point() else tensor for tensor in given]
