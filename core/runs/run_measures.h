// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace unroll {

class Dataset;
struct CheckedGraph;

/// What the figures of a run are measured in, and what its tokens are in other measures of work. A plain value, written
/// with the run.
struct RunMeasures {
    /// Shown behind a loss: "nats/token"; empty: not known, as of runs of earlier versions, and then nothing here is.
    std::string lossUnit;
    std::string token;              ///< what a told token of a text is: "character", "byte"; empty: neither
    std::int64_t parameters = 0;    ///< numbers that are learned
    double flopsAToken = 0;         ///< of training, forward and backward, as the check counts them; 0: not known
    std::int64_t tokensAnEpoch = 0; ///< as MetricRow counts tokens, padding included; 0: made again without end

    bool isKnown() const { return !lossUnit.empty(); }
    /// The loss is of tokens, so that perplexity has a meaning.
    bool isTokenLoss() const { return lossUnit == "nats/token"; }
    /// A token that is told is a character or a byte, so that the loss has a meaning in bits per character.
    bool isCharacterLoss() const { return isTokenLoss() && !token.empty(); }
    bool operator==(const RunMeasures&) const = default;
};

/// Of a checked graph that can be trained, on the data that it reads.
RunMeasures measuresOf(const CheckedGraph& checked, const Dataset& data);

} // namespace unroll
