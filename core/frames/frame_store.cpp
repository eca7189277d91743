// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/frame_store.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace unroll {

namespace {

namespace fs = std::filesystem;

/// The smallest distance between two neighbours; 0: there are none.
std::int64_t leastGap(const std::vector<KeptSeries::Frame>& frames)
{
    std::int64_t least = 0;
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const std::int64_t gap = frames[i].step - frames[i - 1].step;
        least = i == 1 ? gap : std::min(least, gap);
    }
    return least;
}

} // namespace

FrameStore::FrameStore(fs::path frames, KeptLimits limits, format::FileCalls& calls)
    : m_frames(std::move(frames)), m_limits(limits), m_calls(calls)
{
    for (KeptSeries& kept : keptSeries(m_frames)) {
        m_bytes += kept.bytes();
        const std::string name = kept.folder.filename().string();
        m_series[name].kept = std::move(kept);
    }
}

std::int64_t FrameStore::count() const
{
    std::int64_t sum = 0;
    for (const auto& [name, series] : m_series)
        sum += std::ssize(series.kept.frames);
    return sum;
}

FrameStore::Series& FrameStore::seriesOf(const LensQuery& query)
{
    const std::string name = seriesName(query);
    Series& series = m_series[name];
    series.kept.query = query;
    series.kept.folder = m_frames / name;
    return series;
}

bool FrameStore::wants(const LensQuery& query, std::int64_t step) const
{
    const auto found = m_series.find(seriesName(query));
    if (found == m_series.end() || found->second.kept.frames.empty())
        return true;
    const auto& frames = found->second.kept.frames;
    const bool full = frames.size() >= m_limits.frames;
    return step > frames.back().step && (!full || step - frames.back().step >= leastGap(frames));
}

Result<void> FrameStore::keep(const LensQuery& query, const KeptFrame& frame)
{
    Series& series = seriesOf(query);
    auto& frames = series.kept.frames;
    if (!frames.empty() && frames.back().step >= frame.step &&
        (series.reading == frame.reading || frames.back().step > frame.step))
        return {};
    if (!frames.empty() && !makeRoom(frames.back().bytes, series)) // about as many as it will have
        return fail("surplus frames cannot be removed", m_frames.string());
    const auto written = writeKeptFrame(series.kept.folder, query, frame, m_limits.frameBytes(), m_calls);
    if (!written)
        return tl::unexpected(written.error());
    if (!frames.empty() && frames.back().step == frame.step) { // the file was replaced
        m_bytes -= frames.back().bytes;
        frames.pop_back();
    }
    frames.push_back({frame.step, *written});
    m_bytes += *written;
    series.reading = frame.reading;
    series.touched = ++m_stamp;
    while (frames.size() > m_limits.frames)
        if (const auto spare = crowdedFrame(frames); !spare || !removeAt(series, *spare))
            break;
    if (!makeRoom(0, series))
        return fail("surplus frames cannot be removed", m_frames.string());
    return {};
}

/// From the query with the most bytes; where none has more than two frames, the oldest frame of what was added to
/// longest ago.
bool FrameStore::makeRoom(std::uint64_t bytes, const Series& forWhom)
{
    while (m_bytes + bytes > m_limits.bytes) {
        Series* largest = nullptr;
        Series* oldest = nullptr;
        for (auto& [name, series] : m_series) {
            if (series.kept.frames.size() > 2 && (largest == nullptr || series.kept.bytes() > largest->kept.bytes()))
                largest = &series;
            const bool mayGo = !series.kept.frames.empty() && (&series != &forWhom || series.kept.frames.size() > 1);
            if (mayGo && (oldest == nullptr || series.touched < oldest->touched))
                oldest = &series;
        }
        if (largest != nullptr) {
            if (!removeAt(*largest, *crowdedFrame(largest->kept.frames)))
                return false;
        } else if (oldest == nullptr || !removeAt(*oldest, 0)) {
            return oldest == nullptr;
        }
    }
    return true;
}

bool FrameStore::removeAt(Series& series, std::size_t index)
{
    auto& frames = series.kept.frames;
    const fs::path file = series.kept.folder / frameName(frames[index].step);
    if (m_calls.remove(file.c_str()) != 0 && errno != ENOENT)
        return false;
    m_bytes -= std::min(m_bytes, frames[index].bytes);
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(index));
    ++m_stamp;
    if (frames.empty())
        (void)m_calls.removeFolder(series.kept.folder.c_str());
    return true;
}

void FrameStore::cutAfter(std::int64_t step)
{
    for (auto& [name, series] : m_series) {
        auto& frames = series.kept.frames;
        while (!frames.empty() && frames.back().step > step && removeAt(series, frames.size() - 1)) {}
        series.reading.clear();
    }
}

void FrameStore::moved(fs::path frames)
{
    m_frames = std::move(frames);
    for (auto& [name, series] : m_series)
        series.kept.folder = m_frames / name;
}

} // namespace unroll
