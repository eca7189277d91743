// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/step_answers.h"

#include <ATen/ops/sigmoid.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace unroll {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLikeliest = 5;

/// What is told at some steps, one row a step.
struct Rows {
    at::Tensor values; ///< [n, width] double, on the CPU
    std::int64_t width = 0;

    explicit Rows(const at::Tensor& told)
        : values(told.detach().to(at::kCPU, at::kDouble).contiguous()), width(told.size(1))
    {}
    const double* row(std::int64_t i) const { return values.const_data_ptr<double>() + i * width; }
};

/// Calls `take(step, row)` for each step at which something is told. Piece by piece: scores of 65,536 classes are many.
template <class Take>
void eachRow(const ProbeText& text, const at::Tensor& prediction, const Take& take)
{
    const at::Tensor told = prediction.select(-2, 0); // [T, width], or [width]
    if (told.dim() == 1) {
        const Rows rows(told.unsqueeze(0));
        take(answeredStep(text), rows.row(0));
        return;
    }
    constexpr std::int64_t kPiece = 64;
    for (std::int64_t first = 0; first < told.size(0); first += kPiece) {
        const Rows rows(told.slice(0, first, std::min(first + kPiece, told.size(0))));
        for (std::int64_t i = 0; i < rows.values.size(0); ++i)
            take(first + i, rows.row(i));
    }
}

/// Probabilities of the classes with these logits.
std::vector<double> softmax(const double* logits, std::int64_t classes)
{
    std::vector<double> chances(logits, logits + classes);
    const double most = *std::max_element(chances.begin(), chances.end());
    for (double& each : chances)
        each = std::exp(each - most);
    const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
    for (double& each : chances)
        each /= sum;
    return chances;
}

/// -ln p of a class, which may be where p is too small for a number.
double surprise(const double* logits, std::int64_t classes, std::int64_t asked)
{
    const double most = *std::max_element(logits, logits + classes);
    double sum = 0;
    for (std::int64_t i = 0; i < classes; ++i)
        sum += std::exp(logits[i] - most);
    return std::log(sum) + most - logits[asked];
}

std::vector<ClassChance> likeliestOf(const std::vector<double>& chances, const std::vector<std::string>& labels)
{
    if (!std::all_of(chances.begin(), chances.end(), [](double chance) { return std::isfinite(chance); }))
        return {};
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kLikeliest, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return chances[a] != chances[b] ? chances[a] > chances[b] : a < b;
    });
    std::vector<ClassChance> likeliest;
    for (auto each = order.begin(); each != end; ++each)
        likeliest.push_back({*each < labels.size() ? labels[*each] : std::to_string(*each), chances[*each]});
    return likeliest;
}

/// The class that is asked for at the step, or none.
std::int32_t askedAt(const ProbeText& text, std::int64_t step)
{
    return text.asked.empty() ? kIgnoredTarget : text.asked[static_cast<std::size_t>(step)];
}

void answerClasses(const ProbeText& text, const at::Tensor& prediction, std::vector<StepAnswer>& answers)
{
    const std::int64_t classes = prediction.size(-1);
    eachRow(text, prediction, [&](std::int64_t step, const double* logits) {
        StepAnswer& answer = answers[static_cast<std::size_t>(step)];
        const std::vector<double> chances = softmax(logits, classes);
        answer.likeliest = likeliestOf(chances, text.labels);
        const std::int32_t asked = askedAt(text, step);
        if (asked < 0 || asked >= classes)
            return;
        answer.came = static_cast<std::size_t>(asked) < text.labels.size()
                          ? text.labels[static_cast<std::size_t>(asked)]
                          : std::to_string(asked);
        answer.probability = chances[static_cast<std::size_t>(asked)];
        answer.loss = surprise(logits, classes, asked);
        answer.asked = 1;
    });
}

double squaredError(double told, double right)
{
    return (told - right) * (told - right);
}

/// -y ln p - (1 - y) ln(1 - p) of p = sigmoid(logit).
double binaryCrossEntropy(double logit, double right)
{
    return std::max(logit, 0.0) - logit * right + std::log1p(std::exp(-std::abs(logit)));
}

bool isOfShares(const Told& told)
{
    return told.lossUnit.starts_with("nats");
}

