// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/batch_tensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace unroll {

namespace {

/// [T, B]; undefined where the batch has none.
at::Tensor toIndices(const std::vector<std::int32_t>& values, const Batch& batch, at::Device device)
{
    if (values.empty())
        return {};
    at::Tensor tensor = at::empty({batch.steps, batch.sequences}, at::kLong);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return device.is_cpu() ? tensor : tensor.to(device);
}

/// [T, B, width]; undefined where the batch has none.
at::Tensor toNumbers(const std::vector<float>& values, const Batch& batch, at::Device device)
{
    if (values.empty())
        return {};
    const std::int64_t width = static_cast<std::int64_t>(values.size()) / (batch.steps * batch.sequences);
    at::Tensor tensor = at::empty({batch.steps, batch.sequences, width}, at::kFloat);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<float>());
    return device.is_cpu() ? tensor : tensor.to(device);
}

at::Tensor toMask(const Batch& batch, at::Device device)
{
    if (batch.mask.empty())
        return {};
    at::Tensor tensor = at::empty({batch.steps, batch.sequences}, at::kBool);
    std::copy(batch.mask.begin(), batch.mask.end(), tensor.mutable_data_ptr<bool>());
    return tensor.to(device);
}

} // namespace

ModelInput tensorsOf(const Batch& batch, at::Device device)
{
    const at::Tensor values = toNumbers(batch.values, batch, device);
    return {.tokens = toIndices(batch.tokens, batch, device),
            .targets = values.defined() ? values : toIndices(batch.targets, batch, device),
            .mask = toMask(batch, device),
            .features = toNumbers(batch.features, batch, device)};
}

} // namespace unroll
