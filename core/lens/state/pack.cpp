// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/packing.h"
#include "core/lens/state/state.h"

namespace unroll::lenses::state {

namespace {

Json packedSignal(const SignalFrame& frame, BlockWriter& blocks)
{
    Json json{JsonObject{}};
    json.add("node", frame.node);
    json.add("signal", frame.signal);
    json.add("look", static_cast<int>(frame.look));
    json.add("steps", frame.steps);
    json.add("width", frame.width);
    json.add("rows", frame.rows);
    json.add("columns", frame.columns);
    json.add("axes", wordsJson({frame.axes.matrix, frame.axes.row, frame.axes.column}));
    json.add("values", blocks.put(std::span<const float>(frame.values)));
    return json;
}

/// Whether the units are whole matrices, or single numbers.
bool hasWholeMatrices(const SignalFrame& frame)
{
    if (frame.rows == 0 || frame.columns == 0)
        return frame.rows == frame.columns;
    return frame.rows > 0 && frame.columns > 0 && frame.width % frame.rows == 0 &&
           frame.width / frame.rows % frame.columns == 0;
}

/// Whether there are as many values as steps and units say.
bool hasAllValues(const SignalFrame& frame)
{
    const auto count = std::ssize(frame.values);
    return frame.steps >= 0 && frame.width >= 0 && hasWholeMatrices(frame) &&
           (frame.steps == 0 ? count == 0 : count % frame.steps == 0 && count / frame.steps == frame.width);
}

SignalFrame unpackedSignal(const MemberReader& members)
{
    SignalFrame frame{.node = members.text("node"),
                      .signal = members.text("signal"),
                      .look = members.kind("look", SignalKind::Attention),
                      .steps = members.whole("steps"),
                      .width = members.whole("width"),
                      .values = members.floats("values"),
                      .rows = members.whole("rows"),
                      .columns = members.whole("columns", members.whole("rows"))}; // square, until columns were written
    if (!hasAllValues(frame))
        members.wrong("values");
    if (members.has("axes")) { // they were not written at first
        const std::vector<std::string> axes = members.texts("axes");
        if (axes.size() == 3)
            frame.axes = {axes[0], axes[1], axes[2]};
        else
            members.wrong("axes");
    }
    return frame;
}

Json packState(const LensData& given, BlockWriter& blocks)
{
    const auto* data = dynamic_cast<const StateData*>(&given);
    if (data == nullptr || data->look.signalFrames.size() != 1)
        return {};
    Json json{JsonObject{}};
    json.add("step", data->look.step);
    json.add("characters", wordsJson(data->look.characters));
    json.add("of", data->look.of);
    json.add("signal", packedSignal(data->look.signalFrames.front(), blocks));
    json.add("order", static_cast<int>(data->order));
    json.add("scale", static_cast<int>(data->scale));
    json.add("draw", static_cast<int>(data->draw));
    json.add("at", data->at);
    json.add("rows", blocks.put(std::span<const std::int64_t>(data->rows)));
    std::vector<double> centres, sizes;
    for (const UnitRange& range : data->ranges) {
        centres.push_back(range.centre);
        sizes.push_back(range.size);
    }
    json.add("centres", blocks.put(std::span<const double>(centres)));
    json.add("sizes", blocks.put(std::span<const double>(sizes)));
    return json;
}

std::shared_ptr<const LensData> unpackState(const MemberReader& members)
{
    auto data = std::make_shared<StateData>();
    data->look.step = members.whole("step");
    data->look.characters = members.texts("characters");
    data->look.of = members.text("of");
    members.inside("signal", [&](const MemberReader& signal) { data->look.signalFrames = {unpackedSignal(signal)}; });
    if (data->look.signalFrames.empty()) {
        members.wrong("signal");
        return data;
    }
    data->order = members.kind("order", UnitOrder::Given);
    data->scale = members.kind("scale", UnitScale::Standardised);
    if (members.has("draw")) // likewise
        data->draw = members.kind("draw", StateDraw::Matrices);
    data->at = members.whole("at");
    const SignalFrame& frame = data->look.signalFrames.front();
    if (data->draw == StateDraw::Matrices && (matrixCount(frame) == 0 || data->at < 0 || data->at >= frame.steps)) {
        members.wrong("at");
        data->draw = StateDraw::Units;
    }
    data->rows = members.wholes("rows");
    for (const std::int64_t row : data->rows)
        if (row < 0 || row >= data->look.signalFrames.front().width)
            members.wrong("rows");
    const auto centres = members.doubles("centres"), sizes = members.doubles("sizes");
    if (centres.size() != sizes.size())
        members.wrong("sizes");
    for (std::size_t i = 0; i < std::min(centres.size(), sizes.size()); ++i)
        data->ranges.push_back({centres[i], sizes[i]});
    return data;
}

} // namespace

LensPacking packing()
{
    return {"state", packState, unpackState};
}

} // namespace unroll::lenses::state
