// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_reading.h"

#include "core/lens/probe.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
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

/// The class that each step asks for, by the labels of the answers; -1: none.
std::vector<std::int64_t> classesAsked(const std::vector<StepAnswer>& answers, const Dataset& data)
{
    std::vector<std::string> labels = data.labels();
    if (labels.empty())
        labels = data.alphabet();
    std::vector<std::int64_t> classes;
    for (const StepAnswer& answer : answers) {
        const auto found = std::find(labels.begin(), labels.end(), answer.came);
        const bool isAsked = !answer.came.empty() && std::isfinite(answer.loss) && found != labels.end();
        classes.push_back(isAsked ? found - labels.begin() : -1);
    }
    return classes;
}

/// Each token asks for the one behind it.
std::vector<std::int64_t> nextTokens(const std::vector<std::int32_t>& tokens, std::int64_t steps)
{
    std::vector<std::int64_t> classes(static_cast<std::size_t>(steps), -1);
    for (std::size_t t = 0; t < classes.size() && t + 1 < tokens.size(); ++t)
        classes[t] = tokens[t + 1];
    return classes;
}

std::vector<std::int64_t> noneAsked(std::int64_t steps)
{
    return std::vector<std::int64_t>(static_cast<std::size_t>(steps), -1);
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
    constexpr double kRounding = 1e-2; // beside the largest; what looks ahead is off by as much as its values are
    const at::Tensor difference = (changed.narrow(1, 0, 1) - plain).abs();
    const double most = at::where(plain.isfinite(), plain.abs(), 0).max().item<double>();
    return at::where(plain.isfinite(), difference, 0).max().item<double>() <= kRounding * (1 + most);
}

/// Runs piece after piece with carried states, and joins what is told.
class Pieces {
public:
    Pieces(Model& model, const ModelInput& input, States start)
        : m_model(model), m_input(input), m_states(std::move(start))
    {}

    void read(std::int64_t first, std::int64_t last, ValueEditor* editor)
    {
        if (first >= last)
            return;
        PassContext context;
        context.editor = editor;
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
    States m_states;
    std::vector<at::Tensor> m_told;
};

/// What can be changed and how is known after one step.
Result<void> tried(Model& model, const ModelInput& input, const EditedRun& run)
{
    PassContext context;
    context.editor = run.editor;
    model.forward(piece(input, 0, 1), run.start, context);
    if (const std::string trouble = run.editor->trouble(); !trouble.empty())
        return fail(trouble);
    return {};
}

Result<ModelOutput> stepped(Model& model, const ModelInput& input, const at::Tensor& plain, const EditedRun& run,
                            const std::stop_token& end)
{
    const std::int64_t steps = stepsOf(input);
    const std::int64_t first = std::clamp<std::int64_t>(run.first, 0, steps);
    const std::int64_t last = std::clamp(run.last, first, steps);
    Pieces pieces(model, input, run.start);
    pieces.read(0, first, nullptr);
    for (std::int64_t t = first; t < last; ++t) {
        if (end.stop_requested())
            return fail("interrupted");
        pieces.read(t, t + 1, run.editor);
    }
    pieces.read(last, steps, nullptr);
    if (!pieces.tellsSteps())
        return fail("the network answers once a sequence, so that only what its nodes output can be changed");
    ModelOutput output = pieces.joined();
    if (output.prediction.sizes().slice(2) != plain.sizes().slice(2) || output.prediction.size(0) != plain.size(0) ||
        !isSame(output.prediction, plain))
        return fail("the network does not read step by step (it looks ahead, or at the whole sequence), so that only "
                    "what its nodes output can be changed");
    return output;
}

} // namespace

ModelInput readingOf(const ProbeText& text, const Model& model, std::int64_t sequences)
{
    const bool isNumbers = !text.features.empty() && text.width > 0;
    auto steps = isNumbers ? static_cast<std::int64_t>(text.features.size()) / text.width : std::ssize(text.tokens);
    if (const auto& limit = model.longestSequence())
        steps = std::min(steps, limit->steps);
    if (!isNumbers) {
        at::Tensor tokens = at::empty({steps, 1}, at::kLong);
        std::copy_n(text.tokens.begin(), steps, tokens.mutable_data_ptr<std::int64_t>());
        return {tokens.expand({steps, sequences}).contiguous().to(model.device()), {}, {}, {}};
    }
    at::Tensor features = at::empty({steps, 1, text.width}, at::kFloat);
    std::copy_n(text.features.begin(), steps * text.width, features.mutable_data_ptr<float>());
    return {{}, {}, {}, features.expand({steps, sequences, text.width}).contiguous().to(model.device())};
}

std::int64_t stepsOf(const ModelInput& input)
{
    return input.tokens.defined() ? input.tokens.size(0) : input.features.defined() ? input.features.size(0) : 0;
}

bool asksNext(const Dataset& data)
{
    if (data.classes() == 0 || !data.labels().empty())
        return false;
    const Batch batch = data.firstSequence(data.has(Split::Validation) ? Split::Validation : Split::All);
    bool any = false;
    for (std::size_t t = 0; t + 1 < batch.tokens.size() && t + 1 < batch.targets.size(); ++t) {
        if (batch.targets[t] == kIgnoredTarget)
            continue;
        any = true;
        if (batch.targets[t] != batch.tokens[t + 1])
            return false;
    }
    return any;
}

Asked askedOf(const LensSubject& subject, const at::Tensor& prediction)
{
    const std::int64_t steps = prediction.size(0);
    const ProbeText& text = *subject.text;
    const auto columns = static_cast<std::int64_t>(text.targets.size());
    Asked asked;
    if (!text.values.empty() && columns > 0) {
        asked.areClasses = false;
        asked.areShares = text.told.signal == "probability";
        asked.numbers = at::full({steps, 1, columns}, kNone, at::kDouble);
        const auto count = std::min<std::int64_t>(steps * columns, std::ssize(text.values));
        std::copy_n(text.values.begin(), count, asked.numbers.mutable_data_ptr<double>());
        return asked;
    }
    const auto& answers = subject.look.answers;
    if (std::ssize(answers) == steps && subject.data != nullptr)
        asked.classes = classesAsked(answers, *subject.data);
    else
        asked.classes =
            subject.data == nullptr || asksNext(*subject.data) ? nextTokens(text.tokens, steps) : noneAsked(steps);
    for (std::int64_t& each : asked.classes)
        each = each < prediction.size(-1) ? each : -1;
    return asked;
}

at::Tensor lossPerStep(const at::Tensor& prediction, const Asked& asked)
{
    return asked.areClasses ? crossEntropy(prediction, asked.classes) : numbersLoss(prediction, asked);
}

ModelOutput readPlain(Model& model, const ModelInput& input)
{
    const at::NoGradGuard guard;
    return model.forward(input, {}, {});
}

Result<ModelOutput> readEdited(Model& model, const ModelInput& input, const at::Tensor& plain, const EditedRun& run,
                               const std::stop_token& end)
{
    const at::NoGradGuard guard;
    try {
        if (run.editor != nullptr)
            if (auto can = tried(model, input, run); !can)
                return tl::unexpected(can.error());
        if (run.editor != nullptr && run.editor->needsSteps())
            return stepped(model, input, plain, run, end);
        PassContext context;
        context.editor = run.editor;
        return model.forward(input, run.start, context);
    } catch (const EditTrouble& trouble) {
        return fail(trouble.what());
    }
}

} // namespace unroll
