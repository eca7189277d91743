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
    const bool rounds = name == "aten::round" || name == "aten::round_", chooses = name == "aten::argmax";
    if (!rounds && !chooses)
        return nullptr;
    const auto inputs = function.inputs();
    const at::Tensor given = inputs[0].toTensor().detach();
    if (chooses && (!given.is_floating_point() || inputs[1].isNone()))
        return nullptr;
    if (RoundingRecord* record = std::exchange(recording, nullptr)) { // what is computed for a note is not noted
        if (rounds)
            record->note(given);
        else
            record->noteChoice(given, inputs[1].toInt());
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

void RoundingRecord::noteChoice(const at::Tensor& scores, std::int64_t dimension)
{
    if (scores.size(dimension) > 1) {
        const at::Tensor two = std::get<0>(scores.topk(2, dimension));
        const at::Tensor apart = two.select(dimension, 0) - two.select(dimension, 1);
        const at::Tensor places = apart.flatten().lt(kNear).nonzero().squeeze(1);
        const at::Tensor taken = scores.argmax(dimension).flatten().index_select(0, places);
        m_ties.push_back(at::stack({at::full_like(places, m_choices), places, taken}, 1));
    }
    ++m_choices;
}

static at::Tensor joined(const std::vector<at::Tensor>& rows)
{
    return rows.empty() ? at::empty({0, 3}, at::kLong) : at::cat(rows);
}

at::Tensor RoundingRecord::nearMiddle() const
{
    return joined(m_near);
}

at::Tensor RoundingRecord::nearTies() const
{
    return joined(m_ties);
}

} // namespace unroll
