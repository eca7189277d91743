// SPDX-License-Identifier: GPL-3.0-or-later
// A Learned vector wired to the state of a recurrent block: sequences begin there, and what is carried goes on.
#include "core/block/state_numbers.h"
#include "core/check/ports.h"
#include "core/model/model.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;

struct StartedCell {
    std::string block;
    Params params;
};

std::vector<StartedCell> startedCells()
{
    return {{"lstm", {{"units", std::int64_t{5}}}},
            {"gla", {{"units", std::int64_t{8}}, {"num_heads", std::int64_t{2}}}},
            {"mamba", {{"state_size", std::int64_t{3}}}},
            {"slstm", {{"units", std::int64_t{4}}, {"num_heads", std::int64_t{2}}}},
            {"lru", {{"units", std::int64_t{6}}, {"state_size", std::int64_t{3}}}},
            {"delay", {}}};
}

constexpr NodeId kStart = 3, kStartedCell = 4;

/// copy -> embedding -> cell -> head, and a Learned vector at the cell's state.
Graph startedGraph(const StartedCell& cell, std::int64_t width)
{
    return makeGraph({makeNode(1, "copy", "copy"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}}),
                      makeNode(kStart, "learned_vector", "start",
                               {{"width", width}, {"initializer", std::string("normal")}, {"init_std", 0.3}}),
                      makeNode(kStartedCell, cell.block, "cell", cell.params), makeNode(5, "head", "head")},
                     {{{1, "tokens"}, {2, "tokens"}},
                      {{2, "y"}, {kStart, "x"}},
                      {{2, "y"}, {kStartedCell, "x"}},
                      {{kStart, "y"}, {kStartedCell, "state"}},
                      {{kStartedCell, "y"}, {5, "x"}},
                      {{1, "targets"}, {5, "targets"}}});
}

const BlockRegistry& blocksOfStart()
{
    static const auto* all = new BlockRegistry(allSpecs());
    return *all;
}

CheckedGraph checkedStart(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) { return SourceFacts{.classes = 10, .steps = 6}; };
    return check(graph, blocksOfStart(), options);
}

std::vector<std::string> faultsOfStart(const Graph& graph)
{
    std::vector<std::string> sentences;
    for (const Diagnostic& diagnostic : checkedStart(graph).diagnostics)
        if (diagnostic.severity == Severity::Error)
            sentences.push_back(diagnostic.sentence);
    return sentences;
}

/// The same with the vector as wide as the state.
Graph fittingGraph(const StartedCell& cell)
{
    const Graph graph = startedGraph(cell, 1);
    const Graph alone = edits::disconnect({{kStart, "y"}, {kStartedCell, "state"}}).apply(graph).value();
    return startedGraph(cell, stateNumbers(checkedStart(alone).nodes.at(kStartedCell).outputs.at("state")));
}

std::unique_ptr<Model> startedModel(const Graph& graph)
{
    const CheckedGraph checked = checkedStart(graph);
    EXPECT_THAT(faultsOfStart(graph), ::testing::IsEmpty());
    auto model = Model::build(graph, checked, blocksOfStart(), allBuilders(), 1, at::kDouble);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
}

ModelInput startedInput()
{
    return {
        at::randint(0, 10, {6, 3}, at::kLong), at::randint(0, 10, {6, 3}, at::kLong), at::ones({6, 3}, at::kBool), {}};
}

ModelInput startedSteps(const ModelInput& in, std::int64_t from, std::int64_t to)
{
    return {in.tokens.slice(0, from, to), in.targets.slice(0, from, to), in.mask.slice(0, from, to), {}};
}

at::Tensor startWeight(const Model& model)
{
    for (const Weight& weight : model.weights())
        if (weight.name == "start.weight")
            return weight.tensor;
    throw std::runtime_error("start.weight");
}

/// embedding -> sum -> cell -> delay -> sum: the cell runs step by step, and a Delay begins at a vector too.
Graph loopedStart()
{
    const GraphEdit looped = edits::sequence(
        "", {edits::addNode(makeNode(7, "delay", "delay")), edits::addNode(makeNode(8, "add", "add")),
             edits::addNode(
                 makeNode(9, "learned_vector", "first",
                          {{"width", std::int64_t{6}}, {"initializer", std::string("normal")}, {"init_std", 0.5}})),
             edits::connect({{2, "y"}, {9, "x"}}), edits::connect({{9, "y"}, {7, "state"}}),
             edits::disconnect({{2, "y"}, {kStartedCell, "x"}}), edits::connect({{2, "y"}, {8, "a"}}),
             edits::connect({{7, "y"}, {8, "b"}}), edits::connect({{8, "y"}, {kStartedCell, "x"}}),
             edits::connect({{kStartedCell, "y"}, {7, "x"}})});
    return looped.apply(startedGraph({"lstm", {{"units", std::int64_t{6}}}}, 12)).value();
}

