// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/ops.h"

#include <cassert>
#include <cmath>

namespace unroll::onnx {
namespace {

Value two(const char* op, const Operand& a, const Operand& b)
{
    Graph* graph = a.value ? a.value.graph : b.value.graph;
    assert(graph != nullptr);
    return graph->apply(op, {a.in(*graph), b.in(*graph)});
}

Value one(const char* op, const Value& x)
{
    assert(x);
    return x.graph->apply(op, {x});
}

} // namespace

Value operator+(const Operand& a, const Operand& b)
{
    return two("Add", a, b);
}
Value operator-(const Operand& a, const Operand& b)
{
    return two("Sub", a, b);
}
Value operator*(const Operand& a, const Operand& b)
{
    return two("Mul", a, b);
}
Value operator/(const Operand& a, const Operand& b)
{
    return two("Div", a, b);
}
Value operator-(const Value& a)
{
    return one("Neg", a);
}

Value sigmoid(const Value& x)
{
    return one("Sigmoid", x);
}
Value tanh(const Value& x)
{
    return one("Tanh", x);
}
Value relu(const Value& x)
{
    return one("Relu", x);
}
Value exp(const Value& x)
{
    return one("Exp", x);
}
Value sin(const Value& x)
{
    return one("Sin", x);
}
Value cos(const Value& x)
{
    return one("Cos", x);
}
Value sqrt(const Value& x)
{
    return one("Sqrt", x);
}
Value abs(const Value& x)
{
    return one("Abs", x);
}
Value erf(const Value& x)
{
    return one("Erf", x);
}
Value softplus(const Value& x)
{
    return one("Softplus", x);
}
Value softsign(const Value& x)
{
    return one("Softsign", x);
}
Value round(const Value& x)
{
    return one("Round", x);
}
Value silu(const Value& x)
{
    return x * sigmoid(x);
}
Value gelu(const Value& x)
{
    return 0.5 * x * (1 + erf(x * std::sqrt(0.5)));
}
Value logSigmoid(const Value& x)
{
    return -softplus(-x);
}
Value expm1(const Value& x)
{
    return tanh(x * 0.5) * (exp(x) + 1);
}

Value maximum(const Operand& a, const Operand& b)
{
    return two("Max", a, b);
}
Value minimum(const Operand& a, const Operand& b)
{
    return two("Min", a, b);
}
Value greater(const Operand& a, const Operand& b)
{
    return two("Greater", a, b);
}
Value equal(const Operand& a, const Operand& b)
{
    return two("Equal", a, b);
}
Value where(const Value& condition, const Operand& a, const Operand& b)
{
    Graph& graph = *condition.graph;
    return graph.apply("Where", {condition, a.in(graph), b.in(graph)});
}

Value sum(const Value& x, std::int64_t axis, bool keep)
{
    return x.graph->apply("ReduceSum", {x, x.graph->whole({axis})}, {{"keepdims", std::int64_t{keep}}});
}
Value mean(const Value& x, std::int64_t axis)
{
    return x.graph->apply("ReduceMean", {x},
                          {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{1}}});
}
Value largest(const Value& x, std::int64_t axis, bool keep)
{
    return x.graph->apply("ReduceMax", {x},
                          {{"axes", std::vector<std::int64_t>{axis}}, {"keepdims", std::int64_t{keep}}});
}
Value softmax(const Value& x, std::int64_t axis)
{
    return x.graph->apply("Softmax", {x}, {{"axis", axis}});
}
Value logSoftmax(const Value& x, std::int64_t axis)
{
    return x.graph->apply("LogSoftmax", {x}, {{"axis", axis}});
}
Value sorted(const Value& x, std::int64_t size)
{
    return x.graph->applySplit("TopK", {x, x.graph->whole({size})}, {{"axis", std::int64_t{-1}}}, 2).front();
}
Value cumsum(const Value& x, std::int64_t axis)
{
    return x.graph->apply("CumSum", {x, x.graph->wholeNumber(axis)});
}
Value argmax(const Value& x, std::int64_t axis)
{
    return x.graph->apply("ArgMax", {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}});
}

