// SPDX-License-Identifier: GPL-3.0-or-later
// Reversible groups against the same groups computed plainly: outputs, states, every gradient, in double; and what a
// forward pass leaves in memory by the number of copies.
#include "core/model/model.h"
#include "tests/contract/block_case.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace unroll::contract {

namespace {

using testing::makeGraph;
using testing::makeNode;

constexpr std::int64_t kClasses = 11, kSequences = 3;
constexpr double kBound = 1e-9;

struct Stack {
    std::int64_t copies = 2;
    bool sharedWeights = false;
    std::string f = "lstm", g = "attention";
    Params fParams = {}, gParams = {};
    double dropout = 0;
    bool masked = false;
    std::int64_t width = 6;
};

/// A residual branch within the group: norm -> block -> dropout, with ids from `first`.
void addBranch(std::vector<Node>& nodes, std::vector<Wire>& wires, NodeId first, const std::string& name,
               const std::string& block, Params params, const Stack& stack)
{
    const BlockSpec& spec = *registry().find(block);
    for (const char* size : {"units", "width"})
        if (spec.param(size) != nullptr)
            params.emplace(size, stack.width);
    if (block == "attention")
        params.emplace("num_heads", std::int64_t{2});
    nodes.push_back(makeNode(first, "layer_norm", name + "_norm"));
    nodes.push_back(makeNode(first + 1, block, name, params));
    nodes.push_back(makeNode(first + 2, "dropout", name + "_dropout", {{"rate", stack.dropout}}));
    wires.push_back({{first, "y"}, {first + 1, "x"}});
    wires.push_back({{first + 1, "y"}, {first + 2, "x"}});
}

/// y1 = x1 + F(x2), y2 = x2 + G(y1). The nodes of G come first, so that the ids say nothing of the order.
Group layers(const Stack& stack, bool reversible)
{
    std::vector<Node> nodes{makeNode(7, "add", "add_1"), makeNode(8, "add", "add_2")};
    std::vector<Wire> wires;
    addBranch(nodes, wires, 1, "g", stack.g, stack.gParams, stack);
    addBranch(nodes, wires, 4, "f", stack.f, stack.fParams, stack);
    wires.insert(wires.end(), {{{6, "y"}, {7, "b"}}, {{7, "y"}, {1, "x"}}, {{3, "y"}, {8, "b"}}});
    Group group;
    group.graph = std::make_shared<const Graph>(makeGraph(std::move(nodes), std::move(wires)));
    group.inputs = {{"x1", {7, "a"}}, {"x2", {4, "x"}}, {"x2_sum", {8, "a"}}};
    group.outputs = {{"y1", {7, "y"}}, {"y2", {8, "y"}}, {"y2_sum", {8, "y"}}};
    if (stack.masked) {
        group.inputs.push_back({"mask_f", {5, "mask"}});
        group.inputs.push_back({"mask_g", {2, "mask"}});
    }
    group.repeat = stack.copies;
    group.sharedWeights = stack.sharedWeights;
    group.reversible = reversible;
    return group;
}

/// data -> embedding -> both streams -> their sum -> head.
Graph graphOf(const Stack& stack, const Group& group)
{
    Node node = makeNode(3, "group", "layers");
    node.group = std::make_shared<const Group>(group);
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x1"}}, {{2, "y"}, {3, "x2"}},
                            {{2, "y"}, {3, "x2_sum"}},      {{3, "y1"}, {4, "a"}}, {{3, "y2"}, {4, "b"}},
                            {{4, "y"}, {5, "x"}},           {{1, "targets"}, {5, "targets"}}};
    if (stack.masked)
        wires.insert(wires.end(), {{{1, "mask"}, {3, "mask_f"}}, {{1, "mask"}, {3, "mask_g"}}});
    return makeGraph({makeNode(1, stack.masked ? "parity" : "text", "data"),
                      makeNode(2, "embedding", "embedding", {{"width", stack.width}}), node,
                      makeNode(4, "add", "streams"), makeNode(5, "head", "head")},
                     std::move(wires));
}

CheckedGraph checkedOf(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) { return SourceFacts{.classes = kClasses, .steps = 7}; };
    CheckedGraph checked = check(graph, registry(), options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.nodeName << ": " << diagnostic.sentence;
    return checked;
}