/// All cells, and the loop.
std::vector<std::pair<std::string, Graph>> startedGraphs()
{
    std::vector<std::pair<std::string, Graph>> graphs{{"a loop", loopedStart()}};
    for (const StartedCell& cell : startedCells())
        graphs.emplace_back(cell.block, fittingGraph(cell));
    return graphs;
}

void expectPrediction(const at::Tensor& got, const at::Tensor& want)
{
    ASSERT_EQ(got.sizes(), want.sizes());
    EXPECT_TRUE(at::allclose(got, want, 1e-10, 1e-12));
}

TEST(LearnedStart, ItsGradientIsTheSlope)
{
    constexpr double kStep = 1e-6;
    for (const auto& [name, graph] : startedGraphs()) {
        SCOPED_TRACE(name);
        const auto model = startedModel(graph);
        const ModelInput in = startedInput();
        model->forward(in, {}, {}).loss.backward();
        at::Tensor weight = startWeight(*model);
        ASSERT_TRUE(weight.grad().defined());
        EXPECT_GT(weight.grad().abs().max().item<double>(), 1e-6);
        const at::NoGradGuard values;
        const auto lossWith = [&](std::int64_t unit, double change) {
            weight[unit] += change;
            const double loss = model->forward(in, {}, {}).loss.item<double>();
            weight[unit] -= change;
            return loss;
        };
        for (std::int64_t unit = 0; unit < weight.size(0); ++unit) {
            const double slope = (lossWith(unit, kStep) - lossWith(unit, -kStep)) / (2 * kStep);
            EXPECT_NEAR(weight.grad()[unit].item<double>(), slope, 1e-6 * (1 + std::abs(slope))) << unit;
        }
    }
}

/// Windows of two steps and single steps, each with the states of the one before, give what the whole sequence gives.
TEST(LearnedStart, WhatIsCarriedGoesOn)
{
    for (const auto& [name, graph] : startedGraphs())
        for (const std::int64_t steps : {1, 2}) {
            SCOPED_TRACE(name);
            const auto model = startedModel(graph);
            const ModelInput in = startedInput();
            States states;
            std::vector<at::Tensor> pieces;
            for (std::int64_t t = 0; t < 6; t += steps) {
                const ModelOutput made = model->forward(startedSteps(in, t, t + steps), states, {});
                states = detach(made.states);
                pieces.push_back(made.prediction);
            }
            expectPrediction(at::cat(pieces), model->forward(in, {}, {}).prediction);
        }
}

/// A sequence that begins anew in the middle of the others begins at the vector, and it alone teaches it.
TEST(LearnedStart, AFreshSequenceBeginsAtTheVector)
{
    for (const auto& [name, graph] : startedGraphs()) {
        SCOPED_TRACE(name);
        const auto model = startedModel(graph);
        const ModelInput in = startedInput(), later = startedSteps(in, 3, 6);
        States states = detach(model->forward(startedSteps(in, 0, 3), {}, {}).states);
        at::Tensor weight = startWeight(*model);
        model->forward(later, states, {}).loss.backward();
        EXPECT_TRUE(!weight.grad().defined() || weight.grad().abs().max().item<double>() < 1e-14)
            << "all of them have begun";
        clearFresh(states, {0, 1, 0});
        const ModelOutput made = model->forward(later, states, {});
        expectPrediction(made.prediction.select(1, 1), model->forward(later, {}, {}).prediction.select(1, 1));
        made.loss.backward();
        EXPECT_GT(weight.grad().abs().max().item<double>(), 1e-8);
    }
}

/// The vector is known before the first step, whatever it counts sequences by.
TEST(LearnedStart, ANextTokenLossTakesIt)
{
    const Graph graph = edits::setBlock(1, "text").apply(fittingGraph(startedCells()[0])).value();
    EXPECT_THAT(faultsOfStart(graph), ::testing::IsEmpty());
    const GraphEdit reversed =
        edits::sequence("", {edits::addNode(makeNode(7, "reverse", "turned")), edits::disconnect({{2, "y"}, {3, "x"}}),
                             edits::connect({{2, "y"}, {7, "x"}}), edits::connect({{7, "y"}, {3, "x"}})});
    EXPECT_THAT(faultsOfStart(reversed.apply(graph).value()), ::testing::IsEmpty());
    const GraphEdit through =
        edits::sequence("", {edits::addNode(makeNode(7, "linear", "map", {{"width", std::int64_t{10}}})),
                             edits::disconnect({{3, "y"}, {4, "state"}}), edits::connect({{3, "y"}, {7, "x"}}),
                             edits::connect({{7, "y"}, {4, "state"}})});
    const Graph mapped = through.apply(graph).value();
    EXPECT_THAT(faultsOfStart(mapped), ::testing::IsEmpty());
    EXPECT_TRUE(checkedStart(mapped).nodes.at(kStartedCell).stateFromWeights);
}

