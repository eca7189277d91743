// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/probe.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>

namespace unroll {

namespace {

/// Keeps copies of what is watched, as floats.
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

    std::vector<SignalFrame> frames;

private:
    const std::vector<WatchedSignal>& m_watched;
};

/// The first sequence of the validation split, up to its padding.
void takeValidationStart(ProbeText& probe, const Dataset& data, std::size_t longest)
{
    // Of small data that a model looks at alone, all may be one part.
    const Batch batch = data.firstSequence(data.has(Split::Validation) ? Split::Validation : Split::All);
    const auto padding = std::find(batch.mask.begin(), batch.mask.end(), std::uint8_t{0});
    const auto real = batch.mask.empty() ? batch.steps : padding - batch.mask.begin();
    const auto length = std::min(static_cast<std::ptrdiff_t>(longest), static_cast<std::ptrdiff_t>(real));
    if (!batch.tokens.empty())
        probe.tokens.assign(batch.tokens.begin(), batch.tokens.begin() + length);
    probe.width = data.numbers().inputs;
    probe.features.assign(batch.features.begin(), batch.features.begin() + length * probe.width);
    probe.targets = data.scales().targets;
    probe.values.assign(batch.values.begin(), batch.values.begin() + length * std::ssize(probe.targets));
}

bool isOf(const SignalFrame& frame, const WatchedSignal& signal)
{
    return frame.node == signal.node && frame.signal == signal.signal;
}

/// Each column of what is told and of what is right, in the column's own units.
std::vector<Forecast> forecastsOf(const ProbeText& text, const SignalFrame& told)
{
    std::vector<Forecast> forecasts;
    for (std::size_t column = 0; column < text.targets.size(); ++column) {
        const ColumnScale& scale = text.targets[column];
        const auto unscaled = [&](float value) {
            return static_cast<float>(static_cast<double>(value) * scale.scale + scale.shift);
        };
        Forecast& made = forecasts.emplace_back(Forecast{scale.name, {}, {}});
        for (std::size_t i = column; i < told.values.size(); i += text.targets.size()) {
            made.told.push_back(unscaled(told.values[i]));
            made.right.push_back(unscaled(text.values[i]));
        }
    }
    return forecasts;
}

/// Takes the signal out of the frames where it was only recorded for this.
std::vector<Forecast> takeForecasts(const ProbeText& text, std::vector<SignalFrame>& frames, bool isWatched)
{
    const auto told =
        std::find_if(frames.begin(), frames.end(), [&](const SignalFrame& frame) { return isOf(frame, text.told); });
    if (told == frames.end() || told->values.size() != text.values.size()) // or there is one for the whole sequence
        return {};
    std::vector<Forecast> forecasts = forecastsOf(text, *told);
    if (!isWatched)
        frames.erase(told);
    return forecasts;
}

/// [T, 1] classes or [T, 1, inputs] numbers.
ModelInput inputOf(const ProbeText& probe, at::Device device)
{
    if (probe.features.empty()) {
        at::Tensor tokens = at::empty({static_cast<std::int64_t>(probe.tokens.size()), 1}, at::kLong);
        std::copy(probe.tokens.begin(), probe.tokens.end(), tokens.mutable_data_ptr<std::int64_t>());
        return {.tokens = tokens.to(device), .targets = {}, .mask = {}, .features = {}};
    }
    const auto steps = static_cast<std::int64_t>(probe.features.size()) / probe.width;
    at::Tensor features = at::empty({steps, 1, probe.width}, at::kFloat);
    std::copy(probe.features.begin(), probe.features.end(), features.mutable_data_ptr<float>());
    return {.tokens = {}, .targets = {}, .mask = {}, .features = features.to(device)};
}

std::vector<std::string> labelsOf(const std::vector<std::int32_t>& tokens, const Vocabulary& vocabulary)
{
    const std::vector<std::string> alphabet = vocabulary.alphabet();
    std::vector<std::string> labels;
    for (std::int32_t token : tokens)
        labels.push_back(alphabet[static_cast<std::size_t>(token)]);
    return labels;
}

void cut(ProbeText& text, std::size_t longest)
{
    const auto most = [](auto& values, std::size_t count) { values.resize(std::min(values.size(), count)); };
    most(text.tokens, longest);
    most(text.characters, longest);
    most(text.features, longest * static_cast<std::size_t>(text.width));
    most(text.values, longest * text.targets.size());
}

} // namespace

ProbeText encodeProbeText(const Vocabulary& vocabulary, const std::string& text, std::size_t longest)
{
    ProbeText probe;
    auto encoded = vocabulary.encode(text);
    if (encoded)
        probe.tokens = std::move(*encoded);
    else
        probe.trouble = encoded.error().text();
    cut(probe, longest);
    probe.characters = labelsOf(probe.tokens, vocabulary);
    return probe;
}

ProbeText makeProbeText(const Dataset& data, const std::string& text, std::size_t longest)
{
    ProbeText probe = encodeProbeText(data, text, longest);
    if (probe.tokens.empty()) {
        takeValidationStart(probe, data, longest);
        probe.characters = labelsOf(probe.tokens, data);
    }
    return probe;
}

Result<std::int64_t> findText(const Dataset& data, const std::string& text, std::int64_t)
{
    return fail("not in " + data.describe(), text);
}

ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step)
{
    const at::NoGradGuard guard;
    std::vector<WatchedSignal> recorded = watched;
    const bool isWatched = std::find(watched.begin(), watched.end(), text.told) != watched.end();
    if (!isWatched && !text.values.empty() && !text.told.node.empty())
        recorded.push_back(text.told);
    Recorder recorder(recorded);
    if (const auto& limit = model.longestSequence())
        cut(text, static_cast<std::size_t>(limit->steps));
    model.forward(inputOf(text, model.device()), {}, {.observer = &recorder});
    std::vector<Forecast> forecasts = takeForecasts(text, recorder.frames, isWatched);
    for (SignalFrame& frame : recorder.frames)
        frame.look = model.signalKind(frame.node, frame.signal);
    return {step, std::move(text.characters), std::move(recorder.frames), std::move(forecasts)};
}

} // namespace unroll
