// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string_view>

namespace unroll::kernels {

enum class Activation {
    Identity,
    Tanh,
    Silu,
    Positive, ///< a + 1/2 where a >= 0, sigmoid(a) elsewhere: g of minGRU (Feng et al. 2024, arXiv:2410.01201)
};

/// "identity", "tanh", "silu" or "positive".
std::string_view activationName(Activation activation);

/// The one of `allowed` that `word` names. Throws c10::Error naming op, argument and the words allowed.
Activation activationNamed(const char* op, const char* argument, std::string_view word,
                           std::initializer_list<Activation> allowed);

} // namespace unroll::kernels
