// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"

#include <algorithm>

namespace unroll {

namespace {

SignalKind kindOf(const Figure& figure, const FigureArray& raw)
{
    switch (raw.shape.size()) {
    case 4: return SignalKind::Matrix;
    case 3: return figure.panels.size() > 1 ? SignalKind::Complex : SignalKind::Attention; // size and phase
    default: break;
    }
    switch (figure.panels.front().cells->scale) {
    case FigureCells::Scale::Share: return SignalKind::Gate;
    case FigureCells::Scale::Bounded: return SignalKind::Bounded;
    default: return SignalKind::Signed;
    }
}

} // namespace

std::optional<ProbeFrame> lookOf(const Figure& figure, const LensQuery& query, std::int64_t step, const std::string& of)
{
    const auto raw = std::find_if(figure.arrays.begin(), figure.arrays.end(),
                                  [](const FigureArray& array) { return array.name == "raw"; });
    if (raw == figure.arrays.end() || raw->shape.size() < 2 || raw->shape.front() < 1 || figure.panels.empty() ||
        !figure.panels.front().cells)
        return {};
    const auto count = std::ssize(raw->values);
    if (count == 0 || count % raw->shape.front() != 0)
        return {};
    SignalFrame signal{query.node,
                       query.signal,
                       kindOf(figure, *raw),
                       raw->shape.front(),
                       count / raw->shape.front(),
                       {raw->values.begin(), raw->values.end()}};
    if (signal.look == SignalKind::Matrix) {
        signal.rows = raw->shape[2];
        signal.columns = raw->shape[3];
        if (raw->axes.size() == 4)
            signal.axes = {raw->axes[1], raw->axes[2], raw->axes[3]};
    }
    return ProbeFrame{
        .step = step, .characters = figure.panels.front().x.labels, .signalFrames = {std::move(signal)}, .of = of};
}

} // namespace unroll