/// With a mean over the steps added to it, it is known after the last one alone.
TEST(LearnedStart, BesideAMeanOfStepsItIsLate)
{
    const GraphEdit mixed =
        edits::sequence("", {edits::addNode(makeNode(7, "pool", "mean")),
                             edits::addNode(makeNode(8, "linear", "map", {{"width", std::int64_t{10}}})),
                             edits::addNode(makeNode(9, "add", "both")), edits::disconnect({{3, "y"}, {4, "state"}}),
                             edits::connect({{2, "y"}, {7, "x"}}), edits::connect({{7, "y"}, {8, "x"}}),
                             edits::connect({{3, "y"}, {9, "a"}}), edits::connect({{8, "y"}, {9, "b"}}),
                             edits::connect({{9, "y"}, {4, "state"}})});
    const Graph graph = mixed.apply(fittingGraph(startedCells()[0])).value();
    EXPECT_THAT(faultsOfStart(graph), ::testing::IsEmpty());
    EXPECT_FALSE(checkedStart(graph).nodes.at(kStartedCell).stateFromWeights);
    EXPECT_THAT(faultsOfStart(edits::setBlock(1, "text").apply(graph).value()),
                ::testing::ElementsAre(HasSubstr("both.y is known only after the last step")));
}

TEST(LearnedStart, ItGoesIntoGroups)
{
    const Graph plain = fittingGraph(startedCells()[0]);
    const Graph grouped = edits::makeGroup({kStartedCell}, "body").apply(plain).value();
    const ModelInput in = startedInput();
    const auto model = startedModel(grouped);
    const ModelOutput first = model->forward(startedSteps(in, 0, 2), {}, {});
    expectPrediction(at::cat({first.prediction, model->forward(startedSteps(in, 2, 6), first.states, {}).prediction}),
                     startedModel(plain)->forward(in, {}, {}).prediction);
}

/// What comes to the copies behind the first might be made of steps.
TEST(LearnedStart, AVectorThatCopiesHandOnIsOfWeightsInNone)
{
    const GraphEdit through =
        edits::sequence("", {edits::addNode(makeNode(7, "linear", "map", {{"width", std::int64_t{10}}})),
                             edits::disconnect({{3, "y"}, {4, "state"}}), edits::connect({{3, "y"}, {7, "x"}}),
                             edits::connect({{7, "y"}, {4, "state"}}), edits::makeGroup({7}, "maps")});
    const Graph once = through.apply(fittingGraph(startedCells()[0])).value();
    EXPECT_TRUE(checkedStart(once).nodes.at(kStartedCell).stateFromWeights);
    const Graph twice = edits::setRepeat(once.findByName("maps")->id, 2, false).apply(once).value();
    EXPECT_THAT(faultsOfStart(twice), ::testing::IsEmpty());
    EXPECT_FALSE(checkedStart(twice).nodes.at(kStartedCell).stateFromWeights);
}

TEST(LearnedStart, AnotherWidthIsMendedAtTheVector)
{
    const Graph graph = startedGraph(startedCells()[0], 5);
    const CheckedGraph checked = checkedStart(graph);
    ASSERT_EQ(checked.diagnostics.size(), 1u);
    EXPECT_EQ(checked.diagnostics[0].sentence, "cell.state holds 10 numbers (h 5, c 5); start.y gives 5");
    ASSERT_TRUE(checked.diagnostics[0].fix);
    const Graph mended = checked.diagnostics[0].fix->edit.apply(graph).value();
    EXPECT_EQ(mended.nodes.size(), graph.nodes.size());
    EXPECT_EQ(mended.find(kStart)->params.at("width"), ParamValue(std::int64_t{10}));
    EXPECT_TRUE(checkedStart(mended).runnable());
}

/// It reads no step, so it brings none together.
TEST(LearnedStart, ItIsNotOfferedToTurnStepsIntoAVector)
{
    EXPECT_EQ(findConverter(blocksOfStart(), PortType::Sequence, PortType::Vector)->spec->id, "pool");
}

} // namespace
} // namespace unroll