std::unique_ptr<Model> modelOf(const Graph& graph, at::ScalarType type = at::kDouble)
{
    auto model = Model::build(graph, checkedOf(graph), registry(), builders(), 1, type);
    EXPECT_TRUE(model) << model.error().text();
    const at::NoGradGuard values;
    at::Generator random = generatorOf(17);
    for (const Weight& each : (*model)->weights())
        if (each.trained)
            each.tensor.add_(at::randn(each.tensor.sizes(), random, each.tensor.options()), 0.2);
    return std::move(*model);
}

ModelInput inputOf(const Stack& stack, std::int64_t steps, at::Generator& random)
{
    const std::int64_t classes = stack.masked ? 2 : kClasses;
    ModelInput input{at::randint(0, classes, {steps, kSequences}, random, at::kLong),
                     at::randint(0, classes, {steps, kSequences}, random, at::kLong),
                     {},
                     {}};
    if (stack.masked) {
        input.mask = at::ones({steps, kSequences}, at::kBool);
        input.mask.select(1, 1).slice(0, steps / 2).fill_(false);
        input.targets.select(1, 1).slice(0, steps / 2).fill_(-100);
    }
    return input;
}

void expectTheSameStates(const States& got, const States& want)
{
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [node, state] : want) {
        ASSERT_EQ(got.at(node).size(), state.size()) << node;
        for (std::size_t i = 0; i < state.size(); ++i)
            EXPECT_LT(difference(got.at(node)[i], state[i]), kBound) << node;
    }
}

/// Two training passes, the second from the states of the first, with gradients through them or not.
struct Trained {
    Model& model;
    States states = {};
    at::Tensor loss = {}, prediction = {};
    at::Generator dropout = generatorOf(3);

    void pass(const ModelInput& input, bool truncated)
    {
        const ModelOutput output = model.forward(input, states, {.training = true, .dropout = &dropout});
        loss = loss.defined() ? loss + output.loss : output.loss;
        prediction = output.prediction;
        states = truncated ? detach(output.states) : output.states;
    }
};

void expectTheSameGradients(const Model& got, const Model& want)
{
    ASSERT_EQ(got.weights().size(), want.weights().size());
    for (std::size_t i = 0; i < want.weights().size(); ++i) {
        const Weight &left = got.weights()[i], &right = want.weights()[i];
        ASSERT_EQ(left.name, right.name);
        ASSERT_EQ(left.tensor.grad().defined(), right.tensor.grad().defined()) << left.name;
        if (right.tensor.grad().defined()) {
            EXPECT_GT(right.tensor.grad().abs().max().item<double>(), 0) << right.name;
            EXPECT_LT(difference(left.tensor.grad(), right.tensor.grad()), kBound) << left.name;
        }
    }
}

void expectTheSame(const Stack& stack)
{
    for (const bool truncated : {false, true}) {
        SCOPED_TRACE(truncated ? "states detached" : "gradients through states");
        const auto plain = modelOf(graphOf(stack, layers(stack, false)));
        const auto reversible = modelOf(graphOf(stack, layers(stack, true)));
        Trained want{*plain}, got{*reversible};
        at::Generator random = generatorOf(5);
        for (int pass = 0; pass < 2; ++pass) {
            const ModelInput input = inputOf(stack, 7, random);
            want.pass(input, truncated);
            got.pass(input, truncated);
            EXPECT_LT(difference(got.prediction, want.prediction), kBound);
            expectTheSameStates(got.states, want.states);
        }
        EXPECT_TRUE(got.dropout.get_state().equal(want.dropout.get_state())) << "as many random numbers are drawn";
        want.loss.backward();
        got.loss.backward();
        EXPECT_TRUE(got.dropout.get_state().equal(want.dropout.get_state())) << "the backward pass draws none";
        expectTheSameGradients(*reversible, *plain);
    }
}

/// Follows what torch's allocator hands out and takes back.
class TensorBytes : public c10::MemoryReportingInfoBase {
public:
    bool memoryProfilingEnabled() const override { return true; }
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        m_now += bytes;
        m_peak = std::max(m_peak, m_now);
    }
    std::int64_t now() const { return m_now; }
    std::int64_t peak() const { return m_peak; }

private:
    std::int64_t m_now = 0, m_peak = 0;
};

struct Bytes {
    std::int64_t kept = 0; ///< behind the forward pass
    std::int64_t peak = 0; ///< of both passes, but for the gradients of weights
};

