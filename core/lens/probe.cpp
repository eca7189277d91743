// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/probe.h"

#include "core/base/number_text.h"
#include "core/lens/step_answers.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

/// Keeps copies of what is watched, as floats, and what the loss is measured in.
class Recorder : public Observer {
public:
    explicit Recorder(const std::vector<WatchedSignal>& watched) : m_watched(watched) {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return std::find(m_watched.begin(), m_watched.end(), WatchedSignal{node, signal}) != m_watched.end();
    }

    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        const at::Tensor flat = value.detach().select(1, 0).to(at::kFloat).cpu().flatten(1).contiguous(); // B = 1
        SignalFrame frame{
            node, signal, SignalKind::Signed, flat.size(0), flat.size(1), {}, value.dim() == 5 ? value.size(4) : 0};
        const float* data = flat.const_data_ptr<float>();
        frame.values.assign(data, data + flat.numel());
        frames.push_back(std::move(frame));
    }

    void entering(const std::string&, const BlockSpec& spec, std::vector<Value>&) override
    {
        if (spec.givesLoss())
            lossUnit = spec.lossUnit;
    }

    std::vector<SignalFrame> frames;
    std::string lossUnit;

private:
    const std::vector<WatchedSignal>& m_watched;
};

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

ProbeFrame look(Model& model, ProbeText text, const LensNeeds& needs, std::int64_t step)
{
    const at::NoGradGuard guard;
    Recorder recorder(needs.watched);
    cutToModel(text, model);
    ModelOutput output = model.forward(inputOf(text, model.device(), needs.answers), {}, {.observer = &recorder});
    const Told told{output.prediction, output.loss, recorder.lossUnit};
    ProbeFrame frame{.step = step, .characters = {}, .signalFrames = std::move(recorder.frames)};
    if (needs.forecasts)
        frame.forecasts = forecastsOf(text, told);
    if (needs.answers) {
        frame.answers = stepAnswers(text, told);
        frame.lossUnit = frame.answers.empty() ? std::string() : told.lossUnit;
    }
    for (SignalFrame& each : frame.signalFrames)
        each.look = model.signalKind(each.node, each.signal);
    frame.characters = std::move(text.characters);
    frame.of = std::move(text.of);
    return frame;
}

ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step)
{
    return look(model, std::move(text), {watched}, step);
}

} // namespace unroll
