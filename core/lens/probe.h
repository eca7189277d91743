// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/lens/frame.h"
#include "core/model/model.h"

#include <cstdint>
#include <vector>

namespace unroll {

/// What is watched: a text's tokens, or rows of numbers.
struct ProbeText {
    std::vector<std::int32_t> tokens;
    std::vector<std::string> characters; ///< a visible label each
    std::vector<float> features;         ///< of data that are numbers: `width` side by side for each step
    std::int64_t width = 0;
    std::vector<float>
        values; ///< likewise, what is right at each step, as the model is to tell it; NaN: nothing is asked
    std::vector<ColumnScale> targets; ///< of the columns of `values`
    WatchedSignal told;               ///< the signal that is compared with `values`; without a name no forecast is made
    std::string trouble;              ///< why the requested text is not used; empty: it is, or none was requested
};

/// At most `longest` tokens of `text`; `trouble` says why it cannot be encoded.
ProbeText encodeProbeText(const Vocabulary& vocabulary, const std::string& text, std::size_t longest);

/// `text` encoded, or the start of the validation split when it is empty or cannot be encoded (`trouble` says why); at most `longest` tokens.
/// Of numbers the first window of the validation split, whatever the text.
ProbeText makeProbeText(const Dataset& data, const std::string& text, std::size_t longest = usualReading);

/// The first place from `from` on where the data has the text, as ReadingRequest::at counts; errors: it is nowhere, it cannot be encoded, or the
/// data is made anew without end or is no text.
Result<std::int64_t> findText(const Dataset& data, const std::string& text, std::int64_t from = 0);

/// Runs the model over the probe text, as much of it as the model takes, from zero states and keeps the watched signals and the forecasts. Draws
/// nothing, changes nothing.
ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step);

} // namespace unroll
