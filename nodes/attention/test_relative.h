// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace unroll::nodes {

inline at::Tensor attentionWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    ADD_FAILURE() << name;
    return {};
}

/// The four terms of Transformer-XL's scores (Dai et al. 2019, section 3.3), one query and key after the other, with
/// their rates in plain numbers. x [T, width] of one sequence.
inline at::Tensor relativelyByHand(const Block& block, const at::Tensor& x, std::int64_t heads, std::int64_t window)
{
    const std::int64_t steps = x.size(0), width = x.size(1), n = width / heads;
    const auto weight = [&](const char* name) { return attentionWeight(block, name); };
    const at::Tensor qkv = x.matmul(weight("in_proj_weight").t()) + weight("in_proj_bias");
    at::Tensor y = at::zeros({steps, width}, at::kDouble);
    for (std::int64_t t = 0; t < steps; ++t)
        for (std::int64_t h = 0; h < heads; ++h) {
            const auto part = [&](const at::Tensor& row, std::int64_t which) {
                return row.narrow(0, which * width + h * n, n);
            };
            std::vector<at::Tensor> scores, values;
            for (std::int64_t j = std::max<std::int64_t>(0, t - window + 1); j <= t; ++j) {
                at::Tensor r = at::zeros({width}, at::kDouble);
                for (std::int64_t i = 0; i < width / 2; ++i) {
                    const double angle = static_cast<double>(t - j) *
                                         std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width));
                    r[i] = std::sin(angle);
                    r[width / 2 + i] = std::cos(angle);
                }
                const at::Tensor q = part(qkv[t], 0), k = part(qkv[j], 1);
                const at::Tensor far = part(weight("relative.weight").matmul(r), 0);
                const at::Tensor u = part(weight("content_bias"), 0), v = part(weight("position_bias"), 0);
                scores.push_back((q.dot(k) + q.dot(far) + u.dot(k) + v.dot(far)) / std::sqrt(static_cast<double>(n)));
                values.push_back(part(qkv[j], 2));
            }
            const at::Tensor seen = at::stack(scores).softmax(0);
            y[t].narrow(0, h * n, n).copy_(seen.matmul(at::stack(values)));
        }
    return y.matmul(weight("out_proj.weight").t()) + weight("out_proj.bias");
}

} // namespace unroll::nodes
