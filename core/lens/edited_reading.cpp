// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_reading.h"

#include "core/lens/probe.h"
#include "core/lens/step_answers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nanmean.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Steps [first, last) of what is read.
ModelInput piece(const ModelInput& input, std::int64_t first, std::int64_t last)
{
    const auto cut = [&](const at::Tensor& all) { return all.defined() ? all.narrow(0, first, last - first) : all; };
    return {cut(input.tokens), {}, {}, cut(input.features)};
}

/// [T] bool
at::Tensor asksAt(const Asked& asked)
{
    return asked.areClasses ? at::tensor(asked.classes, at::kLong).ge(0)
                            : asked.numbers.isnan().logical_not().any(2).select(1, 0);
}

at::Tensor crossEntropy(const at::Tensor& logits, const std::vector<std::int64_t>& classes)
{
    const at::Tensor logProbability = at::log_softmax(logits.to(at::kDouble), -1).cpu();
    const at::Tensor asked = at::tensor(classes, at::kLong).unsqueeze(1).expand({-1, logits.size(1)});
    const at::Tensor taken = logProbability.gather(2, asked.clamp_min(0).unsqueeze(2)).squeeze(2);
    return at::where(asked.ge(0), -taken, at::full({}, kNone, taken.options()));
}

at::Tensor numbersLoss(const at::Tensor& prediction, const Asked& asked)
{
    const at::Tensor told = prediction.to(at::kDouble).cpu(), right = asked.numbers.expand_as(told);
    const at::Tensor loss =
        asked.areShares ? at::binary_cross_entropy_with_logits(told, right, {}, {}, 0) : (told - right).square();
    return at::nanmean(at::where(right.isnan(), right, loss), {2});
}

/// Whether sequence 0 of a changed run is what the untouched reading is, but for rounding.
bool isSame(const at::Tensor& changed, const at::Tensor& plain)
{
    constexpr double kSameWithin = 1e-2; // beside the largest; what looks ahead is off by as much as its values are
    const at::Tensor difference = (changed.narrow(1, 0, 1) - plain).abs();
    const double most = at::where(plain.isfinite(), plain.abs(), 0).max().item<double>();
    return at::where(plain.isfinite(), difference, 0).max().item<double>() <= kSameWithin * (1 + most);
}

/// Runs piece after piece with carried states, and joins what is told.
class Pieces {
public:
    Pieces(Model& model, const ModelInput& input, const EditedRun& run)
        : m_model(model), m_input(input), m_observer(run.observer), m_states(run.start)
    {}

    void read(std::int64_t first, std::int64_t last, ValueEditor* editor)
    {
        if (first >= last)
            return;
        PassContext context;
        context.editor = editor;
        context.observer = m_observer;
        context.step = first;
        ModelOutput output = m_model.forward(piece(m_input, first, last), m_states, context);
        m_states = std::move(output.states);
        m_told.push_back(output.prediction);
    }

    bool tellsSteps() const { return m_told.empty() || m_told.front().dim() == 3; }

    ModelOutput joined() { return {.loss = {}, .prediction = at::cat(m_told), .states = std::move(m_states)}; }

private:
    Model& m_model;
    const ModelInput& m_input;
    Observer* m_observer;
    States m_states;
    std::vector<at::Tensor> m_told;
};

Result<ModelOutput> stepped(Model& model, const ModelInput& input, const at::Tensor& plain, const EditedRun& run,
                            const std::stop_token& end)
{
    const std::int64_t steps = stepsOf(input);
    const std::int64_t first = std::clamp<std::int64_t>(run.first, 0, steps);
    const std::int64_t last = std::clamp(run.last, first, steps);
    Pieces pieces(model, input, run);
    pieces.read(0, first, nullptr);
    pieces.read(first, last, run.editor);
    if (end.stop_requested())
        return fail("interrupted");
    pieces.read(last, steps, nullptr);
    if (!pieces.tellsSteps())
        return fail("the network gives one output per sequence, so only node outputs can be changed");
    ModelOutput output = pieces.joined();
    if (output.prediction.sizes().slice(2) != plain.sizes().slice(2) || output.prediction.size(0) != plain.size(0) ||
        !isSame(output.prediction, plain))
        return fail("the network does not read step by step (it reads ahead, or the whole sequence at once), so only "
                    "node outputs can be changed");
    return output;
}

} // namespace