/// What is right at a step: of a model that tells one thing a sequence, of each column the one number there is.
float rightAt(const ProbeText& text, const Told& told, std::int64_t step, std::size_t column)
{
    const std::size_t width = text.targets.size();
    if (told.prediction.dim() == 3)
        return text.values[static_cast<std::size_t>(step) * width + column];
    float right = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = column; i < text.values.size(); i += width)
        if (!std::isnan(text.values[i]) && !(right >= text.values[i]))
            right = text.values[i]; // of several the greatest, as the pass takes it
    return right;
}

/// Whether what is told are the columns that are asked for.
bool tellsColumns(const ProbeText& text, const Told& told)
{
    return !text.values.empty() && told.prediction.defined() &&
           told.prediction.size(-1) == static_cast<std::int64_t>(text.targets.size());
}

void answerNumbers(const ProbeText& text, const Told& told, std::vector<StepAnswer>& answers)
{
    const auto lossOf = isOfShares(told) ? binaryCrossEntropy : squaredError;
    eachRow(text, told.prediction, [&](std::int64_t step, const double* row) {
        StepAnswer& answer = answers[static_cast<std::size_t>(step)];
        double sum = 0;
        for (std::size_t column = 0; column < text.targets.size(); ++column)
            if (const float right = rightAt(text, told, step, column); !std::isnan(right)) {
                sum += lossOf(row[column], static_cast<double>(right));
                ++answer.asked;
            }
        if (answer.asked > 0)
            answer.loss = sum / static_cast<double>(answer.asked);
    });
}

/// A loss of another kind than those here is not passed off as one.
void checkLosses(const Told& told, std::vector<StepAnswer>& answers)
{
    double sum = 0, targets = 0;
    for (const StepAnswer& answer : answers)
        if (answer.asked > 0) {
            sum += answer.loss * static_cast<double>(answer.asked);
            targets += static_cast<double>(answer.asked);
        }
    if (targets == 0 || !told.loss.defined())
        return;
    const double loss = told.loss.item<double>();
    if (std::abs(sum / targets - loss) <= 1e-3 * std::max(1.0, std::abs(loss)))
        return;
    for (StepAnswer& answer : answers)
        answer.loss = kNone;
}

} // namespace

std::int64_t answeredStep(const ProbeText& text)
{
    std::int64_t step = static_cast<std::int64_t>(text.steps()) - 1;
    for (std::size_t i = 0; i < text.asked.size(); ++i)
        if (text.asked[i] != kIgnoredTarget)
            step = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < text.values.size(); ++i)
        if (!std::isnan(text.values[i]))
            step = static_cast<std::int64_t>(i / text.targets.size());
    return step;
}

std::vector<StepAnswer> stepAnswers(const ProbeText& text, const Told& told)
{
    if (!told.prediction.defined() || text.steps() == 0)
        return {};
    std::vector<StepAnswer> answers(text.steps(), StepAnswer{{}, kNone, kNone, {}, 0});
    if (!text.labels.empty())
        answerClasses(text, told.prediction, answers);
    else if (tellsColumns(text, told))
        answerNumbers(text, told, answers);
    else
        return {};
    checkLosses(told, answers);
    return answers;
}

std::vector<Forecast> forecastsOf(const ProbeText& text, const Told& told)
{
    if (!tellsColumns(text, told) || text.steps() == 0)
        return {};
    std::vector<Forecast> forecasts;
    const std::vector<float> none(text.steps(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t column = 0; column < text.targets.size(); ++column) {
        forecasts.push_back({text.targets[column].name, none, none});
    }
    const at::Tensor numbers = isOfShares(told) ? at::sigmoid(told.prediction.detach()) : told.prediction;
    eachRow(text, numbers, [&](std::int64_t step, const double* row) {
        for (std::size_t column = 0; column < forecasts.size(); ++column) {
            const ColumnScale& scale = text.targets[column];
            const auto inUnits = [&](double value) { return static_cast<float>(value * scale.scale + scale.shift); };
            const auto at = static_cast<std::size_t>(step);
            forecasts[column].told[at] = inUnits(row[column]);
            forecasts[column].right[at] = inUnits(static_cast<double>(rightAt(text, told, step, column)));
        }
    });
    return forecasts;
}

} // namespace unroll
