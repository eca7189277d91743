// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/reading.h"

#include "core/base/number_text.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unroll::lenses::tracks {

namespace {

constexpr std::int64_t kWarmUpSteps = 256; ///< of a stream whose state is not recorded yet

/// Real steps of a sequence of the batch: padding stands at the end.
std::int64_t realSteps(const Batch& batch, std::int64_t b)
{
    std::int64_t t = 0;
    while (t < batch.steps && (batch.mask.empty() || batch.mask[static_cast<std::size_t>(t * batch.sequences + b)]))
        ++t;
    return t;
}

/// The first `steps` of a column of the batch behind what the sequence has.
void append(ReadSequence& sequence, const Batch& batch, std::int64_t b, std::int64_t steps, const NumberFacts& facts)
{
    const auto take = [&](const auto& from, auto& to, std::int64_t columns) {
        for (std::int64_t t = 0; t < steps && !from.empty(); ++t) {
            const auto at = from.begin() + (t * batch.sequences + b) * columns;
            to.insert(to.end(), at, at + columns);
        }
    };
    take(batch.tokens, sequence.tokens, 1);
    take(batch.targets, sequence.targets, 1);
    take(batch.features, sequence.features, facts.inputs);
    take(batch.values, sequence.values, facts.targets);
    sequence.steps += steps;
}

/// The batch as tensors, the first `steps` of it.
ModelInput inputOf(const Batch& batch, std::int64_t steps, std::int64_t inputs, at::Device device)
{
    const std::int64_t places = steps * batch.sequences;
    ModelInput input;
    if (!batch.tokens.empty()) {
        at::Tensor tokens = at::empty({steps, batch.sequences}, at::kLong);
        std::copy_n(batch.tokens.begin(), places, tokens.mutable_data_ptr<std::int64_t>());
        input.tokens = tokens.to(device);
    }
    if (!batch.features.empty()) {
        at::Tensor features = at::empty({steps, batch.sequences, inputs}, at::kFloat);
        std::copy_n(batch.features.begin(), places * inputs, features.mutable_data_ptr<float>());
        input.features = features.to(device);
    }
    if (!batch.mask.empty()) {
        at::Tensor mask = at::empty({steps, batch.sequences}, at::kBool);
        std::copy_n(batch.mask.begin(), places, mask.mutable_data_ptr<bool>());
        input.mask = mask.to(device);
    }
    return input;
}

/// At even distances, the first among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most)
{
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < std::min(count, most); ++i)
        chosen.push_back(count <= most ? i : i * count / most);
    return chosen;
}

/// Keeps what one batch shows, [T, B, units].
class BatchRecorder : public Observer {
public:
    struct Shown {
        std::string node, signal;
        SignalKind kind = SignalKind::Signed;
        std::int64_t width = 0;
        std::vector<std::int64_t> units;
        UnitNames names;
        at::Tensor values;
    };

    BatchRecorder(const Model& model, const RecordingRequest& request, std::int64_t steps, std::int64_t sequences)
        : m_model(model), m_request(request), m_steps(steps), m_sequences(sequences)
    {}

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return m_request.wants(node, signal) && m_model.signalKind(node, signal) != SignalKind::Attention;
    }

    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        if (m_request.wantsOutput && value.is_floating_point() && m_request.wantsOutput(node, port))
            show(node, port, value);
    }

    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        if (value.dim() < 3 || value.size(0) != m_steps || value.size(1) != m_sequences)
            return; // one vector a sequence: it has no steps
        const SignalKind kind = m_model.signalKind(node, signal);
        at::Tensor flat = value.detach().flatten(2);
        if (kind == SignalKind::Complex)
            flat = flat.unflatten(2, {-1, 2}).norm(2, 3);
        const std::vector<std::int64_t> units = spread(flat.size(2), m_request.mostUnits);
        if (std::ssize(units) < flat.size(2)) {
            at::Tensor places = at::empty({std::ssize(units)}, at::kLong);
            std::copy(units.begin(), units.end(), places.mutable_data_ptr<std::int64_t>());
            flat = flat.index_select(2, places.to(flat.device()));
        }
        UnitNames names;
        if (const SignalSpec* spec = m_model.signalSpec(node, signal);
            spec != nullptr && kind == SignalKind::Matrix && value.dim() == 5)
            names = {value.size(3), value.size(4), spec->axes};
        shown.push_back({node, signal, kind, value.flatten(2).size(2) / (kind == SignalKind::Complex ? 2 : 1), units,
                         names, flat.to(at::kDouble).cpu()});
    }

    std::vector<Shown> shown;

