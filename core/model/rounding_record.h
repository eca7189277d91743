// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace unroll {

/// Notes, while it lives, how this thread's aten::round rounds values that lie in the middle between two integers, and
/// which of scores that are nearly equal its aten::argmax takes: there the last bit of a sum decides, and whoever
/// repeats the computation in another order may find the other integer, or take the other score.
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

    std::int64_t choices() const { return m_choices; } ///< of the largest of real numbers along a dimension
    /// Every choice with a second score within 2e-4 of the first, int64 [N, 3]: which argmax, which of its choices, the
    /// index taken.
    at::Tensor nearTies() const;

private:
    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
    void note(const at::Tensor& exact);
    void noteChoice(const at::Tensor& scores, std::int64_t dimension);

    at::CallbackHandle m_handle;
    std::int64_t m_roundings = 0, m_choices = 0;
    std::vector<at::Tensor> m_near, m_ties;
};

} // namespace unroll
