// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"
#include "core/frames/kept_series.h"
#include "core/lens/lens.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace unroll {

/// What a lens showed at one training step, from a run's folder. Its numbers are near those that were shown
/// (figure_tensors.h).
struct KeptFrame {
    LensQuery query; ///< as it was asked, with the cursor of then
    std::int64_t step = 0;
    std::string reading; ///< what was read, as a hash: frames of equal ones can be compared value by value
    std::string of;      ///< what was read, in words
    Figure figure;
};

/// The same as a lens's data.
struct KeptFigure : LensData {
    Figure kept;

    explicit KeptFigure(Figure figure) : kept(std::move(figure)) {}
    Figure figure() const override { return kept; }
};

/// Writes the frame into the folder of its series, which is made where it is missing; the file appears whole or not at
/// all. How many bytes it has. `series` as keptQuery() of the frame's.
Result<std::uint64_t> writeKeptFrame(const std::filesystem::path& folder, const LensQuery& series,
                                     const KeptFrame& frame, std::uint64_t mostBytes,
                                     format::FileCalls& calls = format::systemCalls());

/// Errors: there is none at this step (any more), it is damaged, it is of another series.
Result<KeptFrame> readKeptFrame(const KeptSeries& series, std::int64_t step);

} // namespace unroll
