// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/lens.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A setting that the window fills in from what all lenses share (LensSpec::settings): it changes with every move of
/// the hand.
bool isCursorSetting(const std::string& name);

/// The query by which its frames are kept: without what the window fills in, and without settings that have their
/// defaults. Equal where they show the same thing, whoever asked.
LensQuery keptQuery(const LensQuery& query, const LensSpec& spec);

/// As a word of JSON, and back. Equal queries have equal words.
std::string queryText(const LensQuery& query);
Result<LensQuery> queryOfText(const std::string& words);

/// The folder's name of a kept query's frames: the lens and a hash.
std::string seriesName(const LensQuery& query);

/// The file's name of a frame at a training step, and back; nothing: it is none.
std::string frameName(std::int64_t step);
std::optional<std::int64_t> stepOfFrame(const std::string& name);

/// The frames of one query, oldest first.
struct KeptSeries {
    struct Frame {
        std::int64_t step = 0;
        std::uint64_t bytes = 0; ///< of its file
        bool operator==(const Frame&) const = default;
    };
    std::filesystem::path folder;
    LensQuery query; ///< as keptQuery()
    std::vector<Frame> frames;

    std::uint64_t bytes() const;
    bool operator==(const KeptSeries&) const = default;
};

/// The index of the frame nearest to a step, of two the earlier; 0 where there is none.
std::size_t nearestFrame(const std::vector<KeptSeries::Frame>& frames, std::int64_t step);

/// The one that can best be spared: its neighbours are closest to each other; of equals the earliest. So that what is
/// kept stays evenly spread, every second frame goes, the oldest first. Never the first nor the newest; nothing: there
/// are fewer than three.
std::optional<std::size_t> crowdedFrame(const std::vector<KeptSeries::Frame>& frames);

/// The series of a folder of frames in the order of their names; what is not a frame is skipped, as is a series
/// without one that can be read. None where there is no such folder. Reads the names and the beginning of one file a
/// series.
std::vector<KeptSeries> keptSeries(const std::filesystem::path& frames);

} // namespace unroll
