// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/probe.h"

#include "core/base/number_text.h"
#include "core/lens/signal_recorder.h"
#include "core/lens/step_answers.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

/// [T, 1] whole numbers.
at::Tensor column(const std::vector<std::int32_t>& values)
{
    at::Tensor tensor = at::empty({std::ssize(values), 1}, at::kLong);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor;
}

/// [T, 1, width]
at::Tensor columns(const std::vector<float>& values, std::int64_t width)
{
    at::Tensor tensor = at::empty({std::ssize(values) / width, 1, width}, at::kFloat);
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<float>());
    return tensor;
}

} // namespace

void cutToModel(ProbeText& text, const Model& model)
{
    const auto& limit = model.longestSequence();
    if (!limit || text.steps() <= static_cast<std::size_t>(limit->steps))
        return;
    text.cut(static_cast<std::size_t>(limit->steps));
    text.of += fmt::format(" (its first {}: {} takes no more)", counted(limit->steps, "step"), limit->node);
}

ModelInput inputOf(const ProbeText& text, at::Device device, bool withTargets)
{
    ModelInput input;
    if (text.features.empty())
        input.tokens = column(text.tokens).to(device);
    else
        input.features = columns(text.features, text.width).to(device);
    if (withTargets && !text.values.empty())
        input.targets = columns(text.values, std::ssize(text.targets)).to(device);
    else if (withTargets && !text.asked.empty())
        input.targets = column(text.asked).to(device);
    return input;
}

ProbeFrame frameOf(const Model& model, ProbeText text, const LensNeeds& needs, std::int64_t step, Recorded recorded)
{
    const Told& told = recorded.told;
    ProbeFrame frame{.step = step, .characters = {}, .signalFrames = std::move(recorded.signals)};
    if (needs.forecasts)
        frame.forecasts = forecastsOf(text, told);
    if (needs.answers) {
        frame.answers = stepAnswers(text, told);
        frame.lossUnit = frame.answers.empty() ? std::string() : told.lossUnit;
    }
    for (SignalFrame& each : frame.signalFrames) {
        each.look = model.signalKind(each.node, each.signal);
        if (const SignalSpec* spec = model.signalSpec(each.node, each.signal))
            each.axes = spec->axes;
    }
    frame.characters = std::move(text.characters);
    frame.of = std::move(text.of);
    return frame;
}

ProbeFrame look(Model& model, ProbeText text, const LensNeeds& needs, std::int64_t step)
{
    const at::NoGradGuard guard;
    SignalRecorder recorder(needs.watched, 1);
    cutToModel(text, model);
    ModelOutput output = model.forward(inputOf(text, model.device(), needs.answers), {}, {.observer = &recorder});
    return frameOf(model, std::move(text), needs, step,
                   {{output.prediction, output.loss, model.lossUnit()}, recorder.take(0)});
}

ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step)
{
    return look(model, std::move(text), {watched}, step);
}

} // namespace unroll
