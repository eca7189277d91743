// SPDX-License-Identifier: GPL-3.0-or-later
// A vector wired to the state of a recurrent block: h0 = W c.
#include "core/model/model.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;

/// A recurrent block, and how many numbers its state has in how many tensors.
struct BegunCell {
    std::string block;
    Params params;
    std::int64_t numbers, parts;
};

BegunCell begunLstm()
{
    return {"lstm", {{"units", std::int64_t{5}}}, 10, 2};
}

std::vector<BegunCell> begunCells()
{
    return {begunLstm(),
            {"lru", {{"units", std::int64_t{6}}, {"state_size", std::int64_t{3}}}, 6, 2},
            {"gla", {{"units", std::int64_t{8}}, {"num_heads", std::int64_t{2}}}, 32, 1},
            {"slstm", {{"units", std::int64_t{4}}, {"num_heads", std::int64_t{2}}}, 16, 4},
            {"gru", {{"units", std::int64_t{4}}, {"num_layers", std::int64_t{2}}, {"bidirectional", true}}, 16, 1}};
}

constexpr NodeId kVectorLinear = 4, kBegunCell = 5;

/// copy -> embedding -> cell -> head, and the mean of the embedding -> linear -> the cell's state.
Graph begunGraph(const BegunCell& cell, std::int64_t width)
{
    return makeGraph({makeNode(1, "copy", "copy"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}}),
                      makeNode(3, "pool", "pool", {{"kind", std::string("mean")}}),
                      makeNode(kVectorLinear, "linear", "linear", {{"width", width}}),
                      makeNode(kBegunCell, cell.block, "cell", cell.params), makeNode(6, "head", "head")},
                     {{{1, "tokens"}, {2, "tokens"}},
                      {{2, "y"}, {3, "x"}},
                      {{1, "mask"}, {3, "mask"}},
                      {{3, "y"}, {4, "x"}},
                      {{2, "y"}, {5, "x"}},
                      {{1, "mask"}, {5, "mask"}},
                      {{4, "y"}, {5, "state"}},
                      {{5, "y"}, {6, "x"}},
                      {{1, "targets"}, {6, "targets"}}});
}

const BlockRegistry& everyBlock()
{
    static const auto* all = new BlockRegistry(allSpecs());
    return *all;
}

CheckedGraph checkedBegun(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) { return SourceFacts{.classes = 10, .steps = 5}; };
    return check(graph, everyBlock(), options);
}

std::unique_ptr<Model> begunModel(const Graph& graph)
{
    const CheckedGraph checked = checkedBegun(graph);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
    auto model = Model::build(graph, checked, everyBlock(), allBuilders(), 1, at::kDouble);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
}

/// The second sequence has two steps.
ModelInput begunInput()
{
    ModelInput in{
        at::randint(0, 10, {5, 3}, at::kLong), at::randint(0, 10, {5, 3}, at::kLong), at::ones({5, 3}, at::kBool), {}};
    in.mask.select(1, 1).slice(0, 2).fill_(false);
    return in;
}

at::Tensor begunWeight(const Model& model, const std::string& name)
{
    for (const Weight& weight : model.weights())
        if (weight.name == name)
            return weight.tensor;
    throw std::runtime_error(name);
}

/// What the cell is given and gives, call by call, and the vector.
class CellCalls : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return false; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}
    void entering(const std::string& node, const BlockSpec&, std::vector<Value>& values) override
    {
        if (node == "cell") {
            inputs.push_back(values);
            states.emplace_back();
        }
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        if (node == "linear")
            vector = value;
        else if (node == "cell" && port == "state")
            states.back().push_back(value);
        else if (node == "cell")
            y = value;
    }

    std::vector<std::vector<Value>> inputs;
    std::vector<Value> states;
    at::Tensor vector, y;
};

void expectSameNumbers(const at::Tensor& a, const at::Tensor& b)
{
    ASSERT_EQ(a.sizes(), b.sizes());
    EXPECT_TRUE(at::allclose(a, b, 1e-12, 1e-14));
}

/// The vector's numbers, tensor by tensor, cut here by hand.
Value cutByHand(const at::Tensor& vector, const BegunCell& cell)
{
    Value state;
    const std::int64_t width = cell.numbers / cell.parts;
    for (std::int64_t part = 0; part < cell.parts; ++part)
        state.push_back(vector.slice(1, part * width, (part + 1) * width).clone());
    return state;
}

