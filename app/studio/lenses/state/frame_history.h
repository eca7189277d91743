// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace unroll {

/// The snapshots of one run on one text, by training step. Bounded: where one is too many, the one goes whose
/// neighbours are closest to each other, so that what is kept stays evenly spread over the steps of the run. The first
/// and the newest are always kept.
class FrameHistory {
public:
    using Frame = std::shared_ptr<const ProbeFrame>;
    static constexpr std::size_t kUsualFrames = 240;

    /// At most so many frames, and so many bytes of values unless a single frame is larger.
    explicit FrameHistory(std::size_t mostFrames = kUsualFrames, std::size_t mostBytes = std::size_t{32} << 20);

    /// Adds the newest snapshot. Those at its step and later are removed: the run was rewound. One on another text
    /// clears the history.
    void add(Frame frame);
    void clear();
    void setMostBytes(std::size_t bytes); ///< what is beyond goes at once

    bool isEmpty() const { return m_frames.empty(); }
    std::size_t size() const { return m_frames.size(); }
    std::size_t bytes() const { return m_bytes; }
    const Frame& at(std::size_t index) const { return m_frames[index]; } ///< steps rise with the index
    const Frame& newest() const { return m_frames.back(); }
    /// The index of the snapshot nearest to a step, of two the earlier; 0 if there is none.
    std::size_t nearest(std::int64_t step) const;

private:
    void thin();
    void drop(std::size_t index);
    std::size_t crowded() const;

    std::size_t m_mostFrames;
    std::size_t m_mostBytes;
    std::size_t m_bytes = 0;
    std::vector<Frame> m_frames;
};

/// One history for each of the signals that were examined last, so that going to and fro between a few loses nothing.
class FrameHistories {
public:
    static constexpr std::size_t kMost = 4;

    /// As many signals are seen at once: so many are kept at least, and two that were seen before.
    void keep(std::size_t seen);

    /// The one of this signal, empty at first; that of the signal asked for longest ago makes room. Good until the next
    /// call.
    FrameHistory& of(const WatchedSignal& signal);
    void clear() { m_histories.clear(); }
    /// Of all of them together.
    void setMostBytes(std::size_t bytes);

private:
    void share();

    std::size_t m_most = kMost;
    std::size_t m_mostBytes = std::size_t{128} << 20;
    std::vector<std::pair<WatchedSignal, FrameHistory>> m_histories; ///< last asked for in front
};

} // namespace unroll
