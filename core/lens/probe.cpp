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
            node, signal, SignalLook::Signed, flat.size(0), flat.size(1), {}, value.dim() == 5 ? value.size(4) : 0};
        const float* data = flat.const_data_ptr<float>();
        frame.values.assign(data, data + flat.numel());
        frames.push_back(std::move(frame));
    }

    std::vector<SignalFrame> frames;

private:
    const std::vector<WatchedSignal>& m_watched;
};

/// The first evaluation batch of one sequence, up to its padding.
void takeValidationStart(ProbeText& probe, const Dataset& data, std::size_t longest)
{
    const Batch batch = data.evaluationBatch(Split::Validation, 0, 1);
    const auto padding = std::find(batch.mask.begin(), batch.mask.end(), std::uint8_t{0});
    const auto real = batch.mask.empty() ? batch.steps : padding - batch.mask.begin();
    const auto length = std::min(static_cast<std::ptrdiff_t>(longest), static_cast<std::ptrdiff_t>(real));
    if (!batch.tokens.empty())
        probe.tokens.assign(batch.tokens.begin(), batch.tokens.begin() + length);
    probe.width = data.numbers().inputs;
    probe.features.assign(batch.features.begin(), batch.features.begin() + length * probe.width);
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

ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step)
{
    const at::NoGradGuard guard;
    Recorder recorder(watched);
    if (const auto& limit = model.longestSequence())
        cut(text, static_cast<std::size_t>(limit->steps));
    model.forward(inputOf(text, model.device()), {}, {.observer = &recorder});
    for (SignalFrame& frame : recorder.frames)
        frame.look = model.signalLook(frame.node, frame.signal);
    return {step, std::move(text.characters), std::move(recorder.frames)};
}

} // namespace unroll