TEST(StateVector, TheCellBeginsFromIt)
{
    for (const BegunCell& cell : begunCells()) {
        SCOPED_TRACE(cell.block);
        const auto model = begunModel(begunGraph(cell, cell.numbers));
        CellCalls calls;
        model->forward(begunInput(), {}, {.observer = &calls});
        ASSERT_EQ(calls.inputs.size(), 1u);
        ASSERT_EQ(calls.vector.sizes(), (std::vector<std::int64_t>{3, cell.numbers}));
        std::vector<Value> inputs = calls.inputs.front();
        inputs[1] = cutByHand(calls.vector, cell);
        Block& block = const_cast<Block&>(*model->blockOf("cell"));
        const std::vector<Value> byHand = block.forward(inputs, {});
        expectSameNumbers(calls.y, byHand[0][0]);
        for (std::size_t part = 0; part < byHand[1].size(); ++part)
            expectSameNumbers(calls.states[0][part], byHand[1][part]);
        inputs[1].clear();
        EXPECT_FALSE(at::allclose(calls.y, block.forward(inputs, {})[0][0], 1e-6, 1e-6)) << "not from zeros";
    }
}

TEST(StateVector, GradientsReachWhatMadeIt)
{
    constexpr double kStep = 1e-6;
    for (const BegunCell& cell : begunCells()) {
        SCOPED_TRACE(cell.block);
        const auto model = begunModel(begunGraph(cell, cell.numbers));
        const ModelInput in = begunInput();
        model->forward(in, {}, {}).loss.backward();
        at::Tensor bias = begunWeight(*model, "linear.bias");
        ASSERT_TRUE(bias.grad().defined());
        EXPECT_GT(bias.grad().abs().max().item<double>(), 1e-6);
        const at::NoGradGuard values;
        const auto lossWith = [&](std::int64_t unit, double change) {
            bias[unit] += change;
            const double loss = model->forward(in, {}, {}).loss.item<double>();
            bias[unit] -= change;
            return loss;
        };
        for (std::int64_t unit = 0; unit < cell.numbers; ++unit)
            EXPECT_NEAR(bias.grad()[unit].item<double>(),
                        (lossWith(unit, kStep) - lossWith(unit, -kStep)) / (2 * kStep), 1e-6)
                << unit;
    }
}

/// As a state that is wired from another node does, it goes before what is carried, in every batch.
TEST(StateVector, ItGoesBeforeACarriedState)
{
    const auto model = begunModel(begunGraph(begunLstm(), 10));
    const ModelInput in = begunInput();
    const ModelOutput first = model->forward(in, {}, {});
    ASSERT_TRUE(first.states.contains("cell"));
    EXPECT_TRUE(model->forward(in, detach(first.states), {}).prediction.equal(first.prediction));
}

/// embedding -> sum -> cell -> delay -> sum: the cell runs step by step.
TEST(StateVector, ALoopBeginsFromItAtItsFirstStepAlone)
{
    const BegunCell cell{"lstm", {{"units", std::int64_t{6}}}, 12, 2};
    Graph graph = begunGraph(cell, 12);
    const GraphEdit looped =
        edits::sequence("", {edits::addNode(makeNode(7, "delay", "delay")), edits::addNode(makeNode(8, "add", "add")),
                             edits::disconnect({{2, "y"}, {5, "x"}}), edits::connect({{2, "y"}, {8, "a"}}),
                             edits::connect({{7, "y"}, {8, "b"}}), edits::connect({{8, "y"}, {5, "x"}}),
                             edits::connect({{5, "y"}, {7, "x"}})});
    graph = looped.apply(graph).value();
    const auto model = begunModel(graph);
    CellCalls calls;
    model->forward(begunInput(), {}, {.observer = &calls});
    ASSERT_EQ(calls.inputs.size(), 5u);
    const Value begin = cutByHand(calls.vector, cell);
    for (std::size_t part = 0; part < 2; ++part) {
        expectSameNumbers(calls.inputs[0][1][part], begin[part]);
        for (std::size_t t = 1; t < calls.inputs.size(); ++t)
            expectSameNumbers(calls.inputs[t][1][part], calls.states[t - 1][part]);
    }
}

/// The one error of a graph.
Diagnostic beginningFault(const Graph& graph)
{
    const CheckedGraph checked = checkedBegun(graph);
    std::vector<Diagnostic> errors;
    for (const Diagnostic& diagnostic : checked.diagnostics)
        if (diagnostic.severity == Severity::Error)
            errors.push_back(diagnostic);
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? Diagnostic() : errors.front();
}

TEST(StateVector, ItGoesIntoGroups)
{
    const Graph plain = begunGraph(begunLstm(), 10);
    const Graph grouped = edits::makeGroup({kBegunCell}, "body").apply(plain).value();
    const ModelInput in = begunInput();
    EXPECT_TRUE(
        begunModel(grouped)->forward(in, {}, {}).prediction.equal(begunModel(plain)->forward(in, {}, {}).prediction));
    const Graph narrow = edits::makeGroup({kBegunCell}, "body").apply(begunGraph(begunLstm(), 7)).value();
    EXPECT_EQ(beginningFault(narrow).sentence, "cell.state holds 10 numbers (h 5, c 5); the group gives 7");
}

