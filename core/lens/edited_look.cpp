// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_look.h"

#include "core/lens/signal_recorder.h"
#include "core/lens/touched_run.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr float kRounding = 1e-6f; // beside the largest value of a step; signals are kept as floats

const SignalFrame* like(const std::vector<SignalFrame>& frames, const SignalFrame& wanted)
{
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const SignalFrame& each) {
        return each.node == wanted.node && each.signal == wanted.signal && each.steps == wanted.steps &&
               each.width == wanted.width;
    });
    return found == frames.end() ? nullptr : &*found;
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

std::vector<SignalFrame> settledSignals(const std::vector<SignalFrame>& plain, const std::vector<SignalFrame>& beside,
                                        const std::vector<SignalFrame>& touched)
{
    std::vector<SignalFrame> signals;
    for (const SignalFrame& frame : plain) {
        const SignalFrame *const without = like(beside, frame), *const with = like(touched, frame);
        if (without == nullptr || with == nullptr)
            continue; // it cannot be shown step by step
        signals.push_back(frame);
        settle(signals.back(), *without, *with);
    }
    return signals;
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
    const auto read = readEdited(model, sideBySide(text, model, 2), plain.prediction, *run, end);
    if (!read)
        return tl::unexpected(read.error());
    const std::int64_t sequences = plain.prediction.dim() - 2; // the dimension that they lie in
    const auto sequence = [&](std::int64_t which) { return read->prediction.narrow(sequences, which, 1); };
    Recorded recorded{{settled(plain.prediction, sequence(0), sequence(1)), {}, alone.lossUnit()},
                      settledSignals(alone.take(0), both.take(0), both.take(1))};
    const std::vector<StepAnswer> untouched =
        needs.answers ? stepAnswers(text, {plain.prediction, plain.loss, alone.lossUnit()}) : std::vector<StepAnswer>{};
    ProbeFrame frame = frameOf(model, std::move(text), needs, step, std::move(recorded));
    for (std::size_t t = 0; t < std::min(untouched.size(), frame.answers.size()); ++t)
        if (std::isnan(untouched[t].loss)) // of a kind that is not known here
            frame.answers[t].loss = untouched[t].loss;
    return frame;
}

} // namespace unroll
