// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/frame_history.h"

#include <algorithm>
#include <limits>

namespace unroll {

namespace {

std::size_t bytesOf(const ProbeFrame& frame)
{
    std::size_t bytes = 0;
    for (const SignalFrame& signal : frame.signalFrames)
        bytes += signal.values.size() * sizeof(float);
    return bytes;
}

} // namespace

FrameHistory::FrameHistory(std::size_t mostFrames, std::size_t mostBytes)
    : m_mostFrames(mostFrames), m_mostBytes(mostBytes)
{}

void FrameHistory::add(Frame frame)
{
    if (!isEmpty() && newest() == frame)
        return;
    if (!isEmpty() && frame->characters != newest()->characters)
        clear();
    while (!isEmpty() && frame->step <= newest()->step)
        drop(size() - 1);
    m_bytes += bytesOf(*frame);
    m_frames.push_back(std::move(frame));
    thin();
}

void FrameHistory::setMostBytes(std::size_t bytes)
{
    m_mostBytes = bytes;
    thin();
}

void FrameHistory::thin()
{
    while (size() > 1 && (size() > m_mostFrames || m_bytes > m_mostBytes))
        drop(crowded());
}

void FrameHistory::clear()
{
    m_frames.clear();
    m_bytes = 0;
}

void FrameHistory::drop(std::size_t index)
{
    m_bytes -= bytesOf(*m_frames[index]);
    m_frames.erase(m_frames.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Between the closest neighbours; of equals the earliest, of two frames the older.
std::size_t FrameHistory::crowded() const
{
    std::size_t found = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 1; i + 1 < size(); ++i) {
        const std::int64_t gap = m_frames[i + 1]->step - m_frames[i - 1]->step;
        if (gap < least) {
            least = gap;
            found = i;
        }
    }
    return found;
}

std::size_t FrameHistory::nearest(std::int64_t step) const
{
    const auto after = std::lower_bound(m_frames.begin(), m_frames.end(), step,
                                        [](const Frame& frame, std::int64_t wanted) { return frame->step < wanted; });
    const auto index = static_cast<std::size_t>(after - m_frames.begin());
    if (index == 0)
        return 0;
    return index == size() || step - m_frames[index - 1]->step <= m_frames[index]->step - step ? index - 1 : index;
}

FrameHistory& FrameHistories::of(const WatchedSignal& signal)
{
    const auto found = std::find_if(m_histories.begin(), m_histories.end(),
                                    [&](const auto& history) { return history.first == signal; });
    if (found == m_histories.end())
        m_histories.emplace(m_histories.begin(), signal,
                            FrameHistory(FrameHistory::kUsualFrames, m_mostBytes / m_most));
    else
        std::rotate(m_histories.begin(), found, found + 1);
    if (m_histories.size() > m_most)
        m_histories.pop_back();
    return m_histories.front().second;
}

void FrameHistories::keep(std::size_t seen)
{
    m_most = std::max(kMost, seen + 2);
    share();
}

void FrameHistories::setMostBytes(std::size_t bytes)
{
    m_mostBytes = bytes;
    share();
}

void FrameHistories::share()
{
    for (auto& [signal, history] : m_histories)
        history.setMostBytes(m_mostBytes / m_most);
}

} // namespace unroll
