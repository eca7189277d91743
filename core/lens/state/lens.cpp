// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

LensQuery stateQuery(const WatchedSignal& watched)
{
    return {"state", watched.node, watched.signal, {}};
}

namespace {

/// Values as units by steps, as a heat map has them; of a complex signal the moduli.
FigureCells cellsOf(const SignalFrame& frame)
{
    const bool complex = frame.look == SignalKind::Complex;
    FigureCells cells{.name = frame.node + "." + frame.signal,
                      .rows = complex ? frame.width / 2 : frame.width,
                      .columns = frame.steps,
                      .values = {}};
    cells.values.reserve(static_cast<std::size_t>(cells.rows * cells.columns));
    for (std::int64_t unit = 0; unit < cells.rows; ++unit) {
        for (std::int64_t step = 0; step < frame.steps; ++step) {
            const float* values = frame.values.data() + step * frame.width;
            cells.values.push_back(complex ? std::hypot(values[2 * unit], values[2 * unit + 1]) : values[unit]);
        }
        cells.units.push_back(unit);
    }
    switch (frame.look) {
    case SignalKind::Bounded: cells.scale = FigureCells::Scale::Bounded; break;
    case SignalKind::Gate:
    case SignalKind::Attention: cells.scale = FigureCells::Scale::Share; break;
    case SignalKind::Complex: cells.scale = FigureCells::Scale::Positive; break;
    case SignalKind::Signed:
    case SignalKind::Matrix: break;
    }
    return cells;
}

} // namespace

Figure StateData::figure() const
{
    const SignalFrame& frame = look.signalFrames.front();
    Figure figure;
    figure.shows = fmt::format("{} of {} at {} of {}: a row is a unit, a column a step.", frame.signal, frame.node,
                               frame.steps == 1 ? "the one step" : fmt::format("each of {} steps", frame.steps),
                               look.of.empty() ? "the reading" : look.of);
    FigurePanel panel{.id = "values", .title = frame.node + " " + frame.signal};
    panel.x = {.title = "step", .steps = true, .labels = look.characters};
    panel.y.title = "unit";
    panel.cells = cellsOf(frame);
    figure.missing = std::count_if(panel.cells->values.begin(), panel.cells->values.end(),
                                   [](float value) { return !std::isfinite(value); });
    figure.panels.push_back(std::move(panel));
    return figure;
}

namespace lenses::state {

namespace {

class StateLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        auto data = std::make_shared<StateData>();
        data->look.step = subject.look.step;
        data->look.characters = subject.look.characters;
        data->look.of = subject.look.of;
        data->look.signalFrames = {**shown};
        return data;
    }

private:
    LensSpec m_spec{"state", "State", "Values of a node at every step of the probe text, as a heat map."};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<StateLens>();
}

} // namespace lenses::state

} // namespace unroll
