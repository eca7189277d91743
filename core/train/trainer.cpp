// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainer.h"

#include "core/check/memory.h"
#include "core/data/random.h"
#include "core/model/loss_only.h"
#include "core/train/batch_tensors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

/// Distinct streams for a run's generators, so that dropout never repeats the draws of the weights.
constexpr std::uint64_t kDropoutStream = 0x64726f70;
constexpr std::int64_t kLimitsEvery = 10; ///< updates; what grows without end grows over many

/// Those that have a target.
std::int64_t asking(const std::vector<Batch>& batches)
{
    return std::count_if(batches.begin(), batches.end(), [](const Batch& batch) { return batch.asks(); });
}

/// Of each of so many batches in the update's loss and gradient.
double shareOf(std::int64_t batches)
{
    return batches > 0 ? 1.0 / static_cast<double>(batches) : 0;
}

} // namespace

at::Generator makeGenerator(at::Device device, std::uint64_t seed)
{
    at::Generator generator = device.is_cuda() ? at::detail::getCUDAHooks().getNewGenerator(device.index())
                                               : at::make_generator<at::CPUGeneratorImpl>();
    generator.set_current_seed(seed);
    return generator;
}

Trainer::Trainer(const Experiment& experiment, Model& model, const Dataset& data, Ranks* ranks)
    : m_settings(experiment.training),
      m_seed(experiment.seed),
      m_model(model),
      m_data(data),
      m_ranks(ranks),
      m_device(model.device()),
      m_limited(model.limitedSignals()),
      m_optimizer(experiment.training, model.weights()),
      m_dropout(makeGenerator(m_device, experiment.seed ^ kDropoutStream)),
      m_foundInf(at::zeros({1}, at::device(m_device).dtype(at::kFloat))),
      m_peak(experiment.training.learningRate),
      m_plan(planned(experiment.training))
{}

std::vector<Batch> Trainer::batchesOf(std::int64_t step) const
{
    std::vector<Batch> batches;
    for (std::int64_t i = 0; i < m_settings.accumulation; ++i)
        batches.push_back(m_data.batch(Split::Train, step * m_settings.accumulation + i, m_settings.batch, m_seed));
    return batches;
}

/// Forward over one batch of an update, and backward where it has a target. Gives the loss, undefined without one;
/// `states` goes on to the next batch.
at::Tensor Trainer::accumulate(const Batch& batch, double weight, States& states, PassContext context)
{
    const bool learns = batch.asks();
    const at::AutoGradMode guard(learns);
    if (!m_data.carriesState())
        states.clear();
    clearFresh(states, batch.fresh);
    context.training = true;
    context.bf16 = m_settings.precision == Precision::Bf16;
    context.keepsState = m_data.carriesState();
    const LossOnly lossOnly;
    ModelOutput output = m_model.forward(tensorsOf(batch, m_device), states, std::move(context));
    states = detach(output.states);
    if (!learns)
        return {};
    (weight == 1.0 ? output.loss : output.loss * weight).backward();
    return output.loss.detach();
}

/// What this rank's targets add to the loss of the whole batch and to its gradient.
at::Tensor Trainer::accumulateShare(const Batch& whole, double weight, States& states, PassContext context)
{
    if (m_ranks == nullptr)
        return accumulate(whole, weight, states, std::move(context));
    const Batch batch = m_ranks->shareOf(whole);
    const std::int64_t all = whole.scoredTargets();
    const double share = all > 0 ? static_cast<double>(batch.scoredTargets()) / static_cast<double>(all) : 0;
    const at::Tensor loss = accumulate(batch, weight * share, states, std::move(context));
    return loss.defined() ? loss.to(at::kDouble) * share : loss;
}

/// Of all ranks from here on: gradients, the loss, peaks and wishes.
void Trainer::addUp(at::Tensor& loss, StepReport& report)
{
    const Ranks::Sums sums = m_ranks->addUp(m_model.weights(), loss, report.learned);
    if (report.learned)
        loss = at::scalar_tensor(sums.loss, at::kDouble);
    report.wishes = sums.wishes;
    m_ranks->greatest(report.peaks);
}

void Trainer::remember()
{
    if (m_before.size() == static_cast<std::size_t>(kRememberedUpdates))
        m_before.pop_front();
    m_before.push_back({m_step, m_tokens, m_states, m_dropout.get_state()});
}

std::deque<Trainer::Before>::const_iterator Trainer::remembered(std::int64_t step) const
{
    return std::find_if(m_before.begin(), m_before.end(), [&](const Before& entry) { return entry.step == step; });
}

