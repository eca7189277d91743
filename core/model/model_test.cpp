// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model.h"

#include "core/experiment/experiment.h"
#include "core/graph/edit.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>

#include <gtest/gtest.h>

#include <new>

namespace unroll {
namespace {

using testing::makeGraph;
using testing::makeNode;

struct Built {
    std::unique_ptr<Model> model;
    Graph graph;
};

/// Builds with the bundled corpus's alphabet, in fp64.
Built build(Graph graph, std::uint64_t seed = 1)
{
    static const auto* registry = new BlockRegistry(allSpecs());
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) {
        SourceFacts facts;
        facts.classes = 11;
        facts.steps = 5;
        return facts;
    };
    const CheckedGraph checked = check(graph, *registry, options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
    auto model = Model::build(graph, checked, *registry, allBuilders(), seed, at::kDouble);
    EXPECT_TRUE(model) << model.error().text();
    return {std::move(*model), std::move(graph)};
}

std::vector<std::string> names(const Model& model)
{
    std::vector<std::string> found;
    for (const Weight& weight : model.weights())
        found.push_back(weight.name);
    return found;
}

Node groupNode(NodeId id, const std::string& name, std::int64_t repeat, bool shared)
{
    auto group = std::make_shared<Group>();
    group->graph =
        std::make_shared<const Graph>(makeGraph({makeNode(1, "rnn", "rnn", {{"units", std::int64_t{6}}})}, {}));
    group->inputs = {{"x", {1, "x"}}};
    group->outputs = {{"y", {1, "y"}}};
    group->repeat = repeat;
    group->sharedWeights = shared;
    Node node = makeNode(id, "group", name);
    node.group = group;
    return node;
}

Graph withGroup(std::int64_t repeat, bool shared)
{
    return makeGraph(
        {makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}}),
         groupNode(3, "body", repeat, shared), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
}

Graph byHand(int layers)
{
    std::vector<Node> nodes{makeNode(1, "text", "text"),
                            makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}})};
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}}};
    NodeId last = 2;
    for (int i = 0; i < layers; ++i) {
        const NodeId id = last + 1;
        nodes.push_back(makeNode(id, "rnn", "rnn_" + std::to_string(id), {{"units", std::int64_t{6}}}));
        wires.push_back({{last, "y"}, {id, "x"}});
        last = id;
    }
    nodes.push_back(makeNode(last + 1, "head", "head"));
    wires.push_back({{last, "y"}, {last + 1, "x"}});
    wires.push_back({{1, "targets"}, {last + 1, "targets"}});
    return makeGraph(std::move(nodes), std::move(wires));
}

ModelInput input(std::int64_t steps = 5, std::int64_t sequences = 3)
{
    return {at::randint(0, 11, {steps, sequences}, at::kLong), at::randint(0, 11, {steps, sequences}, at::kLong), {}};
}

TEST(Model, ARepeatedGroupIsTheChainWrittenOut)
{
    const ModelInput in = input();
    Built group = build(withGroup(3, false)), chain = build(byHand(3));
    const auto a = group.model->forward(in, {}, {}), b = chain.model->forward(in, {}, {});
    EXPECT_TRUE(a.prediction.equal(b.prediction)) << "same seed, same order of draws, same numbers";
    EXPECT_EQ(group.model->recurrentNodes(), (std::vector<std::string>{"body.1.rnn", "body.2.rnn", "body.3.rnn"}));
    EXPECT_EQ(names(*group.model)[1].substr(0, 11), "body.1.rnn.");
}

/// Under the same seed the same numbers; only the weights' names differ, body_2 for body.2.
TEST(Model, AGroupThatIsUnrolledIsTheSameModel)
{
    const ModelInput in = input();
    Built group = build(withGroup(3, false));
    const auto whole = group.model->forward(in, {}, {});
    for (const bool unpacked : {false, true}) {
        const GraphEdit edit = unpacked ? edits::unpackGroup(3) : edits::unrollGroup(3);
        Built chain = build(*edit.apply(group.graph));
        const auto& before = group.model->weights();
        const auto& after = chain.model->weights();
        ASSERT_EQ(before.size(), after.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            EXPECT_TRUE(before[i].tensor.equal(after[i].tensor)) << after[i].name;
            if (std::string name = before[i].name; !unpacked && name.starts_with("body.")) {
                name[4] = '_';
                EXPECT_EQ(after[i].name, name);
            }
        }
        EXPECT_TRUE(chain.model->forward(in, {}, {}).prediction.equal(whole.prediction));
    }
}

