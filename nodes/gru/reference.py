# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torch.nn.functional as F
from shared.activations import element_function
from shared.stacked_recurrence import StackedRecurrence


class GRU(StackedRecurrence):
    """r, z = sigmoid(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
    reset_after     n = tanh(W_in x_t + b_in + r (W_hn h_{t-1} + b_hn))        h_t = (1 - z) n + z h_{t-1}
    reset_before    n = tanh(W_in x_t + b_in + W_hn (r h_{t-1}) + b_hn)        h_t = (1 - z) n + z h_{t-1}
    reset_before_inverted_z    the same n                                      h_t = (1 - z) h_{t-1} + z n

    Rows in the order r z n. Other activations take the place of tanh and of sigmoid where they are set."""

    gates = 3
    bias_with_input = False

    def __init__(self, input_size, units=128, convention="reset_after", activation="tanh", gate_activation="sigmoid", num_layers=1,
                 bidirectional=False, bias=True, learned_state=False, masked_output="zero"):
        super().__init__(input_size, units, num_layers, bidirectional, bias, learned_state, masked_output)
        self.convention = convention
        self.tau, self.sigma = element_function(activation), element_function(gate_activation)

    def step(self, a, state, w_hh, b_hh):
        (h,), (a_r, a_z, a_n) = state, a.chunk(3, dim=-1)
        if self.convention == "reset_after":
            q_r, q_z, q_n = F.linear(h, w_hh, b_hh).chunk(3, dim=-1)
            r, z = self.sigma(a_r + q_r), self.sigma(a_z + q_z)
            n = self.tau(a_n + r * q_n)
        else:
            (w_r, w_z, w_n), (b_r, b_z, b_n) = w_hh.chunk(3), b_hh.chunk(3)
            r, z = self.sigma(a_r + F.linear(h, w_r, b_r)), self.sigma(a_z + F.linear(h, w_z, b_z))
            n = self.tau(a_n + F.linear(r * h, w_n, b_n))
        return ((1 - z) * h + z * n if self.convention == "reset_before_inverted_z" else (1 - z) * n + z * h,)