Bytes bytesOf(const Stack& stack, bool reversible)
{
    const auto model = modelOf(graphOf(stack, layers(stack, reversible)), at::kFloat);
    at::Generator random = generatorOf(5);
    const ModelInput input = inputOf(stack, 48, random);
    const auto meter = std::make_shared<TensorBytes>();
    Bytes bytes;
    std::int64_t gradients = 0;
    {
        const c10::DebugInfoGuard watch(c10::DebugInfoKind::PROFILER_STATE, meter);
        const at::Tensor loss = model->forward(input, {}, {.training = true, .keepsState = false}).loss;
        bytes.kept = meter->now();
        loss.backward();
    }
    for (const Weight& weight : model->weights())
        if (weight.tensor.grad().defined())
            gradients += static_cast<std::int64_t>(weight.tensor.grad().nbytes());
    bytes.peak = meter->peak() - gradients;
    return bytes;
}

class Names : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        seen.emplace_back(node + "." + signal, value.detach().clone());
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        seen.emplace_back(node + ":" + port, value.detach().clone());
    }
    std::vector<std::pair<std::string, at::Tensor>> seen;
};

} // namespace

TEST(Reversible, GradientsAreThoseOfThePlainGroup)
{
    for (const std::int64_t copies : {1, 2, 4}) {
        SCOPED_TRACE(copies);
        expectTheSame({.copies = copies});
    }
}

TEST(Reversible, OfEveryRecurrentKindInside)
{
    for (const auto& [f, g] : std::vector<std::pair<std::string, std::string>>{
             {"sru", "gru"}, {"attention", "srupp"}, {"linear", "rnn"}, {"causal_conv", "lru"}}) {
        SCOPED_TRACE(f + " and " + g);
        expectTheSame({.copies = 2, .f = f, .g = g});
    }
}

TEST(Reversible, DropoutDropsTheSameInBothPasses)
{
    for (const std::int64_t copies : {1, 2, 4})
        expectTheSame({.copies = copies, .dropout = 0.4});
    expectTheSame({.copies = 2, .f = "sru", .g = "attention", .gParams = {{"dropout", 0.3}}, .dropout = 0.2});
}

TEST(Reversible, MasksEnterEveryCopy)
{
    for (const std::int64_t copies : {1, 2, 4})
        expectTheSame({.copies = copies, .dropout = 0.2, .masked = true});
}

TEST(Reversible, CopiesMayShareTheirWeights)
{
    expectTheSame({.copies = 3, .sharedWeights = true, .dropout = 0.2});
}

TEST(Reversible, CopiesMayDiffer)
{
    expectTheSame({.copies = 4, .fParams = {{"num_layers", ByCopy{ByCopy::Rule::Every, 2, {std::int64_t{2}, std::int64_t{1}}}}}});
}

/// A loop through a delay inside F, and a reversible group inside G.
TEST(Reversible, LoopsAndReversibleGroupsStandInside)
{
    const Stack stack{.copies = 2, .dropout = 0.2};
    std::vector<std::unique_ptr<Model>> models;
    for (const bool reversible : {false, true}) {
        const Stack inside{.copies = 2, .f = "linear", .g = "sru", .dropout = 0.3};
        Group outer = layers(stack, reversible);
        Graph graph = *outer.graph;
        Node nested = makeNode(2, "group", "g");
        nested.group = std::make_shared<const Group>(layers(inside, reversible));
        Node split = makeNode(20, "linear", "both", {{"width", std::int64_t{6}}});
        graph.addNode(nested);
        graph.addNode(split);
        graph.addNode(makeNode(21, "add", "joined"));
        graph.addNode(makeNode(22, "delay", "before"));
        graph.addNode(makeNode(23, "add", "looped"));
        std::erase_if(graph.wires, [](const Wire& wire) {
            return wire.to.node == 2 || wire.from.node == 2 || wire.from == PortRef{5, "y"};
        });
        for (const Wire& wire : std::vector<Wire>{{{1, "y"}, {20, "x"}},    {{20, "y"}, {2, "x1"}}, {{20, "y"}, {2, "x2"}},
                                                  {{20, "y"}, {2, "x2_sum"}}, {{2, "y1"}, {21, "a"}}, {{2, "y2"}, {21, "b"}},
                                                  {{21, "y"}, {3, "x"}},    {{5, "y"}, {23, "a"}},  {{22, "y"}, {23, "b"}},
                                                  {{23, "y"}, {22, "x"}},   {{23, "y"}, {6, "x"}}})
            graph.addWire(wire);
        outer.graph = std::make_shared<const Graph>(std::move(graph));
        models.push_back(modelOf(graphOf(stack, outer)));
    }
    Trained want{*models[0]}, got{*models[1]};
    at::Generator random = generatorOf(5);
    for (int pass = 0; pass < 2; ++pass) {
        const ModelInput input = inputOf(stack, 7, random);
        want.pass(input, false);
        got.pass(input, false);
        EXPECT_LT(difference(got.prediction, want.prediction), kBound);
    }
    want.loss.backward();
    got.loss.backward();
    expectTheSameGradients(*models[1], *models[0]);
}

