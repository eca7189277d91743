// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/lens/edited_reading.h"
#include "core/lens/probe.h"
#include "core/lens/touch/touch.h"
#include "core/lens/touched_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll::lenses::touch {

namespace {

constexpr std::int64_t kBefore = 0, kAfter = 1; // the two sequences of a pass: untouched and touched
constexpr std::int64_t kLikeliest = 5;

std::vector<double> numbersOf(const at::Tensor& values)
{
    const at::Tensor flat = values.to(at::kDouble).cpu().contiguous();
    const double* data = flat.const_data_ptr<double>();
    return {data, data + flat.numel()};
}

/// Both answers per step, [T, classes or columns]; those before the first change are the untouched ones.
struct Sides {
    at::Tensor before, after;
};

std::string labelOf(const ProbeText& text, std::size_t which)
{
    return which < text.labels.size() ? text.labels[which] : fmt::format("class {}", which);
}

void addChances(TouchData& data, const LensSubject& subject, const Sides& sides)
{
    const std::vector<double> before = numbersOf(sides.before[data.step].to(at::kDouble).softmax(-1));
    const std::vector<double> after = numbersOf(sides.after[data.step].to(at::kDouble).softmax(-1));
    std::vector<std::size_t> order(before.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto rank = [&](const std::vector<double>& by) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return by[a] > by[b]; });
        const auto most = std::min<std::size_t>(order.size(), kLikeliest);
        return std::vector<std::size_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most));
    };
    std::vector<std::size_t> shown = rank(before);
    for (const std::size_t one : rank(after))
        if (std::find(shown.begin(), shown.end(), one) == shown.end())
            shown.push_back(one);
    std::size_t left = 0;
    for (const std::size_t one : shown)
        if (std::isfinite(before[one]) && std::isfinite(after[one]))
            data.chances.push_back({labelOf(*subject.text, one), before[one], after[one]});
        else
            ++left;
    if (left > 0)
        data.notes.push_back(
            fmt::format("At step {} {} of {} answers have a probability that is not a number, and are not listed.",
                        data.step + 1, left, shown.size()));
}

void addColumns(TouchData& data, const LensSubject& subject, const Sides& sides, const Asked& asked)
{
    const auto& targets = subject.text->targets;
    const auto told = [&](const at::Tensor& side, std::int64_t column) {
        const at::Tensor one = side.select(1, column).to(at::kDouble);
        return asked.areShares ? one.sigmoid() : one;
    };
    const std::int64_t columns = std::min(sides.before.size(1), std::ssize(targets));
    for (std::int64_t column = 0; column < columns; ++column) {
        const ColumnScale& scale = targets[static_cast<std::size_t>(column)];
        const auto unscaled = [&](const at::Tensor& values) { return numbersOf(values * scale.scale + scale.shift); };
        data.columns.push_back({scale.name, unscaled(asked.numbers.select(2, column).select(1, 0)),
                                unscaled(told(sides.before, column)), unscaled(told(sides.after, column))});
    }
}

void addLoss(TouchData& data, const Sides& sides, const Asked& asked)
{
    const at::Tensor before = lossPerStep(sides.before.unsqueeze(1), asked);
    const at::Tensor after = lossPerStep(sides.after.unsqueeze(1), asked);
    data.before = numbersOf(before);
    data.after = numbersOf(after);
    data.lossUnit = asked.lossUnit;
    data.asking = stepsAsking(asked);
    std::int64_t told = 0;
    for (std::size_t t = 0; t < data.before.size(); ++t)
        told += std::isfinite(data.before[t]) && std::isfinite(data.after[t]) ? 1 : 0;
    data.missing = data.asking - told; // a step that asks nothing has a NaN of its own
    data.meanBefore = meanLoss(before, asked).item<double>();
    data.meanAfter = meanLoss(after, asked).item<double>();
    if (!asked.areClasses)
        return;
    const at::Tensor p = at::log_softmax(sides.before.to(at::kDouble), -1);
    const at::Tensor q = at::log_softmax(sides.after.to(at::kDouble), -1);
    data.divergence = numbersOf((p.exp() * (p - q)).sum(-1).clamp_min(0)); // rounding may leave less than 0
}

