// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/memory.h"

#include "core/data/text_dataset.h"
#include "tests/support/lens_models.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

namespace unroll {
namespace {

using testing::blockBetween;
using testing::buildModel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::lensFrame;
using testing::makeGraph;
using testing::makeNode;
using ::testing::Not;
using testing::textOf;
using testing::weightOf;

constexpr std::int64_t kClasses = 11;

Graph around(const std::string& block, std::int64_t width, Params params = {})
{
    if (block != "attention")
        params["units"] = width;
    return blockBetween(block, width, std::move(params));
}

/// Logits are the unit vector of the token so many steps back.
Graph delayed(int steps)
{
    std::vector<Node> nodes{makeNode(1, "text", "text"), makeNode(2, "one_hot", "one_hot")};
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}}};
    NodeId last = 2;
    for (int i = 0; i < steps; ++i, ++last) {
        nodes.push_back(makeNode(last + 1, "delay", "delay_" + std::to_string(i)));
        wires.push_back({{last, "y"}, {last + 1, "x"}});
    }
    nodes.push_back(makeNode(last + 1, "head", "head", {{"readout", std::string("none")}}));
    wires.push_back({{last, "y"}, {last + 1, "x"}});
    wires.push_back({{1, "targets"}, {last + 1, "targets"}});
    return makeGraph(std::move(nodes), std::move(wires));
}

LensQuery asked(std::int64_t step, std::int64_t answer = -1)
{
    LensQuery query{"memory", {}, {}, {{"step", step}, {"tokens", std::int64_t{0}}}};
    if (answer >= 0)
        query.settings["answer"] = std::to_string(answer);
    return query;
}

std::shared_ptr<const MemoryData> memoryOf(Model& model, const ProbeText& text, const LensQuery& query,
                                           const Dataset* data = nullptr)
{
    const auto frame = lensFrame(model, text, query, data);
    EXPECT_EQ(frame->trouble, "");
    return dataOf<MemoryData>(frame);
}

ModelInput classes(const std::vector<std::int32_t>& read)
{
    at::Tensor all = at::empty({std::ssize(read), 1}, at::kLong);
    std::copy(read.begin(), read.end(), all.mutable_data_ptr<std::int64_t>());
    return {.tokens = all, .targets = {}, .mask = {}, .features = {}};
}

TEST(Memory, ADelayLightsOneStep)
{
    for (const int delay : {0, 1, 5}) {
        const auto model = buildModel(delayed(delay));
        const ProbeText text = textOf({3, 1, 4, 1, 5, 9, 2, 6, 5});
        for (const std::int64_t step : {7, 8}) {
            const std::int64_t lit = step - delay;
            const auto data = memoryOf(*model, text, asked(step, text.tokens[static_cast<std::size_t>(lit)]));
            for (std::int64_t t = 0; t < 9; ++t)
                EXPECT_EQ(data->gradient[static_cast<std::size_t>(t)], t == lit ? 1 : 0) << delay << " " << t;
            EXPECT_EQ(data->stepsWith(0.5), delay + 1);
            EXPECT_FALSE(data->readsAhead());
        }
    }
    const auto model = buildModel(delayed(5));
    const auto data = memoryOf(*model, textOf({3, 1, 4}), asked(-1, 2));
    EXPECT_THAT(data->gradient, ElementsAre(0, 0, 0)) << "what it waits for was not read";
    EXPECT_EQ(data->stepsWith(0.5), 0);
    EXPECT_THAT(data->figure().findings.front(), HasSubstr("every gradient is 0"));
}

