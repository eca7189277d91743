// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/weights.h"

#include "core/kernels/ternary/ternary.h"
#include "core/lens/batch_input.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::tinyExperiment;

std::shared_ptr<const LensFrame> asked(const BuiltRun& run, Params settings = {}, Model* model = nullptr)
{
    const ProbeFrame look{.step = 7, .characters = {}, .signalFrames = {}};
    return frameOf({look, model != nullptr ? model : run.model.get(), run.data.get()},
                   {"weights", "", "", std::move(settings)});
}

std::shared_ptr<const WeightsData> seen(const BuiltRun& run, Params settings = {}, Model* model = nullptr)
{
    const auto frame = asked(run, std::move(settings), model);
    EXPECT_EQ(frame->trouble, "");
    return dataOf<WeightsData>(frame);
}

const TensorNumbers& tensorOf(const WeightsData& data, const std::string& name)
{
    for (const TensorNumbers& tensor : data.tensors)
        if (tensor.name == name)
            return tensor;
    throw std::out_of_range(name);
}

TEST(WeightsLens, NumbersOfATensor)
{
    const std::vector<double> values{3, -4, std::numeric_limits<double>::quiet_NaN(), 0,
                                     -std::numeric_limits<double>::infinity()};
    TensorNumbers tensor = numbersOf(values);
    EXPECT_EQ(tensor.count, 3);
    EXPECT_EQ(tensor.missing, 2);
    EXPECT_DOUBLE_EQ(tensor.rms, std::sqrt(25 / 3.0));
    EXPECT_DOUBLE_EQ(tensor.mean, -1 / 3.0);
    EXPECT_EQ(tensor.low, -4);
    EXPECT_EQ(tensor.high, 3);
    fillHistogram(tensor, values, histogramRange(4)); // bins of 0.2 from -4 on
    EXPECT_EQ(tensor.range, 4);
    EXPECT_EQ(tensor.histogram.at(0), 1);
    EXPECT_EQ(tensor.histogram.at(20), 1);
    EXPECT_EQ(tensor.histogram.at(35), 1);
    EXPECT_EQ(std::accumulate(tensor.histogram.begin(), tensor.histogram.end(), std::int64_t{0}), 3);
}

TEST(WeightsLens, RangesArePowersOfTwo)
{
    EXPECT_EQ(histogramRange(0), 0);
    EXPECT_EQ(histogramRange(1), 1);
    EXPECT_EQ(histogramRange(1.01), 2);
    EXPECT_EQ(histogramRange(0.24), 0.25);
    TensorNumbers zeros = numbersOf({0, 0});
    fillHistogram(zeros, {0, 0}, 0);
    EXPECT_EQ(zeros.histogram.at(20), 2);
    TensorNumbers edge = numbersOf({1});
    fillHistogram(edge, {1}, 1);
    EXPECT_EQ(edge.histogram.at(39), 1) << "the upper end belongs to the last bin";
    EXPECT_TRUE(std::isnan(numbersOf({}).rms));
}

TEST(WeightsLens, EveryTensorHasItsSizeAndHistogram)
{
    const BuiltRun run(tinyExperiment());
    const auto data = seen(run);
    ASSERT_NE(data, nullptr);
    ASSERT_EQ(data->tensors.size(), run.model->weights().size());
    for (const Weight& weight : run.model->weights()) {
        const TensorNumbers& tensor = tensorOf(*data, weight.name);
        const at::Tensor values = weight.tensor.detach().to(at::kDouble);
        EXPECT_NEAR(tensor.rms, std::sqrt(values.square().mean().item<double>()), 1e-12) << weight.name;
        EXPECT_EQ(tensor.count, values.numel());
        EXPECT_EQ(std::accumulate(tensor.histogram.begin(), tensor.histogram.end(), std::int64_t{0}), values.numel());
        EXPECT_EQ(tensor.node + ".", weight.name.substr(0, weight.name.find('.') + 1));
        EXPECT_FALSE(tensor.ternary);
    }
    const Figure figure = data->figure();
    const FigurePanel& norms = figure.panels.at(0);
    ASSERT_EQ(norms.x.labels.size(), data->tensors.size());
    ASSERT_EQ(norms.series.size(), 1u);
    EXPECT_EQ(norms.x.labels[0], data->tensors[0].name);
    EXPECT_EQ(norms.series[0].x[1], 1) << "a point over each name";
    EXPECT_EQ(norms.series[0].y[0], data->tensors[0].rms);
    EXPECT_EQ(figure.panels.size(), 4u) << "and embedding, lstm and head";
    EXPECT_EQ(figure.tables.size(), 1u);
    EXPECT_THAT(figure.shows, HasSubstr("a point far from the others is a tensor of unusual size"));
}