Value matmul(const Value& a, const Value& b)
{
    return a.graph->apply("MatMul", {a, b});
}
Value linear(const Value& x, const Value& weight, const Value& bias)
{
    return x.graph->apply("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}});
}

Value reshape(const Value& x, std::vector<std::int64_t> sizes)
{
    return x.graph->apply("Reshape", {x, x.graph->whole(std::move(sizes))});
}
Value flatten(const Value& x)
{
    return x.graph->apply("Flatten", {x}, {{"axis", std::int64_t{1}}});
}
Value unsqueeze(const Value& x, std::int64_t axis)
{
    return x.graph->apply("Unsqueeze", {x, x.graph->whole({axis})});
}
Value squeeze(const Value& x, std::int64_t axis)
{
    return x.graph->apply("Squeeze", {x, x.graph->whole({axis})});
}
Value transpose(const Value& x, std::vector<std::int64_t> order)
{
    return x.graph->apply("Transpose", {x}, {{"perm", std::move(order)}});
}
Value concat(const std::vector<Value>& parts, std::int64_t axis)
{
    return parts.size() == 1 ? parts.front() : parts.front().graph->apply("Concat", parts, {{"axis", axis}});
}
Value padded(const Value& x, std::vector<std::int64_t> before, const std::vector<std::int64_t>& behind, double value)
{
    std::vector<std::int64_t> pads = std::move(before);
    pads.insert(pads.end(), behind.begin(), behind.end());
    return x.graph->apply("Pad", {x, x.graph->whole(std::move(pads)), x.graph->number(value)});
}
Value padded(const Value& x, std::int64_t rank, std::int64_t count, double value)
{
    std::vector<std::int64_t> behind(static_cast<std::size_t>(rank), 0);
    behind.back() = count;
    return padded(x, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0), behind, value);
}
Value slice(const Value& x, std::int64_t from, std::int64_t to, std::int64_t axis)
{
    Graph& graph = *x.graph;
    return graph.apply("Slice", {x, graph.whole({from}), graph.whole({to}), graph.whole({axis})});
}
Value rowsLike(const Value& row, const Value& x)
{
    Graph& graph = *x.graph;
    const Value sequences = graph.apply("Shape", {x}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
    return graph.apply("Expand", {row, concat({sequences, graph.whole({1})}, 0)});
}
std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, std::int64_t axis)
{
    if (sizes.size() == 1)
        return {x};
    return x.graph->applySplit("Split", {x, x.graph->whole(sizes)}, {{"axis", axis}}, sizes.size());
}
std::vector<Value> chunk(const Value& x, std::int64_t parts, std::int64_t axis)
{
    if (parts == 1)
        return {x};
    return x.graph->applySplit("Split", {x}, {{"axis", axis}}, static_cast<std::size_t>(parts));
}
Value gather(const Value& x, const Value& indices, std::int64_t axis)
{
    return x.graph->apply("Gather", {x, indices}, {{"axis", axis}});
}
Value pick(const Value& x, std::int64_t index, std::int64_t axis)
{
    return gather(x, x.graph->wholeNumber(index), axis);
}
Value oneHot(const Value& classes, std::int64_t count)
{
    Graph& graph = *classes.graph;
    const Value zeroOne = concat({unsqueeze(graph.number(0), 0), unsqueeze(graph.number(1), 0)}, 0);
    return graph.apply("OneHot", {classes, graph.wholeNumber(count), zeroOne}, {{"axis", std::int64_t{-1}}});
}
Value toWhole(const Value& x)
{
    return x.graph->apply("Cast", {x}, {{"to", static_cast<std::int64_t>(Type::Int64)}});
}

Value layerNorm(const Value& x, const Value& gain, const Value& bias, double epsilon)
{
    const Value centred = x - mean(x, -1);
    Value y = centred / sqrt(mean(centred * centred, -1) + epsilon);
    y = gain ? y * gain : y;
    return bias ? y + bias : y;
}
Value rmsNorm(const Value& x, const Value& gain, double epsilon)
{
    const Value y = x / sqrt(mean(x * x, -1) + epsilon);
    return gain ? y * gain : y;
}

} // namespace unroll::onnx
