// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/signal_recorder.h"

#include <algorithm>
#include <utility>

namespace unroll {

SignalRecorder::SignalRecorder(const std::vector<WatchedSignal>& watched, std::int64_t sequences)
    : m_watched(watched), m_frames(static_cast<std::size_t>(sequences))
{}

bool SignalRecorder::wants(const std::string& node, const std::string& signal) const
{
    return std::find(m_watched.begin(), m_watched.end(), WatchedSignal{node, signal}) != m_watched.end();
}

void SignalRecorder::show(const std::string& node, const std::string& signal, const at::Tensor& value)
{
    for (std::size_t sequence = 0; sequence < m_frames.size(); ++sequence) {
        const at::Tensor flat =
            value.detach().select(1, static_cast<std::int64_t>(sequence)).to(at::kFloat).cpu().flatten(1).contiguous();
        SignalFrame frame{node, signal, SignalKind::Signed, flat.size(0), flat.size(1), {}};
        if (value.dim() == 5) {
            frame.rows = value.size(3);
            frame.columns = value.size(4);
        }
        const float* data = flat.const_data_ptr<float>();
        frame.values.assign(data, data + flat.numel());
        append(m_frames[sequence], std::move(frame));
    }
}

/// A piece of another width, as that of attention over all steps so far, stands for itself.
void SignalRecorder::append(std::vector<SignalFrame>& frames, SignalFrame piece)
{
    const auto known = std::find_if(frames.begin(), frames.end(), [&](const SignalFrame& each) {
        return each.node == piece.node && each.signal == piece.signal && each.width == piece.width;
    });
    if (known == frames.end()) {
        frames.push_back(std::move(piece));
        return;
    }
    known->steps += piece.steps;
    known->values.insert(known->values.end(), piece.values.begin(), piece.values.end());
}

std::vector<SignalFrame> SignalRecorder::take(std::int64_t sequence)
{
    return std::exchange(m_frames[static_cast<std::size_t>(sequence)], {});
}

} // namespace unroll
