// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A signal along the data: the model is run over them.

#include "core/lens/lens.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll::lenses::alike {

/// One sequence of the data with a signal along it.
struct Stream {
    std::int64_t sequence = -1;       ///< its number; -1: the only one, whose steps are those of the split
    std::vector<std::int32_t> tokens; ///< a step each; none where numbers were read
    std::vector<float> inputs; ///< likewise, the tokens or features of each step, to be compared with a reading's
    std::vector<float> values; ///< [steps, units]: of a complex signal the moduli
};

struct SearchedData {
    std::vector<Stream> streams;
    std::int64_t units = 0; ///< of a step
    std::string words;      ///< "8,192 steps of the validation split, in 16 streams"
};

/// Values of a frame as units: of a complex signal the moduli, else as they are. [steps, unitsOf(frame)].
std::vector<float> unitValues(const SignalFrame& frame);
std::int64_t unitsOf(const SignalFrame& frame);

/// Runs the model over data that it did not learn from, `steps` where there are as many and 64 M values hold them; 0:
/// 8192 steps (4096 of signals wider than 2048). Text that carries its state is read in several streams side by side,
/// each from 128 steps before its own; independent sequences each from a zero state. Errors: there is no such data, the
/// node does not show the signal, nobody wants the answer any more. Needs model and data.
Result<SearchedData> searchedData(const LensSubject& subject, const SignalFrame& like, std::int64_t steps = 0);

} // namespace unroll::lenses::alike