TEST(StateVector, AnotherWidthIsToldWithThatOfTheState)
{
    const Graph graph = begunGraph(begunLstm(), 5);
    const Diagnostic fault = beginningFault(graph);
    EXPECT_EQ(fault.code, "state-mismatch");
    EXPECT_EQ(fault.sentence, "cell.state holds 10 numbers (h 5, c 5); linear.y gives 5");
    ASSERT_TRUE(fault.fix);
    const Graph mended = fault.fix->edit.apply(graph).value();
    EXPECT_EQ(mended.nodes.size(), graph.nodes.size()) << "the linear layer itself is widened";
    EXPECT_TRUE(checkedBegun(mended).runnable());
    const Diagnostic matrix = beginningFault(begunGraph(begunCells()[2], 5));
    EXPECT_EQ(matrix.sentence, "cell.state holds 32 numbers; linear.y gives 5");
}

/// The mean itself is as wide as the embedding.
TEST(StateVector, WithoutALinearOneIsOffered)
{
    const GraphEdit direct =
        edits::sequence("", {edits::removeNodes({kVectorLinear}), edits::connect({{3, "y"}, {kBegunCell, "state"}})});
    const Graph graph = direct.apply(begunGraph(begunLstm(), 10)).value();
    const Diagnostic fault = beginningFault(graph);
    EXPECT_EQ(fault.sentence, "cell.state holds 10 numbers (h 5, c 5); pool.y gives 6");
    ASSERT_TRUE(fault.fix);
    EXPECT_EQ(fault.fix->title, "Insert Linear 6 -> 10");
    EXPECT_TRUE(checkedBegun(fault.fix->edit.apply(graph).value()).runnable());
}

TEST(StateVector, ASequenceIsNoBeginning)
{
    const GraphEdit steps = edits::sequence("", {edits::removeNodes({3}), edits::connect({{2, "y"}, {4, "x"}})});
    EXPECT_EQ(beginningFault(steps.apply(begunGraph(begunLstm(), 10)).value()).sentence,
              "cell.state expects a state, or a vector of its numbers; linear.y gives a sequence");
}

TEST(StateVector, TwoBeginningsAreRefused)
{
    BegunCell cell = begunLstm();
    cell.params["learned_state"] = true;
    const Graph graph = begunGraph(cell, 10);
    const Diagnostic fault = beginningFault(graph);
    EXPECT_EQ(fault.code, "two-states");
    EXPECT_THAT(fault.sentence, HasSubstr("begins from the vector at cell.state"));
    ASSERT_TRUE(fault.fix);
    EXPECT_TRUE(checkedBegun(fault.fix->edit.apply(graph).value()).runnable());
}

/// Such states hold the numbers of steps, or flags.
TEST(StateVector, WhatCountsStepsTakesNone)
{
    for (const BegunCell& cell :
         {BegunCell{"attention", {{"num_heads", std::int64_t{1}}, {"window", std::int64_t{3}}}, 26, 1},
          BegunCell{"delay", {{"initial_value", 1.0}}, 7, 1},
          BegunCell{"srupp",
                    {{"units", std::int64_t{6}},
                     {"projection_size", std::int64_t{4}},
                     {"num_heads", std::int64_t{2}},
                     {"num_layers", std::int64_t{1}},
                     {"attention", std::string("causal")},
                     {"window", std::int64_t{3}}},
                    24,
                    1}}) {
        SCOPED_TRACE(cell.block);
        const Graph graph = begunGraph(cell, cell.numbers);
        const Diagnostic fault = beginningFault(graph);
        EXPECT_THAT(fault.sentence, HasSubstr("counts the steps that made it"));
        ASSERT_TRUE(fault.fix);
        EXPECT_TRUE(checkedBegun(fault.fix->edit.apply(graph).value()).runnable());
    }
    EXPECT_TRUE(checkedBegun(begunGraph({"delay", {}, 6, 1}, 6)).runnable());
}

/// The mean of all steps is not known before the next one is predicted.
TEST(StateVector, BeforeANextTokenLossItIsLate)
{
    const Graph graph = edits::setBlock(1, "text").apply(begunGraph(begunLstm(), 10)).value();
    EXPECT_THAT(beginningFault(graph).sentence, HasSubstr("linear.y is known only after the last step"));
}

} // namespace
} // namespace unroll
