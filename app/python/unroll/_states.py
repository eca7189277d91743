# SPDX-License-Identifier: GPL-3.0-or-later
"""States in the shape that torch.nn gives them, for classes that take the sru package's nn_rnn_compatible_return."""

import torch


class TorchStates:
    """Stands before a cell of one layer whose state is one tensor [B, directions units]. With nn_rnn_compatible_return it is given and taken as
    [directions, B, units], by itself, without a tuple. (The package gives it so, and takes it as it is without the option.)"""

    own_options = {"nn_rnn_compatible_return": False}

    def forward(self, x, state=None, mask=None):
        if not self.nn_rnn_compatible_return:
            return super().forward(x, state, mask)
        if state is not None:
            if not isinstance(state, torch.Tensor) or state.dim() != 3 or len(state) != self.dirs or state.shape[2] != self.units:
                given = list(state.shape) if isinstance(state, torch.Tensor) else f"a {type(state).__name__}"
                self._refuse(f"state is {given}, and with nn_rnn_compatible_return the class takes [{self.dirs}, B, {self.units}]")
            state = (state.transpose(0, 1).flatten(1),)
        y, (last,) = super().forward(x, state, mask)
        return y, last.unflatten(1, (self.dirs, self.units)).transpose(0, 1).contiguous()
