// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frames/kept_frame.h"

#include <map>

namespace unroll {

/// How much of the frames of a run is kept.
struct KeptLimits {
    std::uint64_t bytes = 256'000'000; ///< of all files together
    std::size_t frames = 240;          ///< of one query
    std::uint64_t frameBytes() const { return bytes / 8; }
};

/// The frames of a run as it writes them: a folder a query, a file a frame. Where one is too many, of its query or of
/// all bytes, those go that can be spared (crowdedFrame), so that what is kept stays evenly spread over the updates.
/// One process writes a folder at a time; others may read meanwhile.
class FrameStore {
public:
    /// What lies there counts; nothing is written yet, and the folder need not exist.
    explicit FrameStore(std::filesystem::path frames, KeptLimits limits = {},
                        format::FileCalls& calls = format::systemCalls());

    /// Whether a frame of this step is worth its writing: it is newer than those that are kept, and would not be the
    /// next to go.
    bool wants(const LensQuery& series, std::int64_t step) const;
    /// Adds the newest frame of its series, which is keptQuery() of its query. One at its step or later is replaced
    /// where it is of another reading, else nothing is done. Errors: what a full or read-only disk refuses, a frame too
    /// large; what was kept is kept.
    Result<void> keep(const LensQuery& series, const KeptFrame& frame);
    /// Takes away what is later than the step: the run goes on from there.
    void cutAfter(std::int64_t step);
    void moved(std::filesystem::path frames); ///< the folder has another path

    std::int64_t count() const; ///< frames
    std::uint64_t bytes() const { return m_bytes; }
    std::uint64_t stamp() const { return m_stamp; } ///< another number whenever something else is kept

private:
    struct Series {
        KeptSeries kept;
        std::string reading;       ///< of the newest
        std::uint64_t touched = 0; ///< when it was added to last, by m_stamp
    };
    Series& seriesOf(const LensQuery& query);
    bool makeRoom(std::uint64_t bytes, const Series& forWhom);
    bool removeAt(Series& series, std::size_t index);

    std::filesystem::path m_frames;
    KeptLimits m_limits;
    format::FileCalls& m_calls;
    std::map<std::string, Series> m_series; ///< by the folder's name
    std::uint64_t m_bytes = 0;
    std::uint64_t m_stamp = 0;
};

} // namespace unroll