/// What the network writes behind the reading, both sequences side by side: the likeliest token each time.
class Writer {
public:
    Writer(const LensSubject& subject, ValueEditor* editor) : m_subject(subject), m_editor(editor) {}

    Result<void> write(TouchData& data, const ModelOutput& read, const Sides& sides, std::int64_t tokens)
    {
        std::vector<std::int32_t> written[2];
        States states = read.states;
        at::Tensor next = at::stack({sides.before[data.steps - 1], sides.after[data.steps - 1]}).argmax(-1);
        for (std::int64_t i = 0;; ++i) {
            for (const std::int64_t side : {kBefore, kAfter})
                written[side].push_back(static_cast<std::int32_t>(next[side].item<std::int64_t>()));
            if (i + 1 >= tokens)
                break;
            if (m_subject.end.stop_requested())
                return fail("interrupted");
            PassContext context;
            context.editor = m_editor;
            context.step = data.steps + i;
            ModelOutput output = m_subject.model->forward({next.unsqueeze(0), {}, {}, {}}, states, context);
            states = std::move(output.states);
            next = output.prediction[0].argmax(-1);
        }
        data.writtenBefore = m_subject.data->decode(written[kBefore]);
        data.writtenAfter = m_subject.data->decode(written[kAfter]);
        return {};
    }

private:
    const LensSubject& m_subject;
    ValueEditor* m_editor;
};

/// Tokens that may be written: as many as are wished for and the network takes, of one that predicts the next token.
std::int64_t tokensToWrite(const LensSubject& subject, const at::Tensor& prediction, std::int64_t steps,
                           std::int64_t wished)
{
    const bool isText = subject.data != nullptr && subject.data->asksNext();
    if (!isText || prediction.dim() != 3 || prediction.size(2) != subject.data->classes())
        return 0;
    const auto& limit = subject.model->longestSequence();
    return limit ? std::clamp<std::int64_t>(limit->steps - steps + 1, 0, wished) : wished;
}

std::string noteOn(const Edit& edit, const ValueEditor& editor)
{
    if (edit.kind == Edit::Kind::Start || edit.kind == Edit::Kind::Ablate)
        return {};
    const std::string name = edit.node + "." + edit.signal;
    if (editor.way({edit.node, edit.signal}) == ValueEditor::Way::Carried)
        return name + " is changed as it is passed to the next step; the node's output at the same step is unaffected.";
    return {};
}

LensSpec touchSpec()
{
    ParamSpec edit{};
    edit.name = "edit";
    edit.type = ParamType::Text;
    edit.defaultValue = std::string();
    edit.help = "What is changed while the network reads: lstm.h[3,17] = 0 from 40; ablate mru_1; start \"Once\".";
    edit.whenEmpty = "nothing is changed";
    ParamSpec step{};
    step.name = "step";
    step.type = ParamType::Int;
    step.defaultValue = std::int64_t{-1};
    step.help = "Step whose likeliest answers are listed; -1: the one where they differ most.";
    step.minimum = -1;
    ParamSpec write{};
    write.name = "write";
    write.type = ParamType::Int;
    write.defaultValue = std::int64_t{40};
    write.help = "Tokens that the network writes after the reading, the likeliest each time; 0: none.";
    write.whenEmpty = "nothing";
    write.minimum = 0;
    write.maximum = 400;
    return {"touch",
            "Touch",
            "What happens when states, gates or outputs are changed while the network reads: loss, next tokens and "
            "written text beside the untouched ones.",
            false,
            {edit, step, write},
            true};
}

class Touching {
public:
    Touching(const LensSubject& subject, std::vector<Edit> edits, const Params& settings)
        : m_subject(subject),
          m_edits(edits),
          m_settings(settings),
          m_run(*subject.model, subject.data, std::move(edits))
    {}

