// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/graph.h"

namespace unroll::onnx {

// Operators of ONNX's opset 17 as functions, named as in torch. Axes may be negative; all values have the first
// dimension B unless they are made of weights. Every one works in float32 and in float64.

/// A value, or a number in its place.
struct Operand {
    Operand(const Value& given) : value(given) {}
    Operand(double given) : number(given) {}
    Value in(Graph& graph) const { return value ? value : graph.number(number); }

    Value value{};
    double number = 0;
};

Value operator+(const Operand& a, const Operand& b);
Value operator-(const Operand& a, const Operand& b);
Value operator*(const Operand& a, const Operand& b);
Value operator/(const Operand& a, const Operand& b);
Value operator-(const Value& a);

Value sigmoid(const Value& x);
Value tanh(const Value& x);
Value relu(const Value& x);
Value exp(const Value& x);
Value sin(const Value& x);
Value cos(const Value& x);
Value sqrt(const Value& x);
Value abs(const Value& x);
Value erf(const Value& x);
Value softplus(const Value& x);
Value softsign(const Value& x);
Value round(const Value& x); ///< half to even
Value silu(const Value& x);
Value gelu(const Value& x); ///< by erf
Value logSigmoid(const Value& x);
Value expm1(const Value& x); ///< exact near 0, by the hyperbolic tangent

Value maximum(const Operand& a, const Operand& b);
Value minimum(const Operand& a, const Operand& b);
Value greater(const Operand& a, const Operand& b);
Value equal(const Operand& a, const Operand& b);
Value where(const Value& condition, const Operand& a, const Operand& b);

Value sum(const Value& x, std::int64_t axis, bool keep = false);
Value mean(const Value& x, std::int64_t axis); ///< the axis stays, of size 1
Value largest(const Value& x, std::int64_t axis, bool keep = false);
Value softmax(const Value& x, std::int64_t axis);
Value logSoftmax(const Value& x, std::int64_t axis);
/// The `size` entries of the last axis, the largest first.
Value sorted(const Value& x, std::int64_t size);
/// In the place of each entry along an axis, the sum up to it.
Value cumsum(const Value& x, std::int64_t axis);
Value argmax(const Value& x, std::int64_t axis); ///< int64, the axis goes; the first of equal ones

Value matmul(const Value& a, const Value& b);
/// x weight^T + bias; x [B, in], weight [out, in], bias [out] or empty.
Value linear(const Value& x, const Value& weight, const Value& bias = {});

/// 0 among the sizes: as it is; -1: what remains.
Value reshape(const Value& x, std::vector<std::int64_t> sizes);
Value flatten(const Value& x); ///< [B, everything]
Value unsqueeze(const Value& x, std::int64_t axis);
Value squeeze(const Value& x, std::int64_t axis);
Value transpose(const Value& x, std::vector<std::int64_t> order);
Value concat(const std::vector<Value>& parts, std::int64_t axis = -1);
/// So many entries of a value before and behind each axis.
Value padded(const Value& x, std::vector<std::int64_t> before, const std::vector<std::int64_t>& behind, double value);
/// `count` columns of a value behind the last axis; x has `rank` dimensions.
Value padded(const Value& x, std::int64_t rank, std::int64_t count, double value);
Value slice(const Value& x, std::int64_t from, std::int64_t to, std::int64_t axis = -1);
/// A vector [width] for each sequence of x: [B, width].
Value rowsLike(const Value& row, const Value& x);
std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, std::int64_t axis = -1);
/// Equal parts.
std::vector<Value> chunk(const Value& x, std::int64_t parts, std::int64_t axis = -1);
/// The entries `indices` along an axis; of one index the axis goes.
Value gather(const Value& x, const Value& indices, std::int64_t axis = 0);
Value pick(const Value& x, std::int64_t index, std::int64_t axis);
Value oneHot(const Value& classes, std::int64_t count);
Value toWhole(const Value& x); ///< int64

/// (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis; gain and bias may be empty.
Value layerNorm(const Value& x, const Value& gain, const Value& bias, double epsilon = 1e-5);
/// x / sqrt(mean x^2 + epsilon) * gain over the last axis; gain may be empty.
Value rmsNorm(const Value& x, const Value& gain, double epsilon);

} // namespace unroll::onnx
