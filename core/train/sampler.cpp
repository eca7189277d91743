// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/sampler.h"

#include "core/data/word_vocabulary.h"
#include "core/train/trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/multinomial.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace unroll {

namespace {

constexpr const char* kNotFinite = "the model's outputs are not finite";

at::Tensor column(const std::vector<std::int32_t>& tokens, at::Device device)
{
    at::Tensor tensor = at::empty({static_cast<std::int64_t>(tokens.size()), 1}, at::kLong);
    std::copy(tokens.begin(), tokens.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor.to(device);
}

/// Draws from logits of one step, [classes]. On the CPU whatever the device, so that a seed gives one text everywhere.
Result<std::int32_t> draw(const at::Tensor& logits, const SamplingRule& rule, at::Generator& generator)
{
    const at::Tensor scores = logits.detach().cpu().to(at::kDouble);
    if (!at::isfinite(scores).all().item<bool>())
        return fail(kNotFinite);
    if (rule.temperature <= 0)
        return static_cast<std::int32_t>(scores.argmax().item<std::int64_t>());
    return static_cast<std::int32_t>(
        at::multinomial(chancesOf(scores, rule), 1, false, generator).item<std::int64_t>());
}

/// The chances with those behind the first `left` of `order` gone.
at::Tensor firstOf(const at::Tensor& chances, const at::Tensor& order, std::int64_t left)
{
    const at::Tensor kept = order.narrow(0, 0, left);
    const at::Tensor some = at::zeros_like(chances).index_copy(0, kept, chances.index_select(0, kept));
    return some / some.sum();
}

/// Tokens of the stop text; none: nothing ends a sample early.
Result<std::vector<std::int32_t>> stopTokens(const Vocabulary& vocabulary, const std::string& stop)
{
    auto tokens = encodeExactly(vocabulary, stop);
    return tokens ? tokens : fail(tokens.error().text(), "stop");
}

bool endsWith(const std::vector<std::int32_t>& drawn, const std::vector<std::int32_t>& stop)
{
    return !stop.empty() && drawn.size() >= stop.size() && std::equal(stop.rbegin(), stop.rend(), drawn.rbegin());
}

/// At least one: a byte order mark alone is not text either.
Result<std::vector<std::int32_t>> promptTokens(const Vocabulary& vocabulary, const std::string& prompt)
{
    auto tokens = vocabulary.encode(prompt);
    if (!tokens)
        return fail(tokens.error().text(), "prompt");
    if (tokens->empty())
        tokens->push_back(0);
    return tokens;
}

/// Why the network cannot read a sequence of so many tokens; empty: it can.
std::optional<Error> tooLong(const Model& model, std::size_t prompt, std::int64_t drawn)
{
    const auto& limit = model.longestSequence();
    const std::int64_t steps = static_cast<std::int64_t>(prompt) + drawn - 1; // the last token drawn is not read
    if (!limit || steps <= limit->steps)
        return std::nullopt;
    return Error{fmt::format("it supports at most {} steps; a prompt of {} tokens and {} samples make {}", limit->steps,
                             prompt, drawn, steps),
                 limit->node};
}

} // namespace

at::Tensor chancesOf(const at::Tensor& scores, const SamplingRule& rule)
{
    const at::Tensor exact = scores.detach().cpu().to(at::kDouble);
    const auto order = std::get<1>(at::sort(exact, /*stable=*/true, 0, /*descending=*/true));
    if (rule.temperature <= 0)
        return firstOf(at::ones_like(exact), order, 1);
    const at::Tensor below = exact - exact.max(); // <= 0, so that a tiny temperature gives 0 and -inf and no NaN
    at::Tensor chances = (below / rule.temperature).softmax(-1);
    if (rule.topK > 0 && rule.topK < exact.size(0))
        chances = firstOf(chances, order, rule.topK);
    if (rule.topP >= 1)
        return chances;
    // Those before which less than topP has come together: the one that reaches it is left, and the first one always.
    const at::Tensor sorted = chances.index_select(0, order);
    const std::int64_t left = (sorted.cumsum(0) - sorted).lt(rule.topP).sum().item<std::int64_t>();
    return firstOf(chances, order, std::max<std::int64_t>(left, 1));
}

Result<std::vector<std::int32_t>> sampleTokens(
    Model& model, const Vocabulary& vocabulary, const SampleRequest& request, const std::stop_token& stop,
    const std::function<void(const std::vector<std::int32_t>& tokens, bool begins)>& took)
{
    if (vocabulary.classes() == 0)
        return fail("this network predicts numbers, so there is no text to sample");
    const at::NoGradGuard guard;
    auto tokens = promptTokens(vocabulary, request.prompt);
    if (!tokens)
        return tl::unexpected(tokens.error());
    if (auto error = tooLong(model, tokens->size(), request.tokens))
        return tl::unexpected(std::move(*error));
    const auto end = stopTokens(vocabulary, request.rule.stop);
    if (!end)
        return tl::unexpected(end.error());
    std::vector<std::int32_t> drawn;
    at::Generator generator = makeGenerator(at::kCPU, request.seed);
    States states;
    std::vector<std::int32_t> next = *tokens;
    if (took)
        took(next, true);
    for (std::int64_t i = 0; i < request.tokens && !endsWith(drawn, *end); ++i) {
        if (stop.stop_requested())
            return fail("interrupted");
        const ModelInput input{column(next, model.device()), {}, {}, {}};
        ModelOutput output = model.forward(input, states, PassContext{});
        const auto token = draw(output.prediction.select(0, -1).select(0, 0), request.rule, generator);
        if (!token) {
            const BadNode bad = findInForward(model, input, states, fmt::format("at token {}", tokens->size()));
            return fail(fmt::format("{}: {}", kNotFinite, bad.sentence), bad.node);
        }
        states = std::move(output.states);
        next = {*token};
        tokens->push_back(next.front());
        drawn.push_back(next.front());
        if (took)
            took(next, false);
    }
    return tokens;
}

Result<std::string> sampleText(Model& model, const Vocabulary& vocabulary, const SampleRequest& request,
                               const std::stop_token& stop, const std::function<void(const std::string&)>& heard)
{
    const auto took = [&](const std::vector<std::int32_t>& tokens, bool begins) {
        if (heard)
            heard(vocabulary.written(tokens, begins));
    };
    const auto tokens = sampleTokens(model, vocabulary, request, stop, took);
    return tokens ? Result<std::string>(vocabulary.decode(*tokens)) : tl::unexpected(tokens.error());
}

} // namespace unroll
