# SPDX-License-Identifier: GPL-3.0-or-later
from shared.delta_rule import DeltaRule


class GatedDeltaNet(DeltaRule):
    """S_t = a_t S_{t-1} + k_t r_t^T        r_t = beta_t (v_t - a_t S_{t-1}^T k_t)
    y_t = W_o (rms_norm(S_t^T q_t / sqrt(n)) * silu(W_g x_t))        a_t = exp(-exp(A_log) softplus(W_a x_t + dt_bias))

    Head by head, the norm too. q, k and v are silu(conv(W x)), q and k then of length 1; beta = sigmoid(W_b x), twice that with
    negative eigenvalues."""

    def __init__(self, input_size, units=128, num_heads=4, negative_eigenvalues=False, use_short_conv=True, kernel_size=4,
                 masked_output="zero"):
        super().__init__(input_size, units, num_heads, negative_eigenvalues, use_short_conv, kernel_size, masked_output,
                         forgets=True, gated=True)
