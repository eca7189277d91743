// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/labels.h"

#include "core/data/random.h"
#include "core/format/csv.h"
#include "core/train/bad_number.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace unroll {

namespace {

constexpr std::size_t kShown = 3; ///< labels of one sequence

/// [T, 1] classes or [T, 1, inputs] numbers: column `b` of a batch, without its padding.
ModelInput columnOf(const Batch& batch, std::int64_t b, at::Device device)
{
    std::int64_t steps = 0;
    while (steps < batch.steps &&
           (batch.mask.empty() || batch.mask[static_cast<std::size_t>(steps * batch.sequences + b)] != 0))
        ++steps;
    ModelInput input;
    if (!batch.tokens.empty()) {
        input.tokens = at::empty({steps, 1}, at::kLong);
        auto* tokens = input.tokens.mutable_data_ptr<std::int64_t>();
        for (std::int64_t t = 0; t < steps; ++t)
            tokens[t] = batch.tokens[static_cast<std::size_t>(t * batch.sequences + b)];
        input.tokens = input.tokens.to(device);
        return input;
    }
    const std::int64_t width = std::ssize(batch.features) / (batch.steps * batch.sequences);
    input.features = at::empty({steps, 1, width}, at::kFloat);
    for (std::int64_t t = 0; t < steps; ++t)
        std::copy_n(batch.features.begin() + (t * batch.sequences + b) * width, width,
                    input.features.mutable_data_ptr<float>() + t * width);
    input.features = input.features.to(device);
    return input;
}

/// The label asked for in column `b`.
std::size_t rightIn(const Batch& batch, std::int64_t b)
{
    std::int32_t right = kIgnoredTarget;
    for (std::int64_t t = 0; t < batch.steps; ++t)
        right = std::max(right, batch.targets[static_cast<std::size_t>(t * batch.sequences + b)]);
    return static_cast<std::size_t>(right);
}

Result<std::string> told(Model& model, const ModelInput& input, const std::vector<std::string>& labels)
{
    const at::NoGradGuard guard;
    at::Tensor scores = model.forward(input, {}, PassContext{}).prediction.to(at::kCPU, at::kDouble);
    if (scores.dim() == 3) // without a pool the last step tells
        scores = scores.select(0, -1);
    if (!at::isfinite(scores).all().item<bool>()) {
        const BadNode bad = findInForward(model, input, {}, "during label prediction");
        return fail("the model's outputs are not finite: " + bad.sentence, bad.node);
    }
    const at::Tensor chances = scores.select(0, 0).softmax(-1).contiguous();
    const double* chance = chances.const_data_ptr<double>();
    std::vector<std::size_t> order(std::min(labels.size(), static_cast<std::size_t>(chances.numel())));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return chance[a] > chance[b]; });
    std::string words;
    for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i)
        words += fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", labels[order[i]], chance[order[i]]);
    return words;
}

} // namespace

Result<std::string> labelOfText(Model& model, const Vocabulary& vocabulary, const std::vector<std::string>& labels,
                                const std::string& text)
{
    if (vocabulary.classes() == 0)
        return fail("this network reads numbers, not text: it cannot classify a text");
    const auto tokens = vocabulary.encode(text);
    if (!tokens)
        return fail(tokens.error().text(), "prompt");
    if (tokens->empty())
        return fail("this network classifies text: a text is required", "prompt");
    Batch batch;
    batch.steps = std::ssize(*tokens);
    batch.sequences = 1;
    batch.tokens = *tokens;
    return told(model, columnOf(batch, 0, model.device()), labels);
}

Result<std::string> labelsInValidation(Model& model, const Dataset& data, std::uint64_t seed)
{
    constexpr int kSequences = 6;
    const std::vector<std::string> labels = data.labels();
    const Split split = data.has(Split::Validation) ? Split::Validation : Split::All; // small data may be one part
    const std::int64_t all = data.batchesInSplit(split, 1);
    Random random(seed, 0x6c61626c);
    std::string lines;
    for (int i = 0; i < kSequences; ++i) {
        const std::int64_t place = random.between(0, all - 1);
        const Batch batch = data.evaluationBatch(split, place, 1);
        const ModelInput input = columnOf(batch, 0, model.device());
        const auto words = told(model, input, labels);
        if (!words)
            return words;
        std::string sequence = fmt::format("sequence {} of {}", place + 1, all);
        if (input.tokens.defined()) {
            const auto steps = static_cast<std::ptrdiff_t>(input.tokens.size(0));
            sequence = data.decode({batch.tokens.begin(), batch.tokens.begin() + steps});
        }
        lines += fmt::format("{}{}\n  predicted {}; true label {}", i == 0 ? "" : "\n", sequence, *words,
                             labels.at(rightIn(batch, 0)));
    }
    return lines;
}

std::string confusionCsv(std::int64_t step, Split split, const std::vector<std::string>& labels,
                         const std::vector<std::int64_t>& confusion)
{
    std::string text = "step,split,label";
    for (const std::string& label : labels)
        text += "," + format::csvCell("predicted " + label);
    text += "\r\n";
    for (std::size_t right = 0; right < labels.size(); ++right) {
        text += fmt::format("{},{},{}", step, splitWord(split), format::csvCell(labels[right]));
        for (std::size_t each = 0; each < labels.size(); ++each)
            text += fmt::format(",{}", confusion[right * labels.size() + each]);
        text += "\r\n";
    }
    return text;
}

} // namespace unroll
