// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/wire_values.h"

#include "core/graph/graph_text.h"

#include <cstring>
#include <memory>
#include <utility>

namespace unroll {

namespace {

Json settingsJson(const Params& settings)
{
    Json json{JsonObject{}};
    for (const auto& [name, value] : settings)
        json.add(name, paramToJson(value));
    return json;
}

Params settingsFrom(const MemberReader& members, const char* name)
{
    Params settings;
    const Json* found = members.find(name);
    if (found == nullptr || found->asObject() == nullptr) {
        if (found != nullptr)
            members.wrong(name);
        return settings;
    }
    for (const JsonMember& member : *found->asObject()) {
        if (const auto value = paramFromJson(member.value))
            settings[member.key] = *value;
        else
            members.wrong(name);
    }
    return settings;
}

Json misfitJson(const Misfit& misfit)
{
    const auto shape = [](const std::vector<std::int64_t>& sizes) {
        Json list{JsonArray{}};
        for (const std::int64_t size : sizes)
            list.push(size);
        return list;
    };
    Json json{JsonObject{}};
    json.add("name", misfit.name);
    json.add("found", shape(misfit.found));
    json.add("wanted", shape(misfit.wanted));
    json.add("reason", misfit.reason);
    json.add("found_form", misfit.foundForm);
    json.add("wanted_form", misfit.wantedForm);
    return json;
}

std::vector<std::int64_t> shapeFrom(const MemberReader& members, const char* name)
{
    std::vector<std::int64_t> shape;
    if (const JsonArray* sizes = members.array(name))
        for (const Json& size : *sizes) {
            if (!size.asInt())
                members.wrong(name);
            shape.push_back(size.asInt().value_or(0));
        }
    return shape;
}

Misfit misfitFrom(const MemberReader& members)
{
    return {members.text("name"),   shapeFrom(members, "found"), shapeFrom(members, "wanted"),
            members.text("reason"), members.text("found_form"),  members.text("wanted_form")};
}

Json symbolMatchJson(const SymbolMatch& match)
{
    Json json{JsonObject{}};
    json.add("name", match.name);
    json.add("entries", match.entries);
    json.add("taken", match.taken);
    json.add("all", match.all);
    json.add("fresh", wordsJson(match.fresh));
    return json;
}

SymbolMatch symbolMatchFrom(const MemberReader& members)
{
    return {members.text("name"), members.text("entries"), members.whole("taken"), members.whole("all"),
            members.texts("fresh")};
}

} // namespace

Json queryJson(const LensQuery& query)
{
    Json json{JsonObject{}};
    json.add("lens", query.lens);
    if (!query.node.empty())
        json.add("node", query.node);
    if (!query.signal.empty())
        json.add("signal", query.signal);
    if (!query.settings.empty())
        json.add("settings", settingsJson(query.settings));
    if (!query.edit.empty())
        json.add("edit", query.edit);
    return json;
}

LensQuery queryFrom(const MemberReader& members)
{
    return {members.text("lens"), members.text("node"), members.text("signal"), settingsFrom(members, "settings"),
            members.text("edit")};
}

Json queriesJson(const std::vector<LensQuery>& queries)
{
    Json list{JsonArray{}};
    for (const LensQuery& query : queries)
        list.push(queryJson(query));
    return list;
}

// Members are taken apart by their number here and below: one that is added later and not sent does not compile.
Json readingJson(const ReadingRequest& reading)
{
    const auto& [from, text, at, length, seed, further] = reading;
    Json json{JsonObject{}};
    json.add("from", static_cast<int>(from));
    json.add("text", text);
    json.add("at", at);
    json.add("length", length);
    json.add("seed", seed);
    json.add("further", further);
    return json;
}

ReadingRequest readingFrom(const MemberReader& members)
{
    return {.from = members.kind("from", ReadingRequest::From::Sample),
            .text = members.text("text"),
            .at = members.whole("at"),
            .length = members.whole("length"),
            .seed = members.natural("seed"),
            .further = members.whole("further")};
}

Json ruleJson(const SamplingRule& rule)
{
    const auto& [temperature, topK, topP, stop] = rule;
    Json json{JsonObject{}};
    json.add("temperature", temperature);
    json.add("top_k", topK);
    json.add("top_p", topP);
    json.add("stop", stop);
    return json;
}

SamplingRule ruleFrom(const MemberReader& members)
{
    return {members.real("temperature", 0.8), members.whole("top_k"), members.real("top_p", 1), members.text("stop")};
}

Json measuresJson(const RunMeasures& measures)
{
    const auto& [lossUnit, token, parameters, flopsAToken, tokensAnEpoch] = measures;
    Json json{JsonObject{}};
    json.add("loss_unit", lossUnit);
    json.add("token", token);
    json.add("parameters", parameters);
    json.add("flops_a_token", flopsAToken);
    json.add("tokens_an_epoch", tokensAnEpoch);
    return json;
}

RunMeasures measuresFrom(const MemberReader& members)
{
    return {members.text("loss_unit"), members.text("token"), members.whole("parameters"),
            members.real("flops_a_token"), members.whole("tokens_an_epoch")};
}

Json problemJson(const Diagnostic& diagnostic)
{
    Json json{JsonObject{}};
    json.add("severity", static_cast<int>(diagnostic.severity));
    if (!diagnostic.group.empty()) {
        Json group{JsonArray{}};
        for (const NodeId id : diagnostic.group)
            group.push(static_cast<std::int64_t>(id));
        json.add("group", std::move(group));
        json.add("group_name", diagnostic.groupName);
    }
    json.add("node", static_cast<std::int64_t>(diagnostic.node));
    json.add("node_name", diagnostic.nodeName);
    json.add("where", diagnostic.where);
    json.add("code", diagnostic.code);
    json.add("sentence", diagnostic.sentence);
    if (diagnostic.fix && diagnostic.fix->setting) {
        Json fix{JsonObject{}};
        fix.add("title", diagnostic.fix->title);
        fix.add("setting", diagnostic.fix->setting->name);
        fix.add("value", paramToJson(diagnostic.fix->setting->value));
        json.add("fix", std::move(fix));
    }
    return json;
}

Diagnostic problemFrom(const MemberReader& members)
{
    Diagnostic diagnostic;
    diagnostic.severity = members.kind("severity", Severity::Note);
    for (const std::int64_t id : shapeFrom(members, "group"))
        diagnostic.group.push_back(static_cast<NodeId>(id));
    diagnostic.groupName = members.text("group_name");
    diagnostic.node = static_cast<NodeId>(members.whole("node"));
    diagnostic.nodeName = members.text("node_name");
    diagnostic.where = members.text("where");
    diagnostic.code = members.text("code");
    diagnostic.sentence = members.text("sentence");
    members.inside("fix", [&](const MemberReader& fix) {
        const Json* value = fix.find("value");
        const auto param = value != nullptr ? paramFromJson(*value) : std::nullopt;
        if (!param)
            return fix.wrong("value");
        diagnostic.fix = Fix{fix.text("title"), {}, SettingChange{fix.text("setting"), *param}};
    });
    return diagnostic;
}

Json weightReportJson(const WeightReport& report)
{
    Json json{JsonObject{}};
    json.add("loaded", wordsJson(report.loaded));
    json.add("missing", wordsJson(report.missing));
    json.add("unexpected", wordsJson(report.unexpected));
    Json mismatched{JsonArray{}}, bySymbol{JsonArray{}};
    for (const Misfit& misfit : report.mismatched)
        mismatched.push(misfitJson(misfit));
    for (const SymbolMatch& match : report.bySymbol)
        bySymbol.push(symbolMatchJson(match));
    json.add("mismatched", std::move(mismatched));
    json.add("by_symbol", std::move(bySymbol));
    json.add("notes", wordsJson(report.notes));
    json.add("here", wordsJson(report.here));
    json.add("there", wordsJson(report.there));
    return json;
}

WeightReport weightReportFrom(const MemberReader& members)
{
    return {members.texts("loaded"),
            members.texts("missing"),
            members.texts("unexpected"),
            members.each("mismatched", misfitFrom),
            members.each("by_symbol", symbolMatchFrom),
            members.texts("notes"),
            members.texts("here"),
            members.texts("there")};
}

Json tensorsJson(std::span<const format::OwnedTensor> tensors, BlockWriter& blocks)
{
    Json list{JsonArray{}};
    for (const format::OwnedTensor& tensor : tensors) {
        Json json{JsonObject{}}, shape{JsonArray{}};
        for (const std::int64_t size : tensor.shape)
            shape.push(size);
        json.add("name", tensor.name);
        json.add("type", std::string(format::dtypeName(tensor.dtype)));
        json.add("shape", std::move(shape));
        json.add("data", blocks.put(std::string_view(reinterpret_cast<const char*>(tensor.data.get()), tensor.bytes)));
        list.push(std::move(json));
    }
    return list;
}

std::vector<format::OwnedTensor> tensorsFrom(const MemberReader& members, const char* name)
{
    return members.each(name, [name](const MemberReader& each) {
        format::OwnedTensor tensor{.name = each.text("name"), .shape = shapeFrom(each, "shape")};
        const auto type = format::dtypeFromName(each.text("type"));
        const std::string data = each.raw("data");
        if (!type || format::tensorBytes(*type, tensor.shape) != std::uint64_t{data.size()}) {
            each.wrong(name);
            return tensor;
        }
        tensor.dtype = *type;
        tensor.bytes = data.size();
        tensor.data = std::make_unique<std::byte[]>(data.size());
        std::memcpy(tensor.data.get(), data.data(), data.size());
        return tensor;
    });
}

Json keptWeightsJson(const KeptWeights& kept, BlockWriter& blocks)
{
    Json json{JsonObject{}}, metadata{JsonObject{}};
    for (const auto& [name, value] : kept.metadata)
        metadata.add(name, value);
    json.add("origin", kept.origin);
    json.add("tensors", tensorsJson(kept.tensors, blocks));
    json.add("metadata", std::move(metadata));
    return json;
}

KeptWeights keptWeightsFrom(const MemberReader& members)
{
    KeptWeights kept{members.text("origin"), tensorsFrom(members, "tensors"), {}};
    if (const Json* metadata = members.find("metadata"); metadata != nullptr && metadata->asObject() != nullptr)
        for (const JsonMember& member : *metadata->asObject()) {
            if (member.value.asString() == nullptr)
                members.wrong("metadata");
            else
                kept.metadata[member.key] = *member.value.asString();
        }
    return kept;
}

} // namespace unroll
