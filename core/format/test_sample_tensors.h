// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace unroll::format {

/// Tensors for tests, with the memory their views point to.
class SampleTensors {
public:
    /// Random bits: NaN, infinities and denormals of every type occur.
    void add(std::string name, DType dtype, std::vector<std::int64_t> shape)
    {
        const auto bytes = tensorBytes(dtype, shape);
        if (!bytes) {
            ADD_FAILURE() << name << " has no size";
            return;
        }
        OwnedTensor tensor{std::move(name), dtype, std::move(shape), std::make_unique<std::byte[]>(*bytes), *bytes};
        for (std::size_t i = 0; i < tensor.bytes; ++i)
            tensor.data[i] = static_cast<std::byte>(dtype == DType::Bool ? m_random() % 2 : m_random());
        m_views.push_back(tensor.view());
        m_tensors.push_back(std::move(tensor));
    }

    const std::vector<TensorView>& views() const { return m_views; }

private:
    std::mt19937 m_random{42};
    std::vector<OwnedTensor> m_tensors;
    std::vector<TensorView> m_views;
};

inline std::string bytesOf(const TensorView& tensor)
{
    return {reinterpret_cast<const char*>(tensor.data), tensor.bytes};
}

/// Every type numpy has, and bf16; ranks 0 to 4, odd extents, empty ones, a name outside ASCII.
inline SampleTensors everyCommonTensor()
{
    SampleTensors samples;
    samples.add("scalar", DType::F32, {});
    samples.add("encoder.weight_ih", DType::F32, {7, 5});
    samples.add("empty", DType::F64, {3, 0, 2});
    samples.add("flags", DType::Bool, {13});
    samples.add("u8", DType::U8, {1, 1, 3, 5});
    samples.add("i8", DType::I8, {9});
    samples.add("i16", DType::I16, {3, 3});
    samples.add("u16", DType::U16, {5});
    samples.add("half", DType::F16, {11});
    samples.add("brain", DType::BF16, {3, 7});
    samples.add("i32", DType::I32, {2, 2, 2});
    samples.add("u32", DType::U32, {1});
    samples.add("complex", DType::C64, {4});
    samples.add("double", DType::F64, {17});
    samples.add("steps", DType::I64, {});
    samples.add("u64", DType::U64, {2, 3});
    samples.add("grün \"q\" \\ \t 日本", DType::F32, {2});
    return samples;
}

} // namespace unroll::format