private:
    const Model& m_model;
    const RecordingRequest& m_request;
    std::int64_t m_steps, m_sequences;
};

class Reader {
public:
    Reader(Model& model, const Dataset& data, const RecordingRequest& request)
        : m_model(model), m_data(data), m_request(request)
    {}

    Result<Recording> read()
    {
        const at::NoGradGuard guard;
        m_split = m_data.has(m_request.split) ? m_request.split : Split::All;
        if (!m_data.has(m_split))
            return fail(fmt::format("the data have no {} split", splitWord(m_request.split)));
        const auto done = m_data.carriesState() ? readStreams() : readSequences();
        if (!done)
            return tl::unexpected(done.error());
        return finished();
    }

private:
    std::int64_t inputs() const { return m_data.numbers().inputs; }

    /// Steps of a batch that the model takes.
    std::int64_t taken(const Batch& batch) const
    {
        const auto& limit = m_model.longestSequence();
        return limit ? std::min(batch.steps, limit->steps) : batch.steps;
    }

    Result<void> ended() const
    {
        if (m_request.end.stop_requested())
            return fail("it was cancelled");
        return {};
    }

    /// Runs `steps` of the batch, whose sequences began `started` steps before, and keeps those of each sequence that
    /// `kept` counts, behind what sequence `first` + b has.
    void run(const Batch& batch, std::int64_t steps, std::size_t first, const std::vector<std::int64_t>& kept,
             std::int64_t begun = 0)
    {
        BatchRecorder recorder(m_model, m_request, steps, batch.sequences);
        const bool keeps = std::any_of(kept.begin(), kept.end(), [](std::int64_t count) { return count > 0; });
        ModelOutput output = m_model.forward(inputOf(batch, steps, inputs(), m_model.device()), m_states,
                                             {.observer = keeps ? &recorder : nullptr, .step = begun});
        m_states = m_data.carriesState() ? detach(output.states) : States{};
        for (BatchRecorder::Shown& shown : recorder.shown) {
            auto [place, isNew] = m_places.try_emplace({shown.node, shown.signal}, m_signals.size());
            if (isNew) {
                m_signals.push_back({shown.node, shown.signal, shown.kind, shown.width, shown.units, shown.names, {}});
                m_parts.emplace_back();
            }
            auto& parts = m_parts[place->second];
            parts.resize(std::max(parts.size(), first + kept.size()));
            for (std::size_t b = 0; b < kept.size(); ++b)
                if (kept[b] > 0)
                    parts[first + b].push_back(
                        shown.values.select(1, static_cast<std::int64_t>(b)).slice(0, 0, kept[b]).clone());
        }
    }

    /// Every sequence from a zero state.
    Result<void> readSequences()
    {
        const std::int64_t size =
            std::clamp<std::int64_t>(m_request.steps / std::max<std::int64_t>(m_data.steps(), 1), 1, 64);
        const std::int64_t batches = m_data.batchesInSplit(m_split, size);
        for (std::int64_t i = 0; i < batches && m_steps < m_request.steps; ++i) {
            if (const auto going = ended(); !going)
                return going;
            const Batch batch = m_data.evaluationBatch(m_split, i, size);
            const std::int64_t steps = taken(batch);
            const std::size_t first = m_sequences.size();
            std::vector<std::int64_t> kept;
            for (std::int64_t b = 0; b < batch.sequences; ++b) {
                kept.push_back(std::min(realSteps(batch, b), steps));
                ReadSequence& made = m_sequences.emplace_back();
                append(made, batch, b, kept.back(), m_data.numbers());
                made.to = made.steps;
                m_steps += made.steps;
            }
            run(batch, steps, first, kept);
        }
        m_how = fmt::format("{}, each from a zero state", counted(std::ssize(m_sequences), "sequence"));
        return {};
    }

