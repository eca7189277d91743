// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace unroll {

/// One logged step. A metric that was not measured is absent. Names: train/loss, val/loss, val/bpc, val/ppl, val/acc,
/// final/loss, optim/lr, optim/grad_norm, perf/tokens_per_s. Losses in nats per scored token; bpc only where such a
/// token is a character or a byte of a text.
struct MetricRow {
    std::int64_t step = 0;
    std::int64_t tokens = 0; ///< seen so far
    double seconds = 0;      ///< of training so far, pauses left out; never steers a number
    std::map<std::string, double> values;

    bool operator==(const MetricRow&) const = default;
};

/// Text the model made up.
struct Sample {
    std::int64_t step = 0;
    std::string text;
};

} // namespace unroll
