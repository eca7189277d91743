// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace unroll {

/// Notes, while it lives, how this thread's aten::round rounds values that lie in the middle between two integers:
/// there the last bit of a sum decides, and whoever repeats the computation in another order may find the other
/// integer.
class RoundingRecord {
public:
    RoundingRecord();
    ~RoundingRecord();
    RoundingRecord(const RoundingRecord&) = delete;
    RoundingRecord& operator=(const RoundingRecord&) = delete;

    /// Whether one lives in this thread. Who rounds otherwise than by aten::round must then do as the definition says.
    static bool listens();

    std::int64_t roundings() const { return m_roundings; }
    /// Every value within 2e-4 of the middle, int64 [N, 3]: which rounding, which of its values, its integer.
    at::Tensor nearMiddle() const;

private:
    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
    void note(const at::Tensor& exact);

    at::CallbackHandle m_handle;
    std::int64_t m_roundings = 0;
    std::vector<at::Tensor> m_near;
};

} // namespace unroll