/// Every token once, so that a row of the table is a step.
TEST(Memory, GradientsAreFiniteDifferences)
{
    const std::vector<std::int32_t> read{4, 0, 7, 2, 9, 1, 3, 10, 5};
    for (const char* block : {"lstm", "gru", "rnn", "lru", "mru", "sru", "attention", "mingru"}) {
        const auto model = buildModel(
            around(block, 4, block == std::string("attention") ? Params{{"num_heads", std::int64_t{2}}} : Params{}));
        const std::int64_t step = 6, answer = 8;
        const auto data = memoryOf(*model, textOf(read), asked(step, answer));
        const at::NoGradGuard values;
        const at::Tensor table = weightOf(*model, "embedding.weight");
        const auto logit = [&] {
            return model->forward(classes(read), {}, {}).prediction[step][0][answer].item<double>();
        };
        for (std::size_t t = 0; t < read.size(); ++t) {
            double squares = 0;
            for (std::int64_t i = 0; i < 4; ++i) {
                constexpr double kStep = 1e-5;
                at::Tensor element = table[read[t]][i];
                const double before = element.item<double>();
                element.fill_(before + kStep);
                const double above = logit();
                element.fill_(before - kStep);
                squares += std::pow((above - logit()) / (2 * kStep), 2);
                element.fill_(before);
            }
            EXPECT_NEAR(data->gradient[t], std::sqrt(squares), 1e-6 * std::max(1.0, std::sqrt(squares))) << block << t;
        }
        for (const Weight& each : model->weights())
            EXPECT_FALSE(each.tensor.grad().defined()) << "no gradient is left behind";
    }
}

/// Numbers are read through a loop that a delay closes.
TEST(Memory, NumbersAndLoops)
{
    const auto model = buildModel(
        makeGraph({makeNode(1, "series", "series"), makeNode(2, "delay", "delay"), makeNode(3, "concat", "concat"),
                   makeNode(4, "linear", "linear", {{"width", std::int64_t{3}}}), makeNode(5, "mse", "mse")},
                  {{{1, "features"}, {3, "a"}},
                   {{4, "y"}, {2, "x"}},
                   {{2, "y"}, {3, "b"}},
                   {{3, "y"}, {4, "x"}},
                   {{4, "y"}, {5, "x"}},
                   {{1, "targets"}, {5, "targets"}}}),
        {.classes = 0, .inputs = 2, .targets = 2, .labels = 0});
    ProbeText text;
    text.features = {0.5f, -1, 2, 0.25f, 1, 1, -0.5f, 0.75f, 0, 1.5f};
    text.width = 2;
    text.targets = {{"height", 0, 1}, {"weight", 0, 1}};
    LensQuery query = asked(3);
    query.settings["answer"] = std::string("weight");
    const auto data = memoryOf(*model, text, query);
    EXPECT_THAT(data->answer, HasSubstr("weight"));
    const at::NoGradGuard values;
    at::Tensor all = at::empty({5, 1, 2}, at::kDouble);
    std::copy(text.features.begin(), text.features.end(), all.mutable_data_ptr<double>());
    const auto output = [&] {
        return model->forward({.tokens = {}, .targets = {}, .mask = {}, .features = all}, {}, {})
            .prediction[3][0][1]
            .item<double>();
    };
    for (std::int64_t t = 0; t < 5; ++t) {
        double squares = 0;
        for (std::int64_t i = 0; i < 2; ++i) {
            const double before = all[t][0][i].item<double>();
            all[t][0][i].fill_(before + 1e-5);
            const double above = output();
            all[t][0][i].fill_(before - 1e-5);
            squares += std::pow((above - output()) / 2e-5, 2);
            all[t][0][i].fill_(before);
        }
        EXPECT_NEAR(data->gradient[static_cast<std::size_t>(t)], std::sqrt(squares), 1e-6) << t;
    }
    EXPECT_GT(data->gradient[0], 0) << "through the delay";
}

TEST(Memory, OneAnswerForTheWhole)
{
    const auto model = buildModel(
        makeGraph({makeNode(1, "labelled_text", "data"),
                   makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
                   makeNode(3, "pool", "pool", {{"kind", std::string("first")}}), makeNode(4, "head", "head")},
                  {{{1, "tokens"}, {2, "tokens"}},
                   {{2, "y"}, {3, "x"}},
                   {{3, "y"}, {4, "x"}},
                   {{1, "targets"}, {4, "targets"}}}),
        {.classes = kClasses, .inputs = 0, .targets = 0, .labels = 3});
    const auto data = memoryOf(*model, textOf({1, 2, 3, 4}), asked(1));
    EXPECT_EQ(model->lossUnit(), "nats/sequence");
    EXPECT_TRUE(data->whole);
    EXPECT_EQ(data->step, 3);
    EXPECT_GT(data->gradient[0], 0);
    EXPECT_EQ(data->gradient[1] + data->gradient[2] + data->gradient[3], 0);
    EXPECT_EQ(data->stepsWith(0.5), 4);
}

