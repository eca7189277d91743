// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_look.h"

#include "core/lens/signal_recorder.h"
#include "core/lens/touched_run.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace unroll {

namespace {

constexpr float kRounding = 1e-6f; // beside the largest value of a step; signals are kept as floats

/// One signal of one sequence, step by step as far as it is known.
struct StepRows {
    std::vector<float> values;       ///< [T, width]
    std::vector<std::int64_t> known; ///< columns that are known at each step
};

/// What an editor saw go on inside of blocks, of both sequences.
class InsideValues {
public:
    void add(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place)
    {
        const at::Tensor rows = values.detach().flatten(2).to(at::kFloat).cpu().contiguous(); // [T, 2, n]
        const std::int64_t part = rows.size(2), width = place.width > 0 ? place.width : part;
        const float* from = rows.const_data_ptr<float>();
        for (std::int64_t t = 0; t < rows.size(0); ++t)
            for (std::size_t sequence = 0; sequence < 2; ++sequence, from += part)
                put(m_rows[signal][sequence], from, part, width, place.step + t, place.unit);
    }

    /// Steps that are known whole, over what stands there.
    void lay(const WatchedSignal& signal, std::size_t sequence, std::int64_t width, StepRows& over) const
    {
        const auto found = m_rows.find(signal);
        if (found == m_rows.end())
            return;
        const StepRows& seen = found->second[sequence];
        for (std::size_t t = 0; t < std::min(seen.known.size(), over.known.size()); ++t)
            if (seen.known[t] == width) {
                const auto first = static_cast<std::ptrdiff_t>(t) * width;
                std::copy_n(seen.values.begin() + first, width, over.values.begin() + first);
                over.known[t] = width;
            }
    }

private:
    static void put(StepRows& rows, const float* from, std::int64_t count, std::int64_t width, std::int64_t step,
                    std::int64_t unit)
    {
        const auto steps = static_cast<std::size_t>(step) + 1;
        if (rows.known.size() < steps) {
            rows.known.resize(steps, 0);
            rows.values.resize(steps * static_cast<std::size_t>(width));
        }
        std::copy_n(from, count, rows.values.begin() + step * width + unit);
        rows.known[steps - 1] += count;
    }

    std::map<WatchedSignal, std::array<StepRows, 2>> m_rows;
};

/// The steps at which the editor was asked.
struct EditedSteps {
    std::int64_t first = 0, last = 0;
};

/// A frame like the plain one, of a sequence of the edited pass: what blocks showed, and over it what went on inside of
/// them. Nothing: some step is not known.
std::optional<SignalFrame> wholeFrame(const SignalFrame& plain, const std::vector<SignalFrame>& shown,
                                      const InsideValues& inside, std::size_t sequence, const EditedSteps& edited)
{
    const auto count = static_cast<std::size_t>(plain.steps);
    StepRows rows{std::vector<float>(plain.values.size()), std::vector<std::int64_t>(count, 0)};
    const std::int64_t without = plain.steps - (edited.last - edited.first); // where a block shows nothing under edits
    for (const SignalFrame& frame : shown) {
        const bool isWhole = frame.steps == plain.steps;
        if (frame.node != plain.node || frame.signal != plain.signal || frame.width != plain.width ||
            (!isWhole && frame.steps != without))
            continue;
        for (std::int64_t t = 0; t < frame.steps; ++t) {
            const std::int64_t to = isWhole || t < edited.first ? t : t + edited.last - edited.first;
            std::copy_n(frame.values.begin() + t * frame.width, frame.width, rows.values.begin() + to * frame.width);
            rows.known[static_cast<std::size_t>(to)] = frame.width;
        }
    }
    inside.lay({plain.node, plain.signal}, sequence, plain.width, rows);
    if (std::any_of(rows.known.begin(), rows.known.end(), [&](std::int64_t known) { return known != plain.width; }))
        return {};
    SignalFrame whole = plain;
    whole.values = std::move(rows.values);
    return whole;
}

/// Steps of the plain frame become those of the touched one, where that differs from the one beside it by more than
/// rounding.
void settle(SignalFrame& plain, const SignalFrame& beside, const SignalFrame& touched)
{
    const auto width = static_cast<std::size_t>(plain.width);
    for (std::size_t first = 0; first < plain.values.size(); first += width) {
        float most = 0, apart = 0;
        bool known = true;
        for (std::size_t i = first; i < first + width; ++i) {
            known = known && std::isfinite(beside.values[i]) && std::isfinite(touched.values[i]);
            most = std::max(most, std::abs(beside.values[i]));
            apart = std::max(apart, std::abs(touched.values[i] - beside.values[i]));
        }
        if (!known || apart > (most + 1) * kRounding)
            std::copy_n(touched.values.begin() + static_cast<std::ptrdiff_t>(first), width,
                        plain.values.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

} // namespace

Result<ProbeFrame> editedLook(Model& model, const Dataset* data, ProbeText text, const LensNeeds& needs,
                              std::int64_t step, const std::vector<Edit>& edits, const std::stop_token& end)
{
    const at::NoGradGuard guard;
    cutToModel(text, model);
    SignalRecorder alone(needs.watched, 1), both(needs.watched, 2);
    const ModelOutput plain = model.forward(inputOf(text, model.device(), needs.answers), {}, {.observer = &alone});
    TouchedRun touched(model, data, edits);
    auto run = touched.prepare(sideBySide(text, model, 1));
    if (!run)
        return tl::unexpected(run.error());
    run->observer = &both;
    InsideValues inside;
    if (run->editor != nullptr)
        run->editor->watch(
            [&both](const std::string& node, const std::string& signal) { return both.wants(node, signal); },
            [&inside](const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place) {
                inside.add(signal, values, place);
            });
    const auto read = readEdited(model, sideBySide(text, model, 2), plain.prediction, *run, end);
    if (!read)
        return tl::unexpected(read.error());
    const std::int64_t steps = static_cast<std::int64_t>(text.steps());
    const std::int64_t first = std::clamp<std::int64_t>(run->first, 0, steps);
    const EditedSteps edited{first, std::clamp(run->last, first, steps)};
    const std::vector<SignalFrame> besides = both.take(0), touches = both.take(1);
    std::vector<SignalFrame> signals;
    for (SignalFrame& frame : alone.take(0)) {
        const auto beside = wholeFrame(frame, besides, inside, 0, edited);
        const auto with = wholeFrame(frame, touches, inside, 1, edited);
        if (!beside || !with)
            continue; // it cannot be shown step by step
        settle(frame, *beside, *with);
        signals.push_back(std::move(frame));
    }
    const std::int64_t sequences = plain.prediction.dim() - 2; // the dimension that they lie in
    const auto sequence = [&](std::int64_t which) { return read->prediction.narrow(sequences, which, 1); };
    Recorded recorded{{settled(plain.prediction, sequence(0), sequence(1)), {}, model.lossUnit()}, std::move(signals)};
    const std::vector<StepAnswer> untouched =
        needs.answers ? stepAnswers(text, {plain.prediction, plain.loss, model.lossUnit()}) : std::vector<StepAnswer>{};
    ProbeFrame frame = frameOf(model, std::move(text), needs, step, std::move(recorded));
    for (std::size_t t = 0; t < std::min(untouched.size(), frame.answers.size()); ++t)
        if (std::isnan(untouched[t].loss)) // of a kind that is not known here
            frame.answers[t].loss = untouched[t].loss;
    return frame;
}

} // namespace unroll
