// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/drawing.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kMostToken = 9.5; ///< size of the letters of tokens
constexpr double kTurnedRoom = 9;  ///< between labels that run upwards
constexpr double kLongestTurned = 180;

/// How labels stand under their places.
struct LabelPlan {
    Face face = kSmallFace;
    bool turned = false;
    std::size_t every = 1; ///< 0: none
    double height = 0;
};

double widest(Pen& pen, const std::vector<std::string>& labels, const Face& face)
{
    double width = 0;
    for (const std::string& label : labels)
        width = std::max(width, pen.widthOf(label, face));
    return width;
}

/// Side by side if they fit, in small letters if need be, else vertical, else some of them. Single characters, which
/// make words together, stand all or not at all.
LabelPlan planOf(Pen& pen, const std::vector<std::string>& labels, double room, bool tokens)
{
    LabelPlan plan{{kMostToken, false, tokens}, false, 1, 13};
    const double width = widest(pen, labels, plan.face), gap = tokens ? 0 : 4;
    const double size = kMostToken * std::min(1.0, room / std::max(width + gap, 1e-9));
    if (size >= kLeastToken && (tokens || size >= 8)) {
        plan.face.size = size;
        return plan;
    }
    const bool characters = tokens && width < 1.3 * pen.widthOf("0", plan.face);
    plan.every = characters ? 0 : static_cast<std::size_t>(std::ceil(kTurnedRoom / room));
    plan.turned = width > pen.widthOf("00", plan.face) || plan.every == 1;
    if (!plan.turned && !characters) // short numbers, every so many
        plan.every = static_cast<std::size_t>(std::ceil((width + 6) / room));
    plan.height = plan.every == 0 ? 0 : plan.turned ? std::min(width, kLongestTurned) + 6 : 13;
    return plan;
}

double drawLabels(Pen& pen, const PanelFrame& frame, double top)
{
    const bool tokens = frame.panel->x.steps;
    const double room = std::abs(frame.x.at(1) - frame.x.at(0));
    const LabelPlan plan = planOf(pen, frame.xLabels, room, tokens);
    if (plan.every == 0)
        return 0;
    const Ink& ink = tokens ? pen.inks().text : pen.inks().dim;
    for (std::size_t i = 0; i < frame.xLabels.size(); i += plan.every) {
        const double place = static_cast<double>(i);
        if (!frame.x.holds(place))
            continue;
        if (plan.turned)
            pen.textUp(frame.x.at(place) + 3.2, top + 3, pen.cut(frame.xLabels[i], plan.face, kLongestTurned),
                       plan.face, ink, Align::Right);
        else
            pen.text(frame.x.at(place), top + 10, frame.xLabels[i], plan.face, ink, Align::Centre);
    }
    return plan.height;
}

} // namespace

double drawXAxis(Pen& pen, const PanelFrame& frame)
{
    const Box& plot = frame.plot;
    const bool labelled = !frame.xLabels.empty();
    const bool ticked = !labelled || frame.panel->x.steps;
    if (ticked)
        for (const AxisTick& tick : frame.xTicks)
            pen.line(frame.x.at(tick.value), plot.bottom(), frame.x.at(tick.value), plot.bottom() + 3, pen.inks().axis,
                     0.7);
    if (!frame.xShown)
        return 3;
    double height = 4;
    if (labelled)
        height += drawLabels(pen, frame, plot.bottom() + height);
    if (ticked) {
        for (const AxisTick& tick : frame.xTicks)
            pen.text(frame.x.at(tick.value), plot.bottom() + height + 10, tick.label, kSmallFace, pen.inks().dim,
                     Align::Centre);
        height += 14;
    }
    if (!frame.panel->x.title.empty()) {
        pen.text(plot.left + plot.width / 2, plot.bottom() + height + 11, frame.panel->x.title, kSmallFace,
                 pen.inks().text, Align::Centre);
        height += 16;
    }
    return height;
}

} // namespace unroll
