// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rounding_record.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>

#include <memory>
#include <string_view>
#include <utility>

namespace unroll {

namespace {

constexpr double kNear = 2e-4; // twice what a reader may take another integer for: values differ by rounding errors

thread_local RoundingRecord* recording = nullptr;

} // namespace

RoundingRecord::RoundingRecord()
    : m_handle(at::addThreadLocalCallback(
          at::RecordFunctionCallback(begin).needsInputs(true).scopes({at::RecordScope::FUNCTION})))
{
    recording = this;
}

RoundingRecord::~RoundingRecord()
{
    at::removeCallback(m_handle);
    recording = nullptr;
}

bool RoundingRecord::listens()
{
    return recording != nullptr;
}

std::unique_ptr<at::ObserverContext> RoundingRecord::begin(const at::RecordFunction& function)
{
    const std::string_view name = function.name();
    if (name != "aten::round" && name != "aten::round_")
        return nullptr;
    if (RoundingRecord* record = std::exchange(recording, nullptr)) { // what note() computes is not noted
        record->note(function.inputs()[0].toTensor().detach());
        recording = record;
    }
    return nullptr;
}

void RoundingRecord::note(const at::Tensor& exact)
{
    const at::Tensor flat = exact.flatten();
    const at::Tensor distance = (flat - flat.floor() - 0.5).abs();
    const at::Tensor places = distance.lt(kNear).nonzero().squeeze(1);
    const at::Tensor integers = flat.index_select(0, places).round().to(at::kLong);
    m_near.push_back(at::stack({at::full_like(places, m_roundings), places, integers}, 1));
    ++m_roundings;
}

at::Tensor RoundingRecord::nearMiddle() const
{
    return m_near.empty() ? at::empty({0, 3}, at::kLong) : at::cat(m_near);
}

} // namespace unroll