TEST(WeightsLens, OfOneNode)
{
    const BuiltRun run(tinyExperiment());
    const auto data = seen(run, {{"node", std::string("lstm")}});
    ASSERT_NE(data, nullptr);
    for (const TensorNumbers& tensor : data->tensors)
        EXPECT_EQ(tensor.node, "lstm");
    EXPECT_THAT(asked(run, {{"node", std::string("lst")}})->trouble, HasSubstr("no node named lst has weights"));
}

/// In double, the gradient of each bias of the head by central differences.
TEST(WeightsLens, GradientsAreFiniteDifferences)
{
    const Experiment experiment = tinyExperiment("lstm", 5);
    const BuiltRun run(experiment);
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, run.registry, cache);
    const auto model = Model::build(experiment.graph, checked, run.registry, allBuilders(), 3, at::kDouble).value();
    const auto data = seen(run, {{"of", std::string("gradients")}}, model.get());
    ASSERT_NE(data, nullptr);
    const at::NoGradGuard guard;
    const ModelInput input = batchInput(run.data->batch(Split::Train, 7, 8, 0), at::kCPU);
    const auto loss = [&] { return model->forward(input, {}, {}).loss.item<double>(); };
    EXPECT_NEAR(*data->loss, loss(), 1e-12);
    for (const Weight& weight : model->weights()) {
        const std::string& name = weight.name;
        if (name != "head.bias" && name != "lstm.bias_ih_l0" && name != "lstm.weight_hh_l0")
            continue;
        double squares = 0;
        double* values = weight.tensor.mutable_data_ptr<double>();
        for (std::int64_t i = 0; i < weight.tensor.numel(); ++i) {
            const double before = values[i];
            values[i] = before + 1e-5;
            const double above = loss();
            values[i] = before - 1e-5;
            squares += std::pow((above - loss()) / 2e-5, 2);
            values[i] = before;
        }
        const double rms = std::sqrt(squares / static_cast<double>(weight.tensor.numel()));
        EXPECT_NEAR(tensorOf(*data, name).rms, rms, 1e-6 * rms + 1e-10) << name;
    }
}

TEST(WeightsLens, TheModelIsLeftAsItWas)
{
    const BuiltRun run(tinyExperiment());
    std::vector<at::Tensor> before;
    std::vector<std::uint32_t> versions;
    for (const Weight& weight : run.model->weights()) {
        before.push_back(weight.tensor.detach().clone());
        versions.push_back(weight.tensor._version());
    }
    for (const char* of : {"weights", "gradients"})
        ASSERT_NE(seen(run, {{"of", std::string(of)}}), nullptr);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const at::Tensor& tensor = run.model->weights()[i].tensor;
        EXPECT_FALSE(tensor.grad().defined());
        EXPECT_TRUE(tensor.equal(before[i]));
        EXPECT_EQ(tensor._version(), versions[i]);
    }
}

