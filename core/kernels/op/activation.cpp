// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/activation.h"

#include <c10/util/Exception.h>

#include <string>

namespace unroll::kernels {

std::string_view activationName(Activation activation)
{
    switch (activation) {
    case Activation::Identity: return "identity";
    case Activation::Tanh: return "tanh";
    case Activation::Silu: return "silu";
    case Activation::Positive: break;
    }
    return "positive";
}

Activation activationNamed(const char* op, const char* argument, std::string_view word,
                           std::initializer_list<Activation> allowed)
{
    std::string words;
    for (Activation activation : allowed) {
        if (word == activationName(activation))
            return activation;
        words += words.empty() ? "" : ", ";
        words += activationName(activation);
    }
    TORCH_CHECK(false, op, ": ", argument, " is \"", word, "\", expected one of ", words);
}

} // namespace unroll::kernels