ModelInput sideBySide(const ProbeText& text, const Model& model, std::int64_t sequences)
{
    ModelInput input = inputOf(text, model.device());
    for (at::Tensor* all : {&input.tokens, &input.features})
        if (all->defined()) {
            std::vector<std::int64_t> sizes = all->sizes().vec();
            sizes[1] = sequences;
            *all = all->expand(sizes).contiguous();
        }
    return input;
}

std::int64_t stepsOf(const ModelInput& input)
{
    return input.tokens.defined() ? input.tokens.size(0) : input.features.defined() ? input.features.size(0) : 0;
}

at::Tensor perStep(const at::Tensor& prediction, const ProbeText& text)
{
    if (prediction.dim() == 3)
        return prediction;
    const auto steps = static_cast<std::int64_t>(text.steps());
    at::Tensor all = at::full({steps, prediction.size(0), prediction.size(1)}, kNone, prediction.options());
    all[answeredStep(text)].copy_(prediction);
    return all;
}

Result<Asked> askedOf(const LensSubject& subject)
{
    const ProbeText& text = *subject.text;
    const auto steps = static_cast<std::int64_t>(text.steps()), columns = std::ssize(text.targets);
    Asked asked;
    asked.areClasses = !text.labels.empty() || text.values.empty();
    for (const StepAnswer& answer : subject.look.answers)
        if (answer.asked > 0 && std::isnan(answer.loss) && (!asked.areClasses || std::isfinite(answer.probability)))
            return fail("what a step adds to this network's loss is unknown, or is not a number");
    asked.lossUnit = subject.look.lossUnit.empty() ? "nats" : subject.look.lossUnit;
    if (!asked.areClasses) {
        asked.areShares = subject.look.lossUnit.starts_with("nats");
        asked.numbers = at::full({steps, 1, columns}, kNone, at::kDouble);
        std::copy_n(text.values.begin(), std::min<std::int64_t>(steps * columns, std::ssize(text.values)),
                    asked.numbers.mutable_data_ptr<double>());
        return asked;
    }
    for (std::size_t t = 0; t < text.steps(); ++t)
        asked.classes.push_back(t < text.asked.size() && text.asked[t] >= 0 ? text.asked[t] : -1);
    return asked;
}

at::Tensor lossPerStep(const at::Tensor& prediction, const Asked& asked)
{
    return asked.areClasses ? crossEntropy(prediction, asked.classes) : numbersLoss(prediction, asked);
}

std::int64_t stepsAsking(const Asked& asked)
{
    return asksAt(asked).sum().item<std::int64_t>();
}

at::Tensor meanLoss(const at::Tensor& losses, const Asked& asked)
{
    const at::Tensor asks = asksAt(asked);
    return at::where(asks.unsqueeze(1), losses, 0).sum(0) / asks.sum().to(at::kDouble);
}

ModelOutput readPlain(Model& model, const ModelInput& input)
{
    const at::NoGradGuard guard;
    return model.forward(input, {}, {});
}

Result<void> tryEdits(Model& model, const ModelInput& input, const EditedRun& run)
{
    const at::NoGradGuard guard;
    try {
        PassContext context;
        context.editor = run.editor;
        model.forward(piece(input, 0, 1), run.start, context);
    } catch (const EditTrouble& trouble) {
        return fail(trouble.what());
    }
    if (const std::string trouble = run.editor->trouble(); !trouble.empty())
        return fail(trouble);
    return {};
}

Result<ModelOutput> readEdited(Model& model, const ModelInput& input, const at::Tensor& plain, const EditedRun& run,
                               const std::stop_token& end)
{
    const at::NoGradGuard guard;
    try {
        if (run.editor != nullptr)
            if (auto can = tryEdits(model, input, run); !can)
                return tl::unexpected(can.error());
        if (run.editor != nullptr && run.editor->needsSteps())
            return stepped(model, input, plain, run, end);
        PassContext context;
        context.editor = run.editor;
        context.observer = run.observer;
        return model.forward(input, run.start, context);
    } catch (const EditTrouble& trouble) {
        return fail(trouble.what());
    }
}

} // namespace unroll
