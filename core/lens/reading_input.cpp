// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/reading_input.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace unroll {

std::int64_t stepsOf(const Model& model, const ProbeText& text)
{
    const std::int64_t all = text.features.empty() ? std::ssize(text.tokens) : std::ssize(text.features) / text.width;
    const auto& limit = model.longestSequence();
    return limit ? std::min<std::int64_t>(all, limit->steps) : all;
}

ModelInput readingInput(const ProbeText& text, std::int64_t from, std::int64_t count, at::Device device)
{
    if (text.features.empty()) {
        at::Tensor tokens = at::empty({count, 1}, at::kLong);
        std::copy_n(text.tokens.begin() + from, count, tokens.mutable_data_ptr<std::int64_t>());
        return {.tokens = tokens.to(device), .targets = {}, .mask = {}, .features = {}};
    }
    at::Tensor features = at::empty({count, 1, text.width}, at::kFloat);
    std::copy_n(text.features.begin() + from * text.width, count * text.width, features.mutable_data_ptr<float>());
    return {.tokens = {}, .targets = {}, .mask = {}, .features = features.to(device)};
}

} // namespace unroll
