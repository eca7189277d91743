// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/model_file.h"

#include "core/format/protobuf.h"

#include <functional>
#include <utility>

namespace unroll::onnx {
namespace {

using format::ProtobufMessage;
using Dimensions = std::vector<std::variant<std::int64_t, std::string>>;

// Field numbers of onnx.proto.
namespace field {
enum Model : std::uint32_t {
    kIr = 1,
    kProducer = 2,
    kProducerVersion = 3,
    kModelWords = 6,
    kGraph = 7,
    kOpsets = 8,
    kProps = 14
};
enum Graph : std::uint32_t { kNode = 1, kGraphName = 2, kInitializer = 5, kInput = 11, kOutput = 12 };
enum Node : std::uint32_t { kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kOp = 4, kAttribute = 5 };
enum Attribute : std::uint32_t {
    kAttributeName = 1,
    kReal = 2,
    kInteger = 3,
    kBody = 6,
    kIntegers = 8,
    kAttributeType = 20
};
enum AttributeType : std::int32_t { kIsReal = 1, kIsInteger = 2, kIsGraph = 5, kIsIntegers = 7 };
} // namespace field

/// What a value is called where it is written.
using Naming = std::function<std::string(const std::string&)>;

ProtobufMessage attributeMessage(const Attribute& attribute)
{
    ProtobufMessage message;
    message.bytes(field::kAttributeName, attribute.name);
    if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
        message.integer(field::kInteger, *whole).integer(field::kAttributeType, field::kIsInteger);
    else if (const auto* real = std::get_if<double>(&attribute.value))
        message.float32(field::kReal, static_cast<float>(*real)).integer(field::kAttributeType, field::kIsReal);
    else {
        for (std::int64_t each : std::get<std::vector<std::int64_t>>(attribute.value))
            message.integer(field::kIntegers, each);
        message.integer(field::kAttributeType, field::kIsIntegers);
    }
    return message;
}

ProtobufMessage nodeMessage(const NodeOp& node, const Naming& named)
{
    ProtobufMessage message;
    for (const std::string& input : node.inputs)
        message.bytes(field::kNodeInput, named(input));
    for (const std::string& output : node.outputs)
        message.bytes(field::kNodeOutput, named(output));
    message.bytes(field::kNodeName, node.name).bytes(field::kOp, node.op);
    for (const Attribute& attribute : node.attributes)
        message.message(field::kAttribute, attributeMessage(attribute));
    return message;
}

ProtobufMessage valueInfo(const std::string& name, Type type, const Dimensions& dimensions)
{
    ProtobufMessage shape;
    for (const auto& dimension : dimensions) {
        ProtobufMessage each;
        if (const auto* size = std::get_if<std::int64_t>(&dimension))
            each.integer(1, *size);
        else
            each.bytes(2, std::get<std::string>(dimension));
        shape.message(1, each);
    }
    ProtobufMessage tensor, whole, info;
    tensor.integer(1, static_cast<std::int64_t>(type)).message(2, shape);
    whole.message(1, tensor);
    return info.bytes(1, name).message(2, whole);
}

Dimensions dimensionsOf(const StepPort& port, bool overTime)
{
    Dimensions dimensions;
    if (overTime)
        dimensions.emplace_back("T");
    dimensions.emplace_back("B");
    for (std::int64_t size : port.rest)
        dimensions.emplace_back(size);
    return dimensions;
}

void addInitializers(ProtobufMessage& graph, const std::vector<Initializer>& initializers)
{
    for (const Initializer& each : initializers) {
        ProtobufMessage tensor;
        for (std::int64_t size : each.dims)
            tensor.integer(1, size);
        tensor.integer(2, static_cast<std::int64_t>(each.type)).bytes(8, each.name).bytes(9, each.bytes);
        graph.message(field::kInitializer, tensor);
    }
}

std::string modelOf(const ProtobufMessage& graph, const ModelNotes& notes)
{
    ProtobufMessage model, opset;
    opset.bytes(1, "").integer(2, kOpset);
    model.integer(field::kIr, kIrVersion)
        .bytes(field::kProducer, notes.producer)
        .bytes(field::kProducerVersion, notes.version)
        .bytes(field::kModelWords, notes.words)
        .message(field::kGraph, graph)
        .message(field::kOpsets, opset);
    for (const auto& [key, value] : notes.more) {
        ProtobufMessage entry;
        model.message(field::kProps, entry.bytes(1, key).bytes(2, value));
    }
    return model.encoded();
}

/// States first, in the order of Scan's inputs and outputs.
std::vector<StepPort> statesFirst(const std::vector<StepPort>& ports)
{
    std::vector<StepPort> ordered;
    for (const bool state : {true, false})
        for (const StepPort& port : ports)
            if (port.state == state)
                ordered.push_back(port);
    return ordered;
}

/// A graph has each name once, its sub-graphs included, so what the step's ports are called belongs to the whole.
std::string inBody(const std::string& port)
{
    return "step/" + port;
}

ProtobufMessage scanBody(const Graph& graph)
{
    const auto isPort = [&](const std::string& name) {
        for (const auto* ports : {&graph.inputs(), &graph.outputs()})
            for (const StepPort& port : *ports)
                if (port.name == name)
                    return true;
        return false;
    };
    const Naming named = [&](const std::string& name) { return isPort(name) ? inBody(name) : name; };
    ProtobufMessage body;
    for (const NodeOp& node : graph.step())
        body.message(field::kNode, nodeMessage(node, named));
    body.bytes(field::kGraphName, "step");
    for (const StepPort& port : statesFirst(graph.inputs()))
        body.message(field::kInput, valueInfo(inBody(port.name), port.type, dimensionsOf(port, false)));
    for (const StepPort& port : statesFirst(graph.outputs()))
        body.message(field::kOutput, valueInfo(inBody(port.name), port.type, dimensionsOf(port, false)));
    return body;
}

ProtobufMessage scanNode(const Graph& graph)
{
    ProtobufMessage node, count, body;
    std::int64_t scanned = 0;
    for (const StepPort& port : statesFirst(graph.inputs())) {
        node.bytes(field::kNodeInput, port.name);
        scanned += port.state ? 0 : 1;
    }
    for (const StepPort& port : statesFirst(graph.outputs()))
        node.bytes(field::kNodeOutput, port.name);
    count.bytes(field::kAttributeName, "num_scan_inputs")
        .integer(field::kInteger, scanned)
        .integer(field::kAttributeType, field::kIsInteger);
    body.bytes(field::kAttributeName, "body")
        .message(field::kBody, scanBody(graph))
        .integer(field::kAttributeType, field::kIsGraph);
    return node.bytes(field::kNodeName, "steps")
        .bytes(field::kOp, "Scan")
        .message(field::kAttribute, count)
        .message(field::kAttribute, body);
}

void addPorts(ProtobufMessage& message, const Graph& graph, bool overTime)
{
    for (const StepPort& port : graph.inputs())
        message.message(field::kInput, valueInfo(port.name, port.type, dimensionsOf(port, overTime && !port.state)));
    for (const StepPort& port : graph.outputs())
        message.message(field::kOutput, valueInfo(port.name, port.type, dimensionsOf(port, overTime && !port.state)));
}

void addNodes(ProtobufMessage& message, const std::vector<NodeOp>& nodes)
{
    const Naming same = [](const std::string& name) { return name; };
    for (const NodeOp& node : nodes)
        message.message(field::kNode, nodeMessage(node, same));
}

} // namespace

std::string stepModel(const Graph& graph, const ModelNotes& notes)
{
    ProtobufMessage message;
    addNodes(message, graph.ready());
    addNodes(message, graph.step());
    message.bytes(field::kGraphName, "step");
    addInitializers(message, graph.initializers());
    addPorts(message, graph, false);
    return modelOf(message, notes);
}

std::string sequenceModel(const Graph& graph, const ModelNotes& notes)
{
    ProtobufMessage message;
    addNodes(message, graph.ready());
    message.message(field::kNode, scanNode(graph)).bytes(field::kGraphName, "sequence");
    addInitializers(message, graph.initializers());
    addPorts(message, graph, true);
    return modelOf(message, notes);
}

std::uint64_t weightBytes(const Graph& graph)
{
    std::uint64_t bytes = 0;
    for (const Initializer& each : graph.initializers())
        bytes += each.bytes.size();
    return bytes;
}

} // namespace unroll::onnx
