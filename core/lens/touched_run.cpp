// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touched_run.h"

#include "core/lens/probe.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace unroll {

namespace {

/// The states after `text`, [1, ...] each.
Result<States> startFrom(Model& model, const Dataset* data, const std::string& text)
{
    if (data == nullptr || data->classes() == 0)
        return fail("start needs data that is text: there is nothing to read \"" + text + "\" by");
    const ProbeText start = encodeProbeText(*data, text, kLongestReading);
    if (!start.trouble.empty() || start.tokens.empty())
        return fail(start.trouble.empty() ? "start needs a text" : "start: " + start.trouble);
    States states = readPlain(model, sideBySide(start, model, 1)).states;
    if (states.empty())
        return fail("the network has no state to start from");
    return states;
}

/// Behind what the untouched sequence begins from; [2, ...] each.
void putBehindUntouched(const Model& model, States& states)
{
    const States untouched = model.startStates(1);
    for (auto& [node, state] : states) {
        const auto own = untouched.find(node);
        for (std::size_t i = 0; i < state.size(); ++i)
            state[i] = at::cat({own == untouched.end() ? at::zeros_like(state[i]) : own->second[i], state[i]});
    }
}

/// Steps at which anything changes, within [0, steps): first, and one behind the last; equal: none.
std::pair<std::int64_t, std::int64_t> changedSteps(const std::vector<Edit>& edits, std::int64_t steps)
{
    std::int64_t first = steps, last = 0;
    for (const Edit& edit : edits) {
        first = std::min(first, edit.span.first);
        last = std::max(last, edit.span.last ? std::min(*edit.span.last + 1, steps) : steps);
    }
    return {first, std::max(first, last)};
}

} // namespace

TouchedRun::TouchedRun(Model& model, const Dataset* data, std::vector<Edit> edits, std::int64_t untouched)
    : m_model(model), m_data(data), m_edits(std::move(edits)), m_untouched(untouched)
{}

Result<EditedRun> TouchedRun::prepare(const ModelInput& one)
{
    EditedRun run;
    std::vector<Edit> values;
    for (const Edit& edit : m_edits) {
        if (edit.kind != Edit::Kind::Start) {
            values.push_back(edit);
            continue;
        }
        auto start = startFrom(m_model, m_data, edit.text);
        if (!start)
            return tl::unexpected(start.error());
        if (m_untouched > 0)
            putBehindUntouched(m_model, *start);
        run.start = std::move(*start);
    }
    std::tie(run.first, run.last) = changedSteps(values, stepsOf(one));
    if (values.empty())
        return run;
    const bool needsMeans = std::any_of(values.begin(), values.end(), [](const Edit& edit) { return edit.toMean; });
    m_editor.emplace(m_model, values, m_untouched, needsMeans ? portMeans(m_model, one) : PortMeans{});
    run.editor = &*m_editor;
    return run;
}

at::Tensor settled(const at::Tensor& plain, const at::Tensor& beside, const at::Tensor& touched)
{
    const double rounding = plain.scalar_type() == at::kDouble ? 1e-14 : 1e-6;
    const at::Tensor bound = (beside.abs().amax({-1}, true) + 1) * rounding;
    const at::Tensor isSame = (touched - beside).abs().le(bound).all(-1, true);
    return at::where(isSame, plain, touched);
}

} // namespace unroll
