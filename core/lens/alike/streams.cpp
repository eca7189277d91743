// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/alike/streams.h"

#include "core/base/number_text.h"
#include "core/data/dataset.h"
#include "core/lens/batch_input.h"
#include "core/model/model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace unroll::lenses::alike {

namespace {

constexpr std::int64_t kStreams = 16; ///< side by side, at most
constexpr std::int64_t kLeastStream = 512;
constexpr std::int64_t kWarmUp = 128;   ///< steps before its own, from a zero state
constexpr std::int64_t kChunk = 128;    ///< steps of one pass
constexpr std::int64_t kSequences = 16; ///< of a batch, where they stand for themselves

/// As many as are wished for, or the usual count; all values of the signal are kept meanwhile.
std::int64_t searchedSteps(const SignalFrame& like, std::int64_t wished)
{
    constexpr std::int64_t kMostValues = std::int64_t{1} << 26;
    const std::int64_t usual = like.width > 2048 ? 4096 : 8192;
    return wished > 0 ? std::min(wished, std::max(usual, kMostValues / std::max<std::int64_t>(like.width, 1))) : usual;
}

/// Keeps the last value of one signal.
class OneSignal : public Observer {
public:
    explicit OneSignal(const SignalFrame& like) : m_like(like) {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return node == m_like.node && signal == m_like.signal;
    }

    void show(const std::string&, const std::string&, const at::Tensor& value) override
    {
        m_value = value.detach().to(at::kFloat).cpu().flatten(2).contiguous();
    }

    /// [T, B, width] of the pass; an error where it showed nothing, or a signal of another size.
    Result<at::Tensor> take(std::int64_t steps)
    {
        at::Tensor value = std::exchange(m_value, at::Tensor());
        if (!value.defined() || value.size(0) != steps || value.size(2) != m_like.width)
            return fail(m_like.node + " does not show a value of " + m_like.signal + " at each step of the data");
        return value;
    }

private:
    const SignalFrame& m_like;
    at::Tensor m_value;
};

/// Runs the model over batches, state by state.
class Runner {
public:
    Runner(const LensSubject& subject, const SignalFrame& like) : m_subject(subject), m_like(like), m_signal(like) {}

    void forget()
    {
        m_states.clear();
        m_step = 0;
    }
    void begin(const std::vector<std::uint8_t>& fresh)
    {
        if (std::all_of(fresh.begin(), fresh.end(), [](std::uint8_t row) { return row != 0; }) && !fresh.empty())
            forget();
        clearFresh(m_states, fresh);
    }

    Result<at::Tensor> run(const Batch& batch)
    {
        if (m_subject.end.stop_requested())
            return fail("the search was cancelled");
        ModelInput input = batchInput(batch, m_subject.model->device());
        input.targets = at::Tensor();
        m_states = detach(m_subject.model->forward(input, m_states, {.observer = &m_signal, .step = m_step}).states);
        m_step += batch.steps;
        return m_signal.take(batch.steps);
    }