/// What runs without gradients computes the same steps: to the bit.
TEST(Reversible, EvaluationIsThatOfThePlainGroup)
{
    const Stack stack{.copies = 3, .dropout = 0.5};
    const auto plain = modelOf(graphOf(stack, layers(stack, false)));
    const auto reversible = modelOf(graphOf(stack, layers(stack, true)));
    at::Generator random = generatorOf(5);
    const ModelInput input = inputOf(stack, 7, random);
    const at::NoGradGuard guard;
    const ModelOutput want = plain->forward(input, {}, {}), got = reversible->forward(input, {}, {});
    EXPECT_TRUE(got.prediction.equal(want.prediction));
    const ModelOutput later = plain->forward(input, want.states, {}), again = reversible->forward(input, got.states, {});
    EXPECT_TRUE(again.prediction.equal(later.prediction));
}

TEST(Reversible, ObserversSeeWhatTheySeeInThePlainGroup)
{
    const Stack stack{.copies = 2};
    Names plain, reversible;
    at::Generator random = generatorOf(5);
    const ModelInput input = inputOf(stack, 7, random);
    modelOf(graphOf(stack, layers(stack, false)))->forward(input, {}, {.observer = &plain});
    const auto model = modelOf(graphOf(stack, layers(stack, true)));
    model->forward(input, {}, {.observer = &reversible}).loss.backward();
    std::map<std::string, at::Tensor> seen(reversible.seen.begin(), reversible.seen.end());
    EXPECT_EQ(reversible.seen.size(), plain.seen.size()) << "the backward pass shows nothing";
    for (const auto& [name, value] : plain.seen) {
        ASSERT_TRUE(seen.contains(name)) << name;
        EXPECT_TRUE(seen.at(name).equal(value)) << name;
    }
    EXPECT_TRUE(seen.contains("layers.2.f.c") && seen.contains("layers.1.add_1:y"));
}

/// Backward passes hold what they need, also of a model that is gone.
TEST(Reversible, TheModelMayGoBeforeTheBackwardPass)
{
    const Stack stack{.copies = 2};
    auto model = modelOf(graphOf(stack, layers(stack, true)));
    at::Generator random = generatorOf(5);
    const at::Tensor loss = model->forward(inputOf(stack, 7, random), {}, {}).loss;
    const at::Tensor weight = model->weights().front().tensor;
    model.reset();
    loss.backward();
    EXPECT_GT(weight.grad().abs().max().item<double>(), 0);
}

/// 4, 8 and 16 copies leave as much behind the forward pass; those of the plain group as many times more.
TEST(Reversible, MemoryIsFlatInDepth)
{
    std::map<std::int64_t, Bytes> plain, reversible;
    for (const std::int64_t copies : {4, 8, 16}) {
        const Stack stack{.copies = copies, .width = 32};
        plain[copies] = bytesOf(stack, false);
        reversible[copies] = bytesOf(stack, true);
    }
    for (const std::int64_t copies : {4, 8, 16})
        std::printf("%2d copies, KiB behind the forward pass and at the peak: plain %7.1f %7.1f, reversible %7.1f %7.1f\n",
                    static_cast<int>(copies), static_cast<double>(plain[copies].kept) / 1024,
                    static_cast<double>(plain[copies].peak) / 1024, static_cast<double>(reversible[copies].kept) / 1024,
                    static_cast<double>(reversible[copies].peak) / 1024);
    EXPECT_GT(plain[16].kept, 3 * plain[4].kept);
    EXPECT_EQ(reversible[8].kept, reversible[4].kept);
    EXPECT_EQ(reversible[16].kept, reversible[4].kept);
    EXPECT_LT(reversible[16].peak, reversible[4].peak + reversible[4].peak / 20);
    EXPECT_LT(reversible[4].peak, plain[4].peak);
}

} // namespace unroll::contract