bool Trainer::rewind(std::int64_t step)
{
    const auto before = remembered(step);
    if (before == m_before.end())
        return false;
    m_step = before->step;
    m_tokens = before->tokens;
    m_states = before->states;
    m_dropout.set_state(before->dropout);
    m_foundInf = at::zeros_like(m_foundInf);
    m_before.erase(before, m_before.end());
    return true;
}

/// Of the update in hand only what its batches have moved: weights and moments are touched at its end.
void Trainer::takeBack()
{
    m_tokens = m_before.back().tokens;
    m_dropout.set_state(m_before.back().dropout);
    m_before.pop_back();
}

std::optional<StepReport> Trainer::step(const std::stop_token& stop)
{
    if (m_ranks != nullptr)
        m_ranks->seedDraws(m_dropout, m_seed, m_step);
    remember();
    m_optimizer.clearGradients();
    const std::vector<Batch> batches = batchesOf(m_step);
    const std::int64_t asked = asking(batches);
    at::Tensor loss;
    States states = m_states;
    LimitWatch limits(m_step % kLimitsEvery == 0 ? m_limited : std::vector<LimitedSignal>{});
    Observer* observer = limits.watches() ? &limits : nullptr;
    for (size_t i = 0; i < batches.size(); ++i) {
        if (i > 0 && stop.stop_requested()) {
            takeBack();
            return {};
        }
        const at::Tensor part =
            accumulateShare(batches[i], shareOf(asked), states, {.dropout = &m_dropout, .observer = observer});
        if (part.defined())
            loss = loss.defined() ? loss + part : part;
        m_tokens += m_data.steps() * m_settings.batch;
    }
    StepReport report{m_step + 1, m_tokens, nextLearningRate(), {}, {}, asked > 0, limits.peaks(), {}};
    if (m_ranks != nullptr)
        addUp(loss, report);
    if (asked == 0) {
        m_states = std::move(states);
        ++m_step;
        return report;
    }
    if (asked > 1)
        loss = loss / asked;
    if (const at::Tensor penalty = m_optimizer.addPenalties(); penalty.defined())
        loss = loss + penalty;
    const at::Tensor norm = m_optimizer.clipGradients(m_settings.clip);
    const at::Tensor good = at::isfinite(loss).logical_and(at::isfinite(norm));
    m_foundInf = at::maximum(m_foundInf, good.logical_not().to(at::kFloat));
    m_optimizer.update(report.learningRate, m_foundInf);
    m_states = std::move(states);
    ++m_step;
    report.loss = loss;
    report.gradientNorm = norm;
    return report;
}

std::optional<Evaluation> Trainer::evaluate(const Portion& portion, const std::stop_token& stop)
{
    const at::NoGradGuard guard;
    const std::int64_t wanted = m_data.batchesIn(portion);
    constexpr std::int64_t kMostLabels = 1000; // a table of more is read by nobody
    const auto labels = static_cast<std::int64_t>(m_data.labels().size());
    Tally tally{.labels = labels <= kMostLabels ? labels : 0};
    States states;
    for (std::int64_t i = 0; i < wanted; ++i) {
        if (stop.stop_requested())
            return {};
        Batch batch = m_data.evaluationBatch(portion.split, i, portion.batchSize);
        if (m_ranks != nullptr)
            batch = m_ranks->shareOf(batch);
        if (batch.sequences == 0) // fewer sequences than ranks
            continue;
        if (!m_data.carriesState())
            states.clear();
        clearFresh(states, batch.fresh);
        ModelOutput output = m_model.forward(tensorsOf(batch, m_device), states, {.keepsState = m_data.carriesState()});
        const std::int64_t scored = batch.scoredTargets();
        if (scored > 0) // what a loss over none gives is not a number
            tally.loss += output.loss.item<double>() * static_cast<double>(scored);
        if (!std::isfinite(tally.loss) && !tally.bad)
            tally.bad = findInForward(m_model, tensorsOf(batch, m_device), states,
                                      m_step > 0 ? fmt::format("after step {}", m_step) : "in evaluation");
        tally.targets += scored;
        tally.addGuesses(batch, output.prediction);
        states = std::move(output.states);
    }
    if (m_ranks != nullptr)
        m_ranks->addUp(tally);
    return tally.mean();
}