/// Which weights a block rounds, with how many scales.
TEST(WeightsLens, TernaryWeightsAreThoseThatLayersUse)
{
    struct Case {
        std::string block;
        std::vector<std::pair<std::string, ParamValue>> params;
        std::map<std::string, std::int64_t> scales;
    };
    const auto word = [](const char* name, const char* value) {
        return std::pair(name, ParamValue(std::string(value)));
    };
    const std::pair<std::string, ParamValue> fully{"fully_mml", true}, asWide{"units", std::int64_t{12}};
    const std::map<std::string, std::int64_t> four{{"weight_f", 1}, {"weight_c", 1}, {"weight_g", 1}, {"weight_o", 1}};
    const Case cases[] = {
        {"dense_mml", {}, {{"weight", 1}}},
        {"grumml", {}, {{"weight_fc", 1}}},
        {"grumml", {word("scales", "per_gate")}, {{"weight_fc", 2}}},
        {"grumml", {fully}, {{"weight_fcg", 1}, {"weight_o", 1}}},
        {"grumml", {fully, word("scales", "per_gate")}, {{"weight_fcg", 3}, {"weight_o", 1}}},
        {"grumml", {word("variant", "paper")}, four},
        {"grumml", {word("variant", "mmfreelm")}, four},
        {"lrumml", {asWide}, {{"B_re", 1}, {"B_im", 1}}},
        {"lrumml", {fully, word("skip", "full")}, {{"B_re", 1}, {"B_im", 1}, {"C_re", 1}, {"C_im", 1}, {"D", 1}}},
        {"layer_norm", {}, {}},
        {"lru", {asWide}, {}},
    };
    for (const Case& each : cases) {
        Experiment experiment = tinyExperiment(each.block);
        for (const auto& [name, value] : each.params)
            experiment.graph = edits::setParam(3, name, value).apply(experiment.graph).value();
        const BuiltRun run(experiment);
        const auto data = seen(run);
        ASSERT_NE(data, nullptr) << each.block;
        std::map<std::string, std::int64_t> left = each.scales;
        for (const TensorNumbers& tensor : data->tensors) {
            const auto known = left.find(tensor.name.substr(tensor.name.find('.') + 1));
            EXPECT_EQ(tensor.ternary.has_value(), tensor.node == each.block && known != left.end()) << tensor.name;
            if (!tensor.ternary || known == left.end())
                continue;
            const at::Tensor weight = run.weight(tensor.name).detach();
            const at::Tensor codes = kernels::unpackTernary(kernels::packTernary(weight, known->second)).sign();
            const TernaryMap& map = *tensor.ternary;
            ASSERT_EQ(std::ssize(map.codes), codes.numel());
            for (std::int64_t i = 0; i < codes.numel(); ++i)
                ASSERT_EQ(map.codes[static_cast<std::size_t>(i)], codes.flatten()[i].item<float>()) << tensor.name;
            EXPECT_EQ(map.zero, codes.eq(0).sum().item<std::int64_t>());
            EXPECT_EQ(map.plus, codes.eq(1).sum().item<std::int64_t>());
            EXPECT_EQ(map.minus, codes.eq(-1).sum().item<std::int64_t>());
            left.erase(known);
        }
        EXPECT_TRUE(left.empty()) << each.block << ": " << (left.empty() ? "" : left.begin()->first);
    }
}

TEST(WeightsLens, ATernaryWeightByHand)
{
    Experiment experiment = tinyExperiment("dense_mml", 2);
    const BuiltRun run(experiment);
    const at::NoGradGuard guard;
    at::Tensor weight = run.weight("dense_mml.weight");
    weight.zero_(); // [2, 12], mean |w| = 24 / 24
    weight[0].fill_(1.6);
    weight[1].fill_(-0.4);
    const auto data = seen(run);
    ASSERT_NE(data, nullptr);
    const TernaryMap& map = *tensorOf(*data, "dense_mml.weight").ternary;
    EXPECT_EQ(map.plus, 12);
    EXPECT_EQ(map.zero, 12);
    EXPECT_EQ(map.minus, 0);
    const Figure figure = data->figure();
    EXPECT_EQ(figure.panels.back().cells->rows, 2);
    EXPECT_EQ(figure.panels.back().cells->columns, 12);
    EXPECT_THAT(figure.panels.back().title, HasSubstr("50.0 % zero, 50.0 % +1, 0.0 % -1"));
    EXPECT_EQ(figure.tables.at(1).rows.size(), 1u);
    const auto gradients = seen(run, {{"of", std::string("gradients")}});
    ASSERT_NE(gradients, nullptr);
    EXPECT_THAT(gradients->figure().findings, Contains(HasSubstr("straight through the rounding")));
}

TEST(WeightsLens, WhatIsNoNumberIsCounted)
{
    const BuiltRun run(tinyExperiment());
    const at::NoGradGuard guard;
    run.weight("head.bias").fill_(std::numeric_limits<float>::quiet_NaN());
    const auto data = seen(run);
    ASSERT_NE(data, nullptr);
    const std::int64_t count = run.weight("head.bias").numel();
    EXPECT_EQ(tensorOf(*data, "head.bias").missing, count);
    EXPECT_TRUE(std::isnan(tensorOf(*data, "head.bias").rms));
    EXPECT_EQ(data->figure().missing, count);
}

TEST(WeightsLens, SayWhyThereAreNone)
{
    const BuiltRun run(tinyExperiment());
    EXPECT_THAT(asked(run, {{"of", std::string("updates")}})->trouble, HasSubstr("kept only while a run trains"));
    const ProbeFrame look{};
    EXPECT_THAT(frameOf({look}, {"weights"})->trouble, HasSubstr("the model is not available"));
    EXPECT_THAT(frameOf({look, run.model.get()}, {"weights", "", "", {{"of", std::string("gradients")}}})->trouble,
                HasSubstr("the data of the run"));
}

} // namespace
} // namespace unroll