    Result<std::shared_ptr<const LensData>> see()
    {
        const at::NoGradGuard guard;
        Model& model = *m_subject.model;
        const ModelInput one = sideBySide(*m_subject.text, model, 1);
        auto data = std::make_shared<TouchData>();
        data->steps = stepsOf(one);
        if (data->steps == 0)
            return fail("the reading is empty");
        const at::Tensor plain = readPlain(model, one).prediction;
        auto run = m_run.prepare(one);
        if (!run)
            return tl::unexpected(run.error());
        auto read = readEdited(model, sideBySide(*m_subject.text, model, 2), plain, *run, m_subject.end);
        if (!read)
            return tl::unexpected(read.error());
        const Sides sides = sidesOf(*m_subject.text, plain, read->prediction, *run);
        if (auto filled = fillIn(*data, sides); !filled)
            return tl::unexpected(filled.error());
        const std::int64_t tokens =
            tokensToWrite(m_subject, plain, data->steps, std::get<std::int64_t>(m_settings.at("write")));
        if (tokens > 0)
            if (auto written = Writer(m_subject, run->editor).write(*data, *read, sides, tokens); !written)
                return tl::unexpected(written.error());
        return data;
    }

private:
    /// Both sequences of a pass ran side by side: where they are equal but for rounding, nothing is changed, and the
    /// touched answer is the untouched one, to the bit.
    static Sides sidesOf(const ProbeText& text, const at::Tensor& plain, const at::Tensor& told, const EditedRun& run)
    {
        const at::Tensor before = perStep(plain, text).select(1, 0);
        if (run.start.empty() && (run.editor == nullptr || run.first >= run.last))
            return {before, before};
        const at::Tensor both = perStep(told, text);
        return {before, settled(before, both.select(1, kBefore), both.select(1, kAfter))};
    }

    Result<void> fillIn(TouchData& data, const Sides& sides) const
    {
        const auto known = askedOf(m_subject);
        if (!known)
            return tl::unexpected(known.error());
        const Asked& asked = *known;
        data.edits = writtenEdits(m_edits);
        data.characters = m_subject.look.characters;
        data.of = m_subject.look.of;
        addLoss(data, sides, asked);
        const at::Tensor differs = (sides.before != sides.after).logical_and(sides.before.isfinite()).any(-1);
        for (std::int64_t t = 0; t < data.steps && data.firstChanged < 0; ++t)
            if (differs[t].item<bool>())
                data.firstChanged = t;
        data.step = stepOf(data);
        if (asked.areClasses)
            addChances(data, m_subject, sides);
        else
            addColumns(data, m_subject, sides, asked);
        for (const Edit& edit : m_edits)
            if (edit.span.first >= data.steps)
                data.notes.push_back(fmt::format("{} has no effect: the reading has {}.", writtenEdit(edit),
                                                 counted(data.steps, "step")));
        for (const Edit& edit : m_edits)
            if (const std::string note = m_run.editor() != nullptr ? noteOn(edit, *m_run.editor()) : ""; !note.empty())
                data.notes.push_back(note);
        return {};
    }

    std::int64_t stepOf(const TouchData& data) const
    {
        const auto wished = std::get<std::int64_t>(m_settings.at("step"));
        if (wished >= 0)
            return std::min(wished, data.steps - 1);
        std::size_t most = 0;
        for (std::size_t t = 0; t < data.divergence.size(); ++t)
            if (std::isfinite(data.divergence[t]) && !(data.divergence[t] <= data.divergence[most]))
                most = t;
        return data.divergence.empty() ? std::max<std::int64_t>(data.firstChanged, 0) : static_cast<std::int64_t>(most);
    }

    const LensSubject& m_subject;
    std::vector<Edit> m_edits;
    const Params& m_settings;
    TouchedRun m_run;
};

class TouchLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery&) const override { return {.watched = {}, .forecasts = true, .answers = true}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        if (subject.model == nullptr || subject.text == nullptr)
            return fail("the network itself is not available, only what was recorded of it");
        auto edits = parseEdits(std::get<std::string>(query.settings.at("edit")));
        if (!edits)
            return tl::unexpected(edits.error());
        try {
            return Touching(subject, std::move(*edits), query.settings).see();
        } catch (const c10::Error& error) {
            return fail(error.what_without_backtrace(), subject.model->runningNode());
        }
    }

private:
    LensSpec m_spec = touchSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<TouchLens>();
}

} // namespace unroll::lenses::touch