Node sruppNode(NodeId id, const std::string& name, ParamValue attention)
{
    return makeNode(id, "srupp", name,
                    {{"units", std::int64_t{6}},
                     {"projection_size", std::int64_t{4}},
                     {"num_heads", std::int64_t{2}},
                     {"transform_dropout", 0.2},
                     {"attention", std::move(attention)}});
}

/// text -> embedding -> four layers of SRU++, attention by copy -> head.
Graph fourLayers(ParamValue attention)
{
    Graph graph = withGroup(4, false);
    Node node = *graph.find(3);
    Group group = *node.group;
    group.graph = std::make_shared<const Graph>(makeGraph({sruppNode(1, "srupp", std::move(attention))}, {}));
    node.group = std::make_shared<const Group>(std::move(group));
    graph.addNode(std::move(node));
    return graph;
}

/// The same with every layer drawn, attention in the second and the fourth.
Graph fourLayersByHand()
{
    std::vector<Node> nodes{makeNode(1, "text", "text"),
                            makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}})};
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}}};
    for (NodeId id = 3; id <= 6; ++id) {
        nodes.push_back(sruppNode(id, "srupp_" + std::to_string(id - 2), std::string(id % 2 == 0 ? "causal" : "none")));
        wires.push_back({{id - 1, "y"}, {id, "x"}});
    }
    nodes.push_back(makeNode(7, "head", "head"));
    wires.push_back({{6, "y"}, {7, "x"}});
    wires.push_back({{1, "targets"}, {7, "targets"}});
    return makeGraph(std::move(nodes), std::move(wires));
}

