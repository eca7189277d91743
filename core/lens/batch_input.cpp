// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/batch_input.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>

namespace unroll {

namespace {

/// `width` values at each step of each sequence, as the type asks; undefined where there are none. Without width: [T,
/// B].
template <class To, class From>
at::Tensor tensorOf(const std::vector<From>& values, const Batch& batch, at::ScalarType type, at::Device device,
                    bool hasWidth)
{
    if (values.empty())
        return {};
    std::vector<std::int64_t> shape{batch.steps, batch.sequences};
    if (hasWidth)
        shape.push_back(static_cast<std::int64_t>(values.size()) / (batch.steps * batch.sequences));
    at::Tensor tensor = at::empty(shape, type);
    std::transform(values.begin(), values.end(), tensor.mutable_data_ptr<To>(),
                   [](From value) { return static_cast<To>(value); });
    return device.is_cpu() ? tensor : tensor.to(device);
}

} // namespace

ModelInput batchInput(const Batch& batch, at::Device device)
{
    const auto classes = [&](const std::vector<std::int32_t>& values) {
        return tensorOf<std::int64_t>(values, batch, at::kLong, device, false);
    };
    const at::Tensor values = tensorOf<float>(batch.values, batch, at::kFloat, device, true);
    return {.tokens = classes(batch.tokens),
            .targets = values.defined() ? values : classes(batch.targets),
            .mask = tensorOf<bool>(batch.mask, batch, at::kBool, device, false),
            .features = tensorOf<float>(batch.features, batch, at::kFloat, device, true)};
}

} // namespace unroll
