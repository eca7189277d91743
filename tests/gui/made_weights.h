// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/safetensors.h"

#include <QString>
#include <vector>

namespace unroll::test {

/// Writes a .safetensors file as PyTorch has them: an LSTM of 24 units on 12 inputs behind this prefix, and one tensor
/// that nothing takes. Every number is `value`.
inline bool writeForeignLstm(const QString& path, const std::string& prefix, float value)
{
    const std::vector<float> numbers(static_cast<std::size_t>(4 * 24 * 24), value);
    const auto tensor = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        std::size_t count = 1;
        for (const std::int64_t size : shape)
            count *= static_cast<std::size_t>(size);
        return format::TensorView{name, format::DType::F32, shape, reinterpret_cast<const std::byte*>(numbers.data()),
                                  count * sizeof(float)};
    };
    const std::vector<format::TensorView> tensors{
        tensor(prefix + "weight_ih_l0", {96, 12}), tensor(prefix + "weight_hh_l0", {96, 24}),
        tensor(prefix + "bias_ih_l0", {96}), tensor(prefix + "bias_hh_l0", {96}), tensor("scale", {3})};
    return format::writeSafetensors(path.toStdString(), tensors).has_value();
}

} // namespace unroll::test