/// The loss of a training pass with dropout, and after it the pass that takes up its states.
void expectTheSame(Model& a, Model& b, const ModelInput& in)
{
    std::vector<States> states(2);
    for (int pass = 0; pass < 2; ++pass) {
        std::vector<ModelOutput> out;
        for (Model* model : {&a, &b}) {
            at::Generator random = at::make_generator<at::CPUGeneratorImpl>(5);
            PassContext context;
            context.training = true;
            context.dropout = &random;
            out.push_back(model->forward(in, states[out.size()], context));
            out.back().loss.backward();
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            states[i] = detach(out[i].states);
        EXPECT_TRUE(out[0].loss.equal(out[1].loss));
        EXPECT_TRUE(out[0].prediction.equal(out[1].prediction));
    }
    ASSERT_EQ(a.weights().size(), b.weights().size());
    for (std::size_t i = 0; i < a.weights().size(); ++i) {
        const Weight &left = a.weights()[i], &right = b.weights()[i];
        ASSERT_TRUE(left.tensor.equal(right.tensor)) << left.name;
        ASSERT_EQ(left.tensor.grad().defined(), right.tensor.grad().defined()) << left.name;
        if (left.tensor.grad().defined()) {
            EXPECT_TRUE(left.tensor.grad().equal(right.tensor.grad())) << left.name << " " << right.name;
        }
    }
}

/// Bit for bit: the copies of a group whose attention differs, the layers drawn one by one, and the group unrolled.
TEST(Model, CopiesMayDifferByIndex)
{
    const ModelInput in = input();
    const std::string none = "none", causal = "causal";
    for (const ByCopy& attention : {ByCopy{ByCopy::Rule::List, 0, {none, causal, none, causal}},
                                    ByCopy{ByCopy::Rule::Every, 2, {causal, none}}}) {
        Built group = build(fourLayers(attention)), drawn = build(fourLayersByHand());
        expectTheSame(*group.model, *drawn.model, in);
        Built again = build(fourLayers(attention)), chain = build(*edits::unrollGroup(3).apply(group.graph));
        expectTheSame(*again.model, *chain.model, in);
        const auto all = names(*group.model);
        const auto isThere = [&](const char* name) { return std::find(all.begin(), all.end(), name) != all.end(); };
        EXPECT_TRUE(isThere("body.2.srupp.linear2.weight") && isThere("body.4.srupp.linear2.weight"));
        EXPECT_FALSE(isThere("body.1.srupp.linear2.weight") || isThere("body.3.srupp.linear2.weight"));
    }
}

TEST(Model, SharedCopiesHaveOneSetOfWeightsAndStatesOfTheirOwn)
{
    Built shared = build(withGroup(3, true)), once = build(withGroup(1, false));
    EXPECT_EQ(names(*shared.model), names(*once.model));
    const auto out = shared.model->forward(input(), {}, {});
    ASSERT_EQ(out.states.size(), 3u);
    EXPECT_FALSE(out.states.at("body.1.rnn")[0].equal(out.states.at("body.2.rnn")[0]));
    out.loss.backward();
    for (const Weight& weight : shared.model->weights())
        EXPECT_TRUE(weight.tensor.grad().defined()) << weight.name;
}

TEST(Model, CarriedStatesContinueTheSequence)
{
    Built built = build(byHand(2));
    const ModelInput whole = input(8);
    const auto all = built.model->forward(whole, {}, {});
    const ModelInput first{whole.tokens.slice(0, 0, 3), whole.targets.slice(0, 0, 3), {}};
    const ModelInput rest{whole.tokens.slice(0, 3), whole.targets.slice(0, 3), {}};
    const auto begun = built.model->forward(first, {}, {});
    const auto ended = built.model->forward(rest, begun.states, {});
    EXPECT_TRUE(at::allclose(ended.prediction, all.prediction.slice(0, 3), 1e-12, 1e-12));
}

TEST(Model, APassThatKeepsNoStatesGivesNone)
{
    const Built built = build(byHand(1));
    const ModelInput batch = input();
    const ModelOutput kept = built.model->forward(batch, {}, {});
    const ModelOutput left = built.model->forward(batch, {}, {.keepsState = false});
    EXPECT_EQ(kept.states.size(), 1u);
    EXPECT_TRUE(left.states.empty());
    EXPECT_TRUE(left.prediction.equal(kept.prediction));
}

TEST(Model, FreshStreamsBeginFromZeros)
{
    Built built = build(byHand(1));
    auto states = detach(built.model->forward(input(), {}, {}).states);
    const at::Tensor kept = states.at("rnn_3")[0].select(0, 0).clone();
    clearFresh(states, {0, 1, 0});
    EXPECT_TRUE(states.at("rnn_3")[0].select(0, 0).equal(kept));
    EXPECT_EQ(states.at("rnn_3")[0].select(0, 1).abs().sum().item<double>(), 0);
}

/// parity -> embedding -> rnn -> pool -> linear -> head, or without the pool.
Graph classifier(bool pooled)
{
    std::vector<Node> nodes{makeNode(1, "parity", "parity"),
                            makeNode(2, "embedding", "embedding", {{"width", std::int64_t{6}}}),
                            makeNode(3, "rnn", "rnn", {{"units", std::int64_t{6}}}),
                            makeNode(5, "linear", "linear", {{"width", std::int64_t{4}}}), makeNode(6, "head", "head")};
    std::vector<Wire> wires{{{1, "tokens"}, {2, "tokens"}},
                            {{2, "y"}, {3, "x"}},
                            {{1, "mask"}, {3, "mask"}},
                            {{5, "y"}, {6, "x"}},
                            {{1, "targets"}, {6, "targets"}}};
    if (pooled) {
        nodes.push_back(makeNode(4, "pool", "pool", {{"kind", std::string("last")}}));
        wires.insert(wires.end(), {{{3, "y"}, {4, "x"}}, {{1, "mask"}, {4, "mask"}}, {{4, "y"}, {5, "x"}}});
    } else {
        wires.push_back({{3, "y"}, {5, "x"}});
    }
    return makeGraph(std::move(nodes), std::move(wires));
}

/// The last real step's vector with its target is what that step is with them; what is not scored is skipped.
TEST(Model, OneVectorASequenceIsComparedWithItsOneTarget)
{
    const Built pooled = build(classifier(true)), steps = build(classifier(false));
    ModelInput in{
        at::randint(0, 2, {5, 3}, at::kLong), at::full({5, 3}, -100, at::kLong), at::ones({5, 3}, at::kBool), {}};
    in.mask.select(1, 1).slice(0, 2).fill_(false);
    in.targets.select(0, 4).select(0, 0).fill_(1);
    in.targets.select(0, 1).select(0, 1).fill_(0);
    const ModelOutput one = pooled.model->forward(in, {}, {}), all = steps.model->forward(in, {}, {});
    ASSERT_EQ(one.prediction.sizes(), (std::vector<std::int64_t>{3, 2}));
    EXPECT_TRUE(at::allclose(one.prediction.select(0, 0), all.prediction.select(0, 4).select(0, 0), 1e-12, 1e-14));
    EXPECT_TRUE(at::allclose(one.prediction.select(0, 1), all.prediction.select(0, 1).select(0, 1), 1e-12, 1e-14));
    EXPECT_TRUE(at::allclose(one.loss, all.loss, 1e-14, 1e-14)) << "the third sequence has no target";
    const ModelOutput none = pooled.model->forward({in.tokens, {}, in.mask, {}}, {}, {});
    EXPECT_FALSE(none.loss.defined());
}

class Crossings : public Observer {
public:
    bool wants(const std::string& node, const std::string& signal) const override
    {
        return node == "rnn_3" && signal == "h";
    }
    void show(const std::string& node, const std::string& signal, const at::Tensor&) override
    {
        shown.push_back(node + "." + signal);
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor&) override
    {
        crossings.push_back(node + "." + port);
    }
    std::vector<std::string> shown, crossings;
};

TEST(Model, AnObserverSeesWhatItWantsAndEveryWire)
{
    Built built = build(byHand(1));
    Crossings observer;
    PassContext context;
    context.observer = &observer;
    built.model->forward(input(), {}, context);
    EXPECT_EQ(observer.shown, std::vector<std::string>{"rnn_3.h"});
    EXPECT_EQ(observer.crossings,
              (std::vector<std::string>{"embedding.y", "rnn_3.y", "rnn_3.state", "head.loss", "head.logits"}));
}

TEST(Model, WithoutTargetsThereAreLogitsAndNoLoss)
{
    Built built = build(byHand(1));
    const at::NoGradGuard guard;
    const auto out = built.model->forward({at::randint(0, 11, {1, 1}, at::kLong), {}, {}}, {}, {});
    EXPECT_FALSE(out.loss.defined());
    EXPECT_EQ(out.prediction.sizes(), (std::vector<std::int64_t>{1, 1, 11}));
}

TEST(Model, TheSeedDecidesTheWeights)
{
    Built one = build(byHand(1), 7), two = build(byHand(1), 7), other = build(byHand(1), 8);
    for (std::size_t i = 0; i < one.model->weights().size(); ++i)
        EXPECT_TRUE(one.model->weights()[i].tensor.equal(two.model->weights()[i].tensor));
    EXPECT_FALSE(one.model->weights()[0].tensor.equal(other.model->weights()[0].tensor));
}

/// A walk over all wires, or over all that is filled, for every node would take many times the whole suite's time here.
TEST(Model, ALongChainIsBuiltInTimeThatGrowsWithIt)
{
    constexpr NodeId kLast = 20'000;
    Graph graph;
    graph.addNode(makeNode(1, "text", "text"));
    graph.addNode(makeNode(2, "embedding", "embedding", {{"width", std::int64_t{1}}}));
    graph.addWire({{1, "tokens"}, {2, "tokens"}});
    for (NodeId id = 3; id < kLast; ++id) {
        graph.addNode(makeNode(id, "activation", "a" + std::to_string(id)));
        graph.addWire({{id - 1, "y"}, {id, "x"}});
    }
    graph.addNode(makeNode(kLast, "head", "head"));
    graph.addWire({{1, "targets"}, {kLast, "targets"}});
    graph.addWire({{kLast - 1, "y"}, {kLast, "x"}});
    const Built built = build(std::move(graph));
    EXPECT_EQ(built.model->weights().front().name, "embedding.weight");
    EXPECT_EQ(built.model->weights().back().name.substr(0, 5), "head.");
}

TEST(Model, ABlockThatCannotBeBuiltIsNamed)
{
    const Graph graph = makeGraph(
        {makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding"), groupNode(3, "body", 2, false),
         makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const BlockRegistry registry = allSpecs();
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) { return SourceFacts{.classes = 11, .steps = 5}; };
    Graph narrow = *edits::setParam(2, "width", std::int64_t{6}).apply(graph);
    Builders builders = allBuilders();
    builders.addBlock("rnn", [](const BlockSetup&) -> std::unique_ptr<Block> { throw std::bad_alloc(); });
    const auto model = Model::build(narrow, check(narrow, registry, options), registry, builders, 1);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().place, "body.1.rnn");
}

} // namespace
} // namespace unroll
