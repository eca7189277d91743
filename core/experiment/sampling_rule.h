// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace unroll {

/// How a token is drawn from a model's scores, and when a sample ends. The filters act one after the other:
/// temperature, topK, topP, each on the chances that the one before has left; what is left adds up to 1 again.
struct SamplingRule {
    double temperature = 0.8; ///< 0: the likeliest token each time
    std::int64_t topK = 0;    ///< so many of the likeliest tokens are left; 0: all
    double topP = 1;          ///< the fewest of the likeliest tokens whose chances add up to it are left; 1: all
    std::string stop;         ///< text with which a sample ends, once it was written; empty: none

    bool operator==(const SamplingRule&) const = default;
};

} // namespace unroll