    /// Streams go on from batch to batch. Those before the first that is recorded are context, the last of them warm
    /// the state up.
    Result<void> readStreams()
    {
        const std::int64_t batches = m_data.batchesInSplit(m_split, 1), warm = m_data.warmUp(m_split);
        const std::int64_t begin = std::max<std::int64_t>(0, warm - (kWarmUpSteps - 1) / m_data.steps() - 1);
        std::int64_t carried = 0;
        for (std::int64_t i = 0; i < batches; ++i) {
            if (const auto going = ended(); !going)
                return going;
            const Batch batch = m_data.evaluationBatch(m_split, i, 1);
            if (taken(batch) < batch.steps)
                return fail(fmt::format("{} takes {} at most, and the data come in pieces of {}",
                                        m_model.longestSequence()->node, counted(taken(batch), "step"), batch.steps));
            m_sequences.resize(static_cast<std::size_t>(batch.sequences));
            const bool enough = m_steps >= m_request.steps,
                       fresh = i == 0 || std::ranges::find(batch.fresh, 1) != batch.fresh.end();
            std::vector<std::int64_t> kept;
            for (std::int64_t b = 0; b < batch.sequences; ++b) {
                ReadSequence& stream = m_sequences[static_cast<std::size_t>(b)];
                const std::int64_t real = realSteps(batch, b);
                if (i == warm)
                    stream.from = stream.steps;
                append(stream, batch, b, real, m_data.numbers());
                if (i >= warm && !enough)
                    stream.to = stream.steps;
                kept.push_back(i >= warm && !enough ? real : 0);
                m_steps += kept.back();
                stream.begins = false;
            }
            if (enough)
                break; // one more, as what comes behind
            if (i < begin)
                continue;
            const auto& limit = m_model.longestSequence();
            if (fresh || (limit && carried + batch.steps > limit->steps)) {
                m_states.clear();
                carried = 0;
            }
            run(batch, batch.steps, 0, kept, carried);
            carried += batch.steps;
        }
        m_how = fmt::format("{}, state carried, {}", counted(std::ssize(m_sequences), "stream"),
                            warm == begin ? "from a zero state"
                                          : fmt::format("from a zero state {} before",
                                                        counted((warm - begin) * m_data.steps(), "step")));
        return {};
    }

    Result<Recording> finished()
    {
        if (m_steps == 0)
            return fail("the data have no steps");
        Recording recording;
        for (std::size_t i = 0; i < m_signals.size(); ++i) {
            std::vector<at::Tensor> all;
            for (const std::vector<at::Tensor>& parts : m_parts[i])
                all.insert(all.end(), parts.begin(), parts.end());
            m_signals[i].values = at::cat(all, 0).t().contiguous();
            if (m_signals[i].values.size(1) == m_steps && !m_signals[i].units.empty())
                recording.signals.push_back(std::move(m_signals[i]));
        }
        recording.sequences = joined(m_data, std::move(m_sequences));
        recording.steps = m_steps;
        recording.of = fmt::format("{} of the {} ({})", counted(m_steps, "step"),
                                   m_split == Split::Validation ? "validation split"
                                   : m_split == Split::Train    ? "training data"
                                   : m_split == Split::Test     ? "test split"
                                                                : "data",
                                   m_how);
        return recording;
    }

    Model& m_model;
    const Dataset& m_data;
    const RecordingRequest& m_request;
    Split m_split = Split::Validation;
    States m_states;
    std::vector<ReadSequence> m_sequences;
    std::int64_t m_steps = 0;
    std::string m_how;
    std::map<std::pair<std::string, std::string>, std::size_t> m_places;
    std::vector<RecordedSignal> m_signals;
    std::vector<std::vector<std::vector<at::Tensor>>> m_parts; ///< of each signal and sequence
};

} // namespace

Result<Recording> record(Model& model, const Dataset& data, const RecordingRequest& request)
{
    return Reader(model, data, request).read();
}

} // namespace unroll::lenses::tracks