/// Runs the batches of the update again under `record`. The gradients it leaves are those of the update.
std::optional<BadPlace> Trainer::badPlace(const Before& before, PassRecord& record)
{
    States states = before.states;
    at::Generator dropout = m_dropout.clone(); // training's own draws stay where they are
    dropout.set_state(before.dropout);
    m_optimizer.clearGradients();
    const std::vector<Batch> batches = batchesOf(before.step);
    for (const Batch& batch : batches) {
        record.clear();
        accumulateShare(batch, shareOf(asking(batches)), states, {.dropout = &dropout, .observer = &record});
        if (record.found())
            return record.found();
        if (auto gradient = record.badGradient(m_model.weights()))
            return gradient;
    }
    if (auto penalty = badPenalty(m_model.weights()))
        return penalty;
    m_optimizer.addPenalties();
    if (const double norm = m_optimizer.clipGradients(0).item<double>(); !std::isfinite(norm))
        return largestGradient(m_model.weights());
    return std::nullopt;
}

BadNode Trainer::findBadNode(std::int64_t step)
{
    const std::string when = fmt::format("at step {}", step + 1);
    if (const auto weight = badWeight(m_model.weights(), step > 0 ? "optimizer step" : "initial weights"))
        return weight->at(step > 0 ? fmt::format("after step {}", step) : "before step 1");
    const auto before = remembered(step);
    if (before == m_before.end())
        return {"", fmt::format("a non-finite value appeared {}, which is too far back to be rerun", when)};
    PassRecord watched(m_limited, m_model.sourceNode());
    std::optional<BadPlace> place = badPlace(*before, watched);
    if (!place && !m_limited.empty()) { // what is not watched may be computed in another way
        PassRecord plain({}, m_model.sourceNode());
        place = badPlace(*before, plain);
    }
    m_optimizer.clearGradients();
    BadNode found =
        place ? place->at(when)
              : BadNode{"",
                        fmt::format("a non-finite value appeared {}, and did not reappear when the batch was repeated",
                                    when)};
    found.peaks = watched.peaks();
    return m_ranks != nullptr ? m_ranks->first(found) : found;
}

StreamPlace Trainer::streams() const
{
    return {m_step * m_settings.accumulation, m_settings.batch, m_data.steps(), m_data.contentHash()};
}

TrainerState Trainer::state() const
{
    return {m_step, m_tokens, m_peak, m_plan, streams(), m_states, m_dropout.get_state()};
}

TrainerState Trainer::wholeState() const
{
    TrainerState whole = state();
    if (m_ranks != nullptr)
        whole.carried = m_ranks->whole(m_states);
    return whole;
}

bool Trainer::align()
{
    if (m_ranks == nullptr)
        return true;
    std::vector<at::Tensor> weights;
    for (const Weight& weight : m_model.weights())
        weights.push_back(weight.tensor);
    if (m_ranks->align(weights))
        return true;
    for (const auto& [name, tensor] : m_optimizer.state())
        m_ranks->group().broadcast(tensor);
    for (const at::Tensor& weight : weights) // what is kept of a weight goes by its version
        weight.unsafeGetTensorImpl()->bump_version();
    return false;
}

/// The generator as saved, or one of this device's kind, seeded by the run and the step.
Result<at::Generator> Trainer::dropoutFrom(const TrainerState& state) const
{
    at::Generator generator = m_dropout.clone();
    if (generator.get_state().sizes() != state.dropout.sizes()) {
        Random random(m_seed, kDropoutStream, static_cast<std::uint64_t>(state.step));
        generator.set_current_seed(random.next());
        return generator;
    }
    try {
        generator.set_state(state.dropout);
    } catch (const c10::Error&) {
        return fail("the random generator's state is damaged");
    }
    return generator;
}

Result<std::vector<std::string>> Trainer::restore(TrainerState state)
{
    auto dropout = dropoutFrom(state);
    if (!dropout)
        return tl::unexpected(dropout.error());
    std::vector<std::string> notes;
    if (dropout->get_state().sizes() != state.dropout.sizes())
        notes.emplace_back(
            "the dropout generator is of another device type: it is reseeded from the seed and the step");
    m_step = state.step;
    m_tokens = state.tokens;
    m_peak = state.peakLearningRate;
    m_plan = state.plan;
    m_dropout = std::move(*dropout);
    const bool sameStreams = state.streams == streams();
    if (m_data.carriesState() && !sameStreams && !state.carried.empty())
        notes.emplace_back("the carried states belong to another batch size, window or text: they start from zero");
    m_states = sameStreams ? std::move(state.carried) : States{};
    if (m_ranks != nullptr)
        m_states = m_ranks->shareOf(m_states);
    m_foundInf = at::zeros_like(m_foundInf);
    m_before.clear();
    return notes;
}

} // namespace unroll
