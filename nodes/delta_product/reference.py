# SPDX-License-Identifier: GPL-3.0-or-later
from shared.delta_rule import DeltaRule


class DeltaProduct(DeltaRule):
    """num_householder steps of the delta rule a token, each with a key, a value and a beta of its own:

    S <- a_t S;    S <- S + k_i r_i^T,    r_i = beta_i (v_i - S^T k_i)    for i = 1 .. num_householder
    y_t = W_o (rms_norm(S^T q_t / sqrt(n)) * silu(W_g x_t))        a_t = exp(-exp(A_log) softplus(W_a x_t + dt_bias))

    Head by head, the norm too. q, k and v are silu(conv(W x)), q and k then of length 1; beta = sigmoid(W_b x), twice that with
    negative eigenvalues. Without a forget gate a = 1."""

    def __init__(self, input_size, units=128, num_heads=4, num_householder=2, negative_eigenvalues=True, use_forget_gate=True,
                 use_short_conv=True,
                 kernel_size=4, masked_output="zero"):  # fmt: skip
        super().__init__(input_size, units, num_heads, negative_eigenvalues, use_short_conv, kernel_size, masked_output, num_householder,
                         use_forget_gate, gated=True)
