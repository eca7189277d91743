// SPDX-License-Identifier: GPL-3.0-or-later
// From a signal's rows to heads: how many there are, and which step each key stands for.
#include "core/lens/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

constexpr double kRounding = 1e-2; // of a sum of weights: softmax in single precision, or products in half

/// Sum of the weights in a stretch of a step's row.
double sumOf(const SignalFrame& frame, std::int64_t step, std::int64_t from, std::int64_t count)
{
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum += static_cast<double>(frame.values[static_cast<std::size_t>(step * frame.width + from + i)]);
    return sum;
}

/// A whole number of heads by the sums of the rows, each of which must be of as many blocks that add up to 1; 0: there
/// is none. Rows with what is not a number say nothing.
std::int64_t headsBySums(const SignalFrame& frame)
{
    std::int64_t heads = 0;
    for (std::int64_t step = 0; step < frame.steps; ++step) {
        const double sum = sumOf(frame, step, 0, frame.width);
        if (!std::isfinite(sum))
            continue;
        const auto found = static_cast<std::int64_t>(std::llround(sum));
        if (found < 1 || found > frame.width || frame.width % found != 0 || (heads != 0 && found != heads))
            return 0;
        heads = found;
        const std::int64_t keys = frame.width / heads;
        for (std::int64_t head = 0; head < heads; ++head)
            if (std::abs(sumOf(frame, step, head * keys, keys) - 1) > kRounding)
                return 0;
    }
    return heads;
}

/// Which step of the reading a key stands for; those before it are below 0.
struct KeyOrder {
    std::int64_t keys = 0; ///< of each head
    bool slides = false;   ///< the last key is always the step itself, as where a loop shows its steps one by one

    std::int64_t stepOf(std::int64_t key, std::int64_t step, std::int64_t steps) const
    {
        return slides ? step - (keys - 1) + key : key - (keys - steps);
    }
};

/// A reading begins without a past: where the first step has all its weight on the last key, that key is the step
/// itself and the keys slide along. With fewer keys than steps they must.
bool slidesAlong(const SignalFrame& frame, std::int64_t heads, std::int64_t keys)
{
    if (keys < frame.steps)
        return true;
    for (std::int64_t head = 0; head < heads; ++head)
        if (!(static_cast<double>(frame.values[static_cast<std::size_t>((head + 1) * keys - 1)]) > 1 - kRounding))
            return false;
    return frame.steps > 1;
}

/// How many steps before the reading have any weight.
std::int64_t carriedSteps(const SignalFrame& frame, const KeyOrder& order)
{
    std::int64_t first = 0;
    for (std::int64_t step = 0; step < frame.steps; ++step)
        for (std::int64_t i = 0; i < frame.width; ++i)
            if (frame.values[static_cast<std::size_t>(step * frame.width + i)] > 0)
                first = std::min(first, order.stepOf(i % order.keys, step, frame.steps));
    return -first;
}

AttentionHead headOf(const SignalFrame& frame, const KeyOrder& order, std::int64_t head, std::int64_t carried)
{
    const std::int64_t keys = carried + frame.steps;
    AttentionHead made{head, std::vector<float>(static_cast<std::size_t>(frame.steps * keys)), {}, {}};
    for (std::int64_t step = 0; step < frame.steps; ++step)
        for (std::int64_t key = 0; key < order.keys; ++key) {
            const std::int64_t at = carried + order.stepOf(key, step, frame.steps);
            if (at >= 0 && at < keys)
                made.weights[static_cast<std::size_t>(step * keys + at)] =
                    frame.values[static_cast<std::size_t>(step * frame.width + head * order.keys + key)];
        }
    return made;
}

/// Entropy and mean distance of each step. With S the sum of the weights p (1 but for rounding): ln S - sum p ln p / S.
void measure(AttentionHead& head, std::int64_t steps, std::int64_t carried)
{
    const std::int64_t keys = carried + steps;
    for (std::int64_t step = 0; step < steps; ++step) {
        double sum = 0, logs = 0, distance = 0;
        for (std::int64_t key = 0; key < keys; ++key) {
            const double weight = static_cast<double>(head.weights[static_cast<std::size_t>(step * keys + key)]);
            sum += weight;
            logs += weight > 0 ? weight * std::log(weight) : weight * 0; // NaN stays
            distance += weight * static_cast<double>(carried + step - key);
        }
        const bool isNumber = std::isfinite(sum) && sum > 0;
        head.entropy.push_back(isNumber ? std::log(sum) - logs / sum : std::numeric_limits<double>::quiet_NaN());
        head.back.push_back(isNumber ? distance / sum : std::numeric_limits<double>::quiet_NaN());
    }
}

} // namespace

Result<AttentionData> attentionHeadsOf(const SignalFrame& frame)
{
    const std::int64_t heads = headsBySums(frame);
    if (heads == 0) {
        const bool noNumber =
            std::all_of(frame.values.begin(), frame.values.end(), [](float value) { return !std::isfinite(value); });
        return fail(noNumber ? fmt::format("none of the {} weights is a number", frame.values.size())
                             : "the weights of a step do not add up to 1 in each head");
    }
    KeyOrder order{frame.width / heads, false};
    order.slides = slidesAlong(frame, heads, order.keys);
    AttentionData data;
    data.steps = frame.steps;
    data.carried = carriedSteps(frame, order);
    for (std::int64_t head = 0; head < heads; ++head) {
        data.heads.push_back(headOf(frame, order, head, data.carried));
        measure(data.heads.back(), data.steps, data.carried);
    }
    return data;
}

} // namespace unroll
