// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/clipboard.h"

#include "core/graph/edit.h"
#include "core/graph/graph_json.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMimeData>
#include <algorithm>
#include <limits>

namespace unroll {

namespace {

constexpr int kClippingVersion = 1;
constexpr std::size_t kMostBytes = 16u << 20;
constexpr double kWidestExtent = 1e9; ///< scene units from the first node to the last
const char* const clippingType = "application/x-unroll-graph";

tl::unexpected<Error> refuse(const char* sentence, const std::string& why = {})
{
    const QString words = QCoreApplication::translate("Clipboard", sentence);
    return fail((why.empty() ? words : words.arg(QString::fromStdString(why))).toStdString());
}

tl::unexpected<Error> damaged(const std::string& why)
{
    return refuse(QT_TRANSLATE_NOOP("Clipboard", "These nodes cannot be pasted: %1."), why);
}

bool isTooWide(const Graph& graph)
{
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    for (const auto& [id, node] : graph.nodes) {
        least = std::min({least, node->place.x, node->place.y});
        greatest = std::max({greatest, node->place.x, node->place.y});
    }
    for (const auto& [id, frame] : graph.frames) {
        least = std::min({least, frame.place.x, frame.place.y});
        greatest = std::max({greatest, frame.place.x + frame.width, frame.place.y + frame.height});
    }
    return greatest - least > kWidestExtent;
}

Result<std::vector<Clipping::Input>> readInputs(const Json* json)
{
    std::vector<Clipping::Input> inputs;
    if (json == nullptr || json->asArray() == nullptr)
        return damaged("inputs must be an array");
    for (const Json& entry : *json->asArray()) {
        const Json *from = entry.find("from"), *output = entry.find("output"), *to = entry.find("to"),
                   *input = entry.find("input");
        const bool whole = from != nullptr && from->asString() != nullptr && output != nullptr &&
                           output->asString() != nullptr && to != nullptr && to->asUnsigned() && input != nullptr &&
                           input->asString() != nullptr;
        if (!whole)
            return damaged("an entry of inputs must have the members from, output, to and input");
        inputs.push_back({*from->asString(), *output->asString(), {*to->asUnsigned(), *input->asString()}});
    }
    return inputs;
}

} // namespace

Clipping clip(const Graph& graph, const std::set<NodeId>& ids)
{
    Clipping clipping{fragment(graph, ids), {}};
    for (const Wire& wire : graph.wires) {
        const Node* source = graph.find(wire.from.node);
        if (ids.contains(wire.to.node) && !ids.contains(wire.from.node) && source != nullptr)
            clipping.inputs.push_back({source->name, wire.from.port, wire.to});
    }
    return clipping;
}

std::string clippingText(const Clipping& clipping)
{
    Json inputs{JsonArray()};
    for (const Clipping::Input& input : clipping.inputs)
        inputs.push(JsonObject{
            {"from", input.node}, {"output", input.output}, {"to", input.to.node}, {"input", input.to.port}});
    return writeJson(
        JsonObject{{"unroll_nodes", kClippingVersion}, {"graph", graphToJson(clipping.nodes)}, {"inputs", inputs}});
}

Result<Clipping> readClipping(std::string_view text)
{
    if (text.size() > kMostBytes)
        return refuse(QT_TRANSLATE_NOOP("Clipboard", "The clipboard contents are too large to paste: at most 16 MiB."));
    const auto json = readJson(text, {});
    const Json* version = json ? json->find("unroll_nodes") : nullptr;
    if (version == nullptr)
        return refuse(QT_TRANSLATE_NOOP("Clipboard", "The clipboard contains no nodes."));
    if (version->asInt() != kClippingVersion)
        return refuse(QT_TRANSLATE_NOOP("Clipboard", "These nodes were copied from another version of Unroll."));
    const Json* graph = json->find("graph");
    auto nodes = graph != nullptr ? graphFromJson(*graph, {}) : fail("graph is missing");
    if (!nodes)
        return damaged(nodes.error().message);
    if (nodes->nodes.empty() && nodes->frames.empty())
        return refuse(QT_TRANSLATE_NOOP("Clipboard", "The clipboard contains no nodes."));
    if (isTooWide(*nodes))
        return damaged("they are too far apart");
    auto inputs = readInputs(json->find("inputs"));
    if (!inputs)
        return tl::unexpected(inputs.error());
    return Clipping{std::move(*nodes), std::move(*inputs)};
}

/// The fragment's nodes get numbers that no node of the graph has: its wires name nodes of both.
Graph withInputs(const Clipping& clipping, const Graph& graph)
{
    Graph part;
    std::map<NodeId, NodeId> ids;
    NodeId next = graph.nextId;
    for (const auto& [old, shared] : clipping.nodes.nodes) {
        Node node = *shared;
        node.id = ids[old] = next++;
        part.addNode(std::move(node));
    }
    part.frames = clipping.nodes.frames;
    for (const Wire& wire : clipping.nodes.wires)
        part.addWire({{ids.at(wire.from.node), wire.from.port}, {ids.at(wire.to.node), wire.to.port}});
    for (const Clipping::Input& input : clipping.inputs) {
        const Node* source = graph.findByName(input.node);
        const auto target = ids.find(input.to.node);
        if (source == nullptr || target == ids.end())
            continue;
        const PortRef to{target->second, input.to.port};
        if (part.wireInto(to) == nullptr)
            part.addWire({{source->id, input.output}, to});
    }
    return part;
}

void putOnClipboard(const Clipping& clipping)
{
    const QByteArray text = QByteArray::fromStdString(clippingText(clipping));
    auto* data = new QMimeData;
    data->setData(clippingType, text);
    data->setText(QString::fromUtf8(text));
    QGuiApplication::clipboard()->setMimeData(data);
}

Result<Clipping> takeFromClipboard()
{
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    if (data == nullptr)
        return readClipping({});
    const QByteArray text = data->hasFormat(clippingType) ? data->data(clippingType) : data->text().toUtf8();
    return readClipping({text.constData(), static_cast<std::size_t>(text.size())});
}

} // namespace unroll