TEST(Memory, SaysWhatItShows)
{
    const auto model = buildModel(around("grumml", 4));
    const Figure figure = memoryOf(*model, textOf({1, 2, 3}), asked(-1))->figure();
    EXPECT_THAT(figure.shows, HasSubstr("grumml rounds, so this is the straight-through estimate."));
    EXPECT_THAT(figure.shows, HasSubstr("the likeliest"));
    EXPECT_EQ(figure.panels.size(), 2u);
    EXPECT_THAT(figure.findings.back(), HasSubstr("the data are not available"));
    const auto smooth = buildModel(around("gru", 4));
    EXPECT_THAT(memoryOf(*smooth, textOf({1}), asked(0))->figure().shows, Not(HasSubstr("straight-through")));
}

TEST(Memory, WhatIsNoNumberIsCounted)
{
    const auto model = buildModel(around("rnn", 4));
    {
        const at::NoGradGuard values;
        weightOf(*model, "rnn.weight_hh_l0").fill_(std::numeric_limits<double>::quiet_NaN());
    }
    const Figure figure = memoryOf(*model, textOf({1, 2, 3}), asked(-1, 0))->figure();
    EXPECT_GT(figure.missing, 0);
    EXPECT_THAT(figure.findings, Not(Contains(HasSubstr("every gradient is 0"))));
    EXPECT_THAT(figure.findings, Not(Contains(HasSubstr("reads ahead"))));
}

/// Period 7, so that the next character is the one 6 steps back.
std::shared_ptr<const TextDataset> periodic()
{
    TextSource source;
    source.name = "a.txt";
    for (int i = 0; i < 600; ++i)
        source.text += "abcdefg";
    TextOptions options;
    options.steps = 16;
    return TextDataset::fromSource(std::move(source), options).value();
}

TEST(Memory, ALossThatIsNoNumberHasNoCurve)
{
    const auto data = periodic();
    const auto model = buildModel(around("rnn", 4), {.classes = 7, .inputs = 0, .targets = 0, .labels = 0});
    {
        const at::NoGradGuard values;
        weightOf(*model, "rnn.weight_hh_l0").fill_(std::numeric_limits<double>::quiet_NaN());
    }
    LensQuery query = asked(-1);
    query.settings["tokens"] = std::int64_t{4096};
    const auto found = memoryOf(*model, makeProbeText(*data, ""), query, data.get());
    EXPECT_THAT(found->curve.trouble, HasSubstr("targets is not finite"));
    EXPECT_THAT(found->figure().findings.back(), HasSubstr("No curve of the loss against the steps seen"));
}

TEST(Memory, SaysWhyThereIsNothing)
{
    const auto model = buildModel(around("rnn", 4));
    EXPECT_THAT(lensFrame(*model, textOf({1, 2}), asked(2))->trouble, HasSubstr("the reading has 2 steps"));
    EXPECT_THAT(lensFrame(*model, textOf({}), asked(-1))->trouble, HasSubstr("nothing to read"));
    EXPECT_THAT(lensFrame(*model, textOf({1, 2}), asked(-1, kClasses))->trouble, HasSubstr("no output named"));
    const ProbeFrame look;
    EXPECT_THAT(frameOf({look}, asked(-1))->trouble, HasSubstr("not available"));
}

