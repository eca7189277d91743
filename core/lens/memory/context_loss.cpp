// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/context_loss.h"

#include "core/base/number_text.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/where.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

namespace unroll::lenses::memory {

namespace {

constexpr std::int64_t kLongest = 512;
constexpr std::int64_t kFewest = 16, kMost = 512; ///< targets
constexpr std::int64_t kGathered = 131072;        ///< steps of the split that targets are chosen from

/// One sequence of the split as it is read without a break.
struct Tape {
    std::vector<std::int32_t> tokens, targets; ///< targets: kIgnoredTarget where nothing is asked
    std::vector<float> features, values;       ///< side by side; values NaN where nothing is asked
    std::int64_t steps = 0;
    bool over = false; ///< padding came
};

struct Place {
    std::size_t tape = 0;
    std::int64_t step = 0;
};

template <class T>
void take(std::vector<T>& to, const std::vector<T>& from, std::int64_t at, std::int64_t width)
{
    if (!from.empty())
        to.insert(to.end(), from.begin() + at * width, from.begin() + (at + 1) * width);
}

void append(Tape& tape, const Batch& batch, std::int64_t sequence, const NumberFacts& numbers)
{
    for (std::int64_t t = 0; t < batch.steps && !tape.over; ++t) {
        const std::int64_t at = t * batch.sequences + sequence;
        tape.over = !batch.mask.empty() && batch.mask[static_cast<std::size_t>(at)] == 0;
        if (tape.over)
            return;
        take(tape.tokens, batch.tokens, at, 1);
        take(tape.targets, batch.targets, at, 1);
        take(tape.features, batch.features, at, numbers.inputs);
        take(tape.values, batch.values, at, numbers.targets);
        ++tape.steps;
    }
}

/// Evaluation's own sequences; batches that carry states on are one.
std::vector<Tape> tapesOf(const Dataset& data, Split split, const std::stop_token& end)
{
    std::vector<Tape> tapes;
    constexpr std::int64_t kBatch = 32;
    const std::int64_t batches = data.batchesInSplit(split, kBatch);
    std::int64_t gathered = 0;
    for (std::int64_t i = 0; i < batches && gathered < kGathered && !end.stop_requested(); ++i) {
        const Batch batch = data.evaluationBatch(split, i, kBatch);
        gathered += batch.steps * batch.sequences;
        const bool goesOn = data.carriesState() && std::ssize(tapes) == batch.sequences;
        if (!goesOn)
            tapes.resize(tapes.size() + static_cast<std::size_t>(batch.sequences));
        for (std::int64_t b = 0; b < batch.sequences; ++b) {
            Tape& tape = tapes[tapes.size() - static_cast<std::size_t>(batch.sequences - b)];
            if (goesOn && !batch.fresh.empty() && batch.fresh[static_cast<std::size_t>(b)] != 0)
                tape = {};
            append(tape, batch, b, data.numbers());
        }
    }
    return tapes;
}

bool asks(const Tape& tape, std::int64_t step, std::int64_t width)
{
    if (!tape.targets.empty())
        return tape.targets[static_cast<std::size_t>(step)] != kIgnoredTarget;
    if (tape.values.empty())
        return false;
    const auto row = tape.values.begin() + step * width;
    return std::any_of(row, row + width, [](float value) { return !std::isnan(value); });
}

std::vector<Place> placesOf(const std::vector<Tape>& tapes, std::int64_t width)
{
    std::vector<Place> places;
    for (std::size_t i = 0; i < tapes.size(); ++i)
        for (std::int64_t t = 0; t < tapes[i].steps; ++t)
            if (asks(tapes[i], t, width))
                places.push_back({i, t});
    return places;
}

/// At most `most`, and so long that enough targets have it before them.
std::int64_t longestContext(const std::vector<Place>& places, std::int64_t most)
{
    std::vector<std::int64_t> before;
    for (const Place& place : places)
        before.push_back(place.step + 1);
    const std::size_t wanted = std::min<std::size_t>(256, (before.size() + 1) / 2) - 1;
    std::nth_element(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(wanted), before.end(),
                     std::greater<>());
    return std::min(most, before[wanted]);
}

/// Scores the targets with one context after the other.
class Contexts {
public:
    Contexts(Model& model, const std::vector<Tape>& tapes, const NumberFacts& numbers, std::vector<Place> places)
        : m_model(model), m_tapes(tapes), m_numbers(numbers), m_places(std::move(places))
    {}

