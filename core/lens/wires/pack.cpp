// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/packing.h"
#include "core/lens/wires/wires.h"

namespace unroll::lenses::wires {

namespace {

Json packWires(const LensData& given, BlockWriter& blocks)
{
    const auto* data = dynamic_cast<const WiresData*>(&given);
    if (data == nullptr)
        return {};
    Json outputs{JsonArray{}};
    for (const OutputNorms& output : data->outputs) {
        Json json{JsonObject{}};
        json.add("node", output.node);
        json.add("port", output.port);
        json.add("width", output.width);
        json.add("once", output.once);
        json.add("norm", blocks.put(std::span<const double>(output.norm)));
        json.add("missing", output.missing);
        outputs.push(std::move(json));
    }
    Json json{JsonObject{}};
    json.add("outputs", std::move(outputs));
    json.add("steps", data->steps);
    json.add("cursor", data->cursor);
    json.add("shared", data->shared);
    json.add("characters", wordsJson(data->characters));
    json.add("of", data->of);
    return json;
}

std::shared_ptr<const LensData> unpackWires(const MemberReader& members)
{
    auto data = std::make_shared<WiresData>();
    data->steps = members.whole("steps");
    data->outputs = members.each("outputs", [&](const MemberReader& each) {
        OutputNorms output{.node = each.text("node"),
                           .port = each.text("port"),
                           .width = each.whole("width"),
                           .once = each.flag("once"),
                           .norm = each.doubles("norm"),
                           .missing = each.whole("missing")};
        if (const auto count = std::ssize(output.norm); count != 1 && count != data->steps)
            each.wrong("norm");
        return output;
    });
    data->cursor = members.whole("cursor", -1);
    data->shared = members.flag("shared");
    data->characters = members.texts("characters");
    data->of = members.text("of");
    if (data->outputs.empty() || data->cursor >= data->steps)
        members.wrong("outputs");
    return data;
}

} // namespace

LensPacking packing()
{
    return {"wires", packWires, unpackWires};
}

} // namespace unroll::lenses::wires