    /// Puts the values of one sequence at one step behind the stream's.
    void append(const at::Tensor& values, std::int64_t step, std::int64_t sequence, Stream& to) const
    {
        const float* row = values.const_data_ptr<float>() + (step * values.size(1) + sequence) * values.size(2);
        SignalFrame one{{}, {}, m_like.look, 1, m_like.width, {row, row + values.size(2)}};
        const std::vector<float> units = unitValues(one);
        to.values.insert(to.values.end(), units.begin(), units.end());
    }

private:
    const LensSubject& m_subject;
    const SignalFrame& m_like;
    OneSignal m_signal;
    States m_states;
    std::int64_t m_step = 0; ///< since the states began
};

/// Steps `from` .. of a text for each of the streams that begin there; what lies behind the end reads class 0.
Batch textBatch(const std::vector<std::int32_t>& tokens, const std::vector<std::int64_t>& starts, std::int64_t from,
                std::int64_t steps)
{
    Batch batch;
    batch.steps = steps;
    batch.sequences = std::ssize(starts);
    for (std::int64_t step = 0; step < steps; ++step)
        for (const std::int64_t start : starts) {
            const std::int64_t at = start + from + step;
            batch.tokens.push_back(at < std::ssize(tokens) ? tokens[static_cast<std::size_t>(at)] : 0);
        }
    return batch;
}

/// A text in its order: the streams' values are joined to one sequence.
Result<SearchedData> searchedText(const LensSubject& subject, const SignalFrame& like, Split split, std::int64_t most)
{
    Stream whole;
    whole.tokens = subject.data->beginning(split, most);
    whole.inputs.assign(whole.tokens.begin(), whole.tokens.end());
    const std::int64_t all = std::ssize(whole.tokens);
    const std::int64_t streams = std::clamp<std::int64_t>(all / kLeastStream, 1, kStreams);
    const std::int64_t own = (all + streams - 1) / streams; // steps of each
    std::vector<std::int64_t> starts;
    for (std::int64_t stream = 0; stream < streams; ++stream)
        starts.push_back(stream == 0 ? 0 : stream * own - kWarmUp);
    const auto& limit = subject.model->longestSequence();
    const std::int64_t chunk = limit ? std::min(kChunk, limit->steps) : kChunk;
    std::vector<Stream> parts(static_cast<std::size_t>(streams));
    Runner runner(subject, like);
    for (std::int64_t from = 0; from < own + (streams > 1 ? kWarmUp : 0); from += chunk) {
        if (limit)
            runner.forget();
        const auto values = runner.run(textBatch(whole.tokens, starts, from, chunk));
        if (!values)
            return tl::unexpected(values.error());
        for (std::int64_t stream = 0; stream < streams; ++stream)
            for (std::int64_t step = 0; step < chunk; ++step) {
                const std::int64_t at = starts[static_cast<std::size_t>(stream)] + from + step;
                if (at >= stream * own && at < std::min((stream + 1) * own, all))
                    runner.append(*values, step, stream, parts[static_cast<std::size_t>(stream)]);
            }
    }
    for (const Stream& part : parts)
        whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
    SearchedData data{{std::move(whole)}, unitsOf(like), {}};
    data.words =
        fmt::format("{} steps of the {}, in {} stream{}", grouped(all),
                    split == Split::Validation ? "validation split" : "data", streams, streams == 1 ? "" : "s");
    if (limit)
        data.words +=
            fmt::format(", restarted every {} steps, since {} takes at most {}", chunk, limit->node, limit->steps);
    return data;
}

/// Steps of a sequence of the batch before its padding.
std::int64_t realSteps(const Batch& batch, std::int64_t sequence)
{
    std::int64_t step = 0;
    while (step < batch.steps &&
           (batch.mask.empty() || batch.mask[static_cast<std::size_t>(step * batch.sequences + sequence)] != 0))
        ++step;
    return step;
}

/// What the batch reads at one step.
void appendInputs(const Batch& batch, std::int64_t step, std::int64_t sequence, Stream& to)
{
    const auto at = static_cast<std::size_t>(step * batch.sequences + sequence);
    if (!batch.tokens.empty()) {
        to.tokens.push_back(batch.tokens[at]);
        to.inputs.push_back(static_cast<float>(batch.tokens[at]));
        return;
    }
    const std::size_t width = batch.features.size() / static_cast<std::size_t>(batch.steps * batch.sequences);
    const auto first = batch.features.begin() + static_cast<std::ptrdiff_t>(at * width);
    to.inputs.insert(to.inputs.end(), first, first + static_cast<std::ptrdiff_t>(width));
}

/// The batches of whole-split evaluation: streams that go on from batch to batch, or sequences that stand for
/// themselves.
Result<SearchedData> searchedBatches(const LensSubject& subject, const SignalFrame& like, Split split,
                                     std::int64_t most)
{
    const Dataset& data = *subject.data;
    const bool carries = data.carriesState();
    SearchedData found{{}, unitsOf(like), {}};
    Runner runner(subject, like);
    std::int64_t steps = 0;
    const std::int64_t batches = data.batchesInSplit(split, kSequences), warmUp = data.warmUp(split);
    for (std::int64_t index = 0; index < batches && steps < most; ++index) {
        const Batch batch = data.evaluationBatch(split, index, kSequences);
        if (!carries)
            runner.forget();
        runner.begin(batch.fresh);
        const auto values = runner.run(batch);
        if (!values)
            return tl::unexpected(values.error());
        if (index < warmUp)
            continue;
        for (std::int64_t b = 0; b < batch.sequences; ++b) {
            const std::int64_t real = realSteps(batch, b);
            if (!carries || b >= std::ssize(found.streams))
                found.streams.push_back(
                    {.sequence = std::ssize(found.streams), .tokens = {}, .inputs = {}, .values = {}});
            Stream& stream = carries ? found.streams[static_cast<std::size_t>(b)] : found.streams.back();
            for (std::int64_t step = 0; step < real; ++step) {
                appendInputs(batch, step, b, stream);
                runner.append(*values, step, b, stream);
            }
            steps += real;
        }
    }
    found.words = fmt::format("{} steps of the {}, in {} {}", grouped(steps),
                              split == Split::Validation ? "validation split" : "data", found.streams.size(),
                              carries ? "streams" : "sequences that each begin from a zero state");
    return found;
}

} // namespace

std::int64_t unitsOf(const SignalFrame& frame)
{
    return frame.look == SignalKind::Complex ? frame.width / 2 : frame.width;
}

std::vector<float> unitValues(const SignalFrame& frame)
{
    if (frame.look != SignalKind::Complex)
        return frame.values;
    std::vector<float> moduli;
    for (std::size_t i = 0; i + 1 < frame.values.size(); i += 2)
        moduli.push_back(std::hypot(frame.values[i], frame.values[i + 1]));
    return moduli;
}

Result<SearchedData> searchedData(const LensSubject& subject, const SignalFrame& like, std::int64_t steps)
{
    const at::NoGradGuard guard;
    const Dataset& data = *subject.data;
    const Split split = data.has(Split::Validation) ? Split::Validation : Split::All;
    const bool isText = data.carriesState() && data.numbers().inputs == 0;
    const std::int64_t most = searchedSteps(like, steps);
    auto found = isText ? searchedText(subject, like, split, most) : searchedBatches(subject, like, split, most);
    if (found && std::all_of(found->streams.begin(), found->streams.end(),
                             [](const Stream& stream) { return stream.values.empty(); }))
        return fail("the data has no step to search");
    return found;
}

} // namespace unroll::lenses::alike
