// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/graph.h"

#include <map>
#include <string>

namespace unroll::onnx {

/// IR version 8 and operator set 17: what onnxruntime has run since 1.12, and Debian's onnx reads.
inline constexpr std::int64_t kIrVersion = 8, kOpset = 17;
/// Bytes that a protobuf message has at most, less room for what surrounds the weights.
inline constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 24);

struct ModelNotes {
    std::string producer, version;           ///< of the program
    std::string words;                       ///< what the model is
    std::map<std::string, std::string> more; ///< metadata_props
};

/// A model that takes one step: B sequences, states in and out.
std::string stepModel(const Graph& graph, const ModelNotes& notes);
/// A model that takes T steps, time first, by one Scan whose body is the step. The same names of inputs and outputs.
std::string sequenceModel(const Graph& graph, const ModelNotes& notes);
/// Bytes of the weights in either.
std::uint64_t weightBytes(const Graph& graph);

} // namespace unroll::onnx
