// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/features/features.h"
#include "core/lens/unit_name.h"
#include "core/model/model.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll::lenses::tracks {

/// A signal over all steps that are asked about.
struct RecordedSignal {
    std::string node, signal;
    SignalKind kind = SignalKind::Signed;
    std::int64_t width = 0;          ///< units that the signal has; a pair of a complex signal is one
    std::vector<std::int64_t> units; ///< which of them are recorded
    UnitNames names = {};            ///< of the units
    at::Tensor values;               ///< [units, steps] fp64 on the CPU, of complex ones the moduli
};

struct Recording {
    std::vector<RecordedSignal> signals;
    std::vector<ReadSequence> sequences; ///< their steps are those of the signals, sequence after sequence
    std::int64_t steps = 0;
    std::string of; ///< "4,800 steps of the validation split, 15 streams, each from a zero state 256 steps before"
};

struct RecordingRequest {
    Split split = Split::Validation;
    std::int64_t steps = 4096; ///< at least so many, as far as there are; whole batches
    std::function<bool(const std::string& node, const std::string& signal)> wants;
    /// Sequences that leave an output port, as signals of the port's name; empty: none.
    std::function<bool(const std::string& node, const std::string& port)> wantsOutput = {};
    std::int64_t mostUnits = 1024; ///< of a signal: of more, so many at even distances
    std::stop_token end = {};
};

/// Runs the model over the split in its order, padding left out. Data with an order are read as their streams, with
/// carried state; sequences each from a zero state. Changes nothing. Errors: no data, no signal, the end.
Result<Recording> record(Model& model, const Dataset& data, const RecordingRequest& request);

} // namespace unroll::lenses::tracks
