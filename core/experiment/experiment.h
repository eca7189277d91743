// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/experiment/settings.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace unroll {

/// What a .unroll file holds.
struct Experiment {
    std::string title;
    std::string summary; ///< what to look at, a few sentences
    Graph graph;
    TrainSettings training;
    std::uint64_t seed = 1;
    std::string probeText; ///< fixed text the lenses watch; empty: the start of the validation split
    std::string watchNode; ///< node the heat map opens on; empty: the first recurrent node
    std::string watchSignal;
    JsonObject extra;   ///< members this version does not know, kept word for word
    std::string folder; ///< not in the file: relative data paths are looked up here

    bool operator==(const Experiment&) const = default;
};

/// Of an experiment's text: as many nodes as a document may have take less.
inline constexpr std::uint64_t kMostExperimentBytes = 64 << 20;

/// {"unroll": 1, "title", "summary", "seed", "training": {...}, "graph": {...}, "probe_text", ...}
Json experimentToJson(const Experiment& experiment);
Result<Experiment> experimentFromJson(const Json& json, const std::string& source);
std::string experimentToText(const Experiment& experiment);
Result<Experiment> experimentFromText(std::string_view text, const std::string& source);
/// Reads a file; sets `folder` to the file's.
Result<Experiment> loadExperiment(const std::string& path);
/// Whole or not at all (see format/atomic_file.h).
Result<void> saveExperiment(const Experiment& experiment, const std::string& path);

} // namespace unroll