    /// Loss of every target with the last `context` steps, from a zero state. False: it cannot be told target by
    /// target.
    bool score(std::int64_t context);

    std::map<std::int64_t, std::vector<double>> losses; ///< by context
    std::int64_t missing = 0;                           ///< of these NaN or infinite

private:
    ModelInput inputs(std::int64_t context) const;
    at::Tensor each(const at::Tensor& prediction, const at::Tensor& targets) const;

    Model& m_model;
    const std::vector<Tape>& m_tapes;
    NumberFacts m_numbers;
    std::vector<Place> m_places;
};

/// Nothing is asked but at the last step.
ModelInput Contexts::inputs(std::int64_t context) const
{
    const std::int64_t count = std::ssize(m_places);
    const bool classes = !m_tapes.front().targets.empty(), reads = !m_tapes.front().tokens.empty();
    const std::int64_t in = m_numbers.inputs, out = m_numbers.targets;
    at::Tensor tokens = at::empty({context, reads ? count : 0}, at::kLong);
    at::Tensor features = at::empty({context, reads ? 0 : count, in}, at::kFloat);
    at::Tensor targets = classes
                             ? at::full({context, count}, kIgnoredTarget, at::kLong)
                             : at::full({context, count, out}, std::numeric_limits<double>::quiet_NaN(), at::kFloat);
    for (std::int64_t k = 0; k < count; ++k) {
        const Place& place = m_places[static_cast<std::size_t>(k)];
        const Tape& tape = m_tapes[place.tape];
        const std::int64_t from = place.step - context + 1;
        for (std::int64_t t = 0; t < context; ++t)
            if (reads)
                tokens.mutable_data_ptr<std::int64_t>()[t * count + k] =
                    tape.tokens[static_cast<std::size_t>(from + t)];
            else
                std::copy_n(tape.features.begin() + (from + t) * in, in,
                            features.mutable_data_ptr<float>() + (t * count + k) * in);
        const std::int64_t last = (context - 1) * count + k;
        if (classes)
            targets.mutable_data_ptr<std::int64_t>()[last] = tape.targets[static_cast<std::size_t>(place.step)];
        else
            std::copy_n(tape.values.begin() + place.step * out, out, targets.mutable_data_ptr<float>() + last * out);
    }
    const at::Device device = m_model.device();
    return {.tokens = reads ? tokens.to(device) : at::Tensor(),
            .targets = targets.to(device),
            .mask = {},
            .features = reads ? at::Tensor() : features.to(device)};
}

/// [K] of prediction [K, classes] and targets [K], or of numbers [K, targets] each: NaN is not scored, a loss is the
/// mean of what is.
at::Tensor Contexts::each(const at::Tensor& prediction, const at::Tensor& targets) const
{
    if (!targets.is_floating_point())
        return at::log_softmax(prediction, -1).gather(1, targets.unsqueeze(1)).squeeze(1).neg();
    const at::Tensor there = targets.isnan().logical_not(), right = at::where(there, targets, 0);
    const at::Tensor loss = m_model.lossUnit() == "squared error"
                                ? (prediction - right).square()
                                : prediction.clamp_min(0) - prediction * right + prediction.abs().neg().exp().log1p();
    return at::where(there, loss, 0).sum(1) / there.sum(1);
}

bool Contexts::score(std::int64_t context)
{
    const ModelInput input = inputs(context);
    const ModelOutput output = m_model.forward(input, {}, {.keepsState = false});
    if (!output.loss.defined())
        return false;
    const at::Tensor last =
        (output.prediction.dim() < 3 ? output.prediction : output.prediction.select(0, context - 1)).to(at::kDouble);
    at::Tensor targets = input.targets.select(0, context - 1);
    if (targets.is_floating_point())
        targets = targets.to(at::kDouble);
    const at::Tensor loss = each(last, targets).cpu().contiguous();
    if (targets.dim() == 1 ||
        targets.isnan().any().item<bool>() == false) { // else the network's own mean is another one
        const double own = output.loss.item<double>(), mean = loss.mean().item<double>();
        if (std::abs(own - mean) > 1e-3 * (1 + std::abs(own)))
            return false;
    }
    const double* values = loss.const_data_ptr<double>();
    losses[context].assign(values, values + loss.numel());
    missing += std::count_if(values, values + loss.numel(), [](double each) { return !std::isfinite(each); });
    return true;
}

/// 1, 2, 4, ... and the longest.
std::vector<std::int64_t> octaves(std::int64_t longest)
{
    std::vector<std::int64_t> contexts;
    for (std::int64_t n = 1; n < longest; n *= 2)
        contexts.push_back(n);
    contexts.push_back(longest);
    return contexts;
}

/// So many at even distances.
std::vector<Place> chosen(std::vector<Place> places, std::int64_t context, std::int64_t count)
{
    std::erase_if(places, [&](const Place& place) { return place.step + 1 < context; });
    const std::int64_t all = std::ssize(places);
    std::vector<Place> found;
    for (std::int64_t k = 0; k < std::min(count, all); ++k)
        found.push_back(places[static_cast<std::size_t>(k * all / std::min(count, all))]);
    return found;
}

ContextLoss without(std::string trouble)
{
    ContextLoss none;
    none.trouble = std::move(trouble);
    return none;
}

ContextLoss summaryOf(const Contexts& scored)
{
    std::vector<std::int64_t> contexts;
    std::vector<std::vector<double>> losses;
    for (const auto& [context, each] : scored.losses) {
        contexts.push_back(context);
        losses.push_back(each);
    }
    return summarise(contexts, losses);
}

/// Halves three times the gap in which the loss stops to fall.
bool refine(Contexts& scored, const std::stop_token& end)
{
    for (int i = 0; i < 3 && !end.stop_requested(); ++i) {
        const auto found = scored.losses.find(static_cast<std::int64_t>(summaryOf(scored).enough.value));
        if (found == scored.losses.begin())
            return true;
        const std::int64_t between = (std::prev(found)->first + found->first) / 2;
        if (scored.losses.contains(between))
            return true;
        if (!scored.score(between))
            return false;
    }
    return true;
}

std::int64_t mostContext(const Model& model, const Dataset& data, std::int64_t asked)
{
    std::int64_t most = asked > 0 ? asked : data.steps() * (data.carriesState() ? 2 : 1);
    if (const auto& limit = model.longestSequence())
        most = std::min<std::int64_t>(most, limit->steps);
    return std::min(most, asked > 0 ? kLongest : kLongest / 2);
}

} // namespace

ContextLoss contextLoss(Model& model, const Dataset& data, const ContextRequest& request)
{
    const at::NoGradGuard values;
    const char* const notEach = "the network's loss is not a mean over separate targets";
    const Split split = data.has(Split::Validation) ? Split::Validation : Split::All;
    const std::vector<Tape> tapes = tapesOf(data, split, request.end);
    const std::vector<Place> places = placesOf(tapes, data.numbers().targets);
    if (places.empty())
        return without("the validation split has no target");
    const std::int64_t longest = longestContext(places, mostContext(model, data, request.longest));
    if (longest < 2)
        return without("the validation split has no target with a step before its own");
    const std::int64_t count = std::clamp(request.budget / (3 * longest), kFewest, kMost);
    Contexts scored(model, tapes, data.numbers(), chosen(places, longest, count));
    for (const std::int64_t context : octaves(longest)) {
        if (request.end.stop_requested())
            return without("it was cancelled");
        if (!scored.score(context))
            return without(notEach);
        if (scored.missing > 0)
            return without(fmt::format("with {} seen the loss of {} of {} targets is not finite",
                                       counted(context, "step"), scored.missing, scored.losses.at(context).size()));
    }
    if (!refine(scored, request.end))
        return without(notEach);
    if (scored.missing > 0)
        return without("the loss of some targets is not finite");
    ContextLoss curve = summaryOf(scored);
    curve.unit = model.lossUnit();
    return curve;
}

} // namespace unroll::lenses::memory