TEST(Memory, TheCurveFallsWhereTheDelayIs)
{
    const auto data = periodic();
    const auto model = buildModel(delayed(6), {.classes = 7, .inputs = 0, .targets = 0, .labels = 0});
    LensQuery query = asked(-1);
    query.settings["tokens"] = std::int64_t{8192};
    const ProbeText text = makeProbeText(*data, "");
    const auto found = memoryOf(*model, text, query, data.get());
    const ContextLoss& curve = found->curve;
    ASSERT_EQ(curve.trouble, "");
    EXPECT_EQ(curve.context.back(), 32) << "twice the steps of training, for states are carried";
    EXPECT_THAT(found->figure().shows, HasSubstr("spread over the validation split (the first 131,072 steps"));
    EXPECT_EQ(curve.enough.value, 7);
    EXPECT_EQ(curve.enough.low, 7);
    EXPECT_EQ(curve.enough.high, 7);
    for (std::size_t i = 0; i < curve.context.size(); ++i)
        EXPECT_NEAR(curve.loss[i].value, curve.context[i] < 7 ? std::log(7.0) : std::log(std::exp(1.0) + 6) - 1, 1e-9)
            << curve.context[i];
    EXPECT_EQ(curve.unit, "nats/token");
    const Figure figure = found->figure();
    EXPECT_THAT(figure.findings.front(), HasSubstr("after about 7 steps (95 %: 7 to 7)"));
    EXPECT_EQ(figure.panels.size(), 3u);
}

TEST(Memory, ANetworkWithoutMemoryHasNoFall)
{
    const auto data = periodic();
    const auto model = buildModel(delayed(0), {.classes = 7, .inputs = 0, .targets = 0, .labels = 0});
    LensQuery query = asked(-1);
    query.settings["tokens"] = std::int64_t{4096};
    const auto found = memoryOf(*model, makeProbeText(*data, ""), query, data.get());
    EXPECT_FALSE(found->curve.measured());
    EXPECT_THAT(found->figure().findings.front(), HasSubstr("does not lower the loss measurably"));
    MemoryData even = *found;
    even.curve.fall = {0, -0.25, 0.125};
    EXPECT_THAT(even.figure().findings.front(), HasSubstr("changes by 0 nats/token (95 %: -0.125 to +0.25)"));
    even.curve.fall = {};
    EXPECT_THAT(even.figure().findings.front(), HasSubstr("changes by 0 nats/token (95 %: 0 to 0)"));
}

/// Numbers that torch's operations give on this thread while it lives, views and results of parts included.
class NumbersGiven {
public:
    NumbersGiven()
        : m_handle(at::addThreadLocalCallback(
              at::RecordFunctionCallback(begin, end).needsOutputs(true).scopes({at::RecordScope::FUNCTION})))
    {
        count = 0;
    }
    ~NumbersGiven() { at::removeCallback(m_handle); }
    NumbersGiven(const NumbersGiven&) = delete;
    NumbersGiven& operator=(const NumbersGiven&) = delete;

    static inline double count = 0;

private:
    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction&) { return nullptr; }
    static void end(const at::RecordFunction& function, at::ObserverContext*)
    {
        for (const c10::IValue& output : function.outputs())
            if (output.isTensor() && output.toTensor().defined())
                count += static_cast<double>(output.toTensor().numel());
    }

    at::CallbackHandle m_handle;
};

/// One pass forward and one backward, however long the reading: a pass for each step, or each step in a copy of its
/// own, would give four times the numbers at twice the length.
TEST(Memory, TakesWorkInProportionToTheReading)
{
    const auto model =
        buildModel(around("lstm", 128), {.classes = 64, .inputs = 0, .targets = 0, .labels = 0}, at::kFloat);
    const auto numbersFor = [&](std::int32_t steps) {
        std::vector<std::int32_t> read;
        for (std::int32_t i = 0; i < steps; ++i)
            read.push_back(i * 7 % 64);
        const ProbeText text = textOf(read);
        const NumbersGiven given;
        const auto begin = std::chrono::steady_clock::now();
        memoryOf(*model, text, asked(-1, 3));
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        std::printf("gradient by step, T = %d, 128 units: %.0f numbers, %.1f ms\n", steps, NumbersGiven::count,
                    took.count());
        return NumbersGiven::count;
    };
    const double half = numbersFor(128), whole = numbersFor(256);
    EXPECT_GT(half, 128 * 128);
    EXPECT_LT(whole, 2.2 * half);
}

} // namespace
} // namespace unroll
