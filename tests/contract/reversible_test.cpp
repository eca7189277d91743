// SPDX-License-Identifier: GPL-3.0-or-later
// Reversible groups against the same groups computed plainly: outputs, states, every gradient, in double.
#include "tests/contract/reversible_stack.h"

#include <algorithm>
#include <map>

namespace unroll::contract::reversible {

namespace {

constexpr double kBound = 1e-9;

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

/// Two passes, the second from the states of the first.
void passBoth(Trained& got, Trained& want, const Stack& stack, bool truncated)
{
    at::Generator random = generatorOf(5);
    for (int pass = 0; pass < 2; ++pass) {
        const ModelInput input = inputOf(stack, 7, random);
        want.pass(input, truncated);
        got.pass(input, truncated);
        EXPECT_LT(difference(got.prediction, want.prediction), kBound);
        expectTheSameStates(got.states, want.states);
    }
}

void expectTheSame(const Stack& stack)
{
    for (const bool truncated : {false, true}) {
        SCOPED_TRACE(truncated ? "states detached" : "gradients through states");
        const auto plain = modelOf(graphOf(stack, layers(stack, false)));
        const auto reversible = modelOf(graphOf(stack, layers(stack, true)));
        Trained want{*plain}, got{*reversible};
        passBoth(got, want, stack, truncated);
        EXPECT_TRUE(got.dropout.get_state().equal(want.dropout.get_state())) << "as many random numbers are drawn";
        want.loss.backward();
        got.loss.backward();
        EXPECT_TRUE(got.dropout.get_state().equal(want.dropout.get_state())) << "the backward pass draws none";
        expectTheSameGradients(*reversible, *plain);
    }
}

class Names : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        seen[node + "." + signal].push_back(value.detach().clone());
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        seen[node + ":" + port].push_back(value.detach().clone());
    }
    std::map<std::string, std::vector<at::Tensor>> seen;
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
    expectTheSame(
        {.copies = 4, .fParams = {{"num_layers", ByCopy{ByCopy::Rule::Every, 2, {std::int64_t{2}, std::int64_t{1}}}}}});
}

/// A loop through a delay inside F, and a reversible group inside G.
TEST(Reversible, LoopsAndReversibleGroupsStandInside)
{
    const Stack stack{.copies = 2, .dropout = 0.2};
    std::vector<std::unique_ptr<Model>> models;
    for (const bool reversible : {false, true}) {
        const Stack inside{.copies = 2, .sharedWeights = true, .f = "linear", .g = "sru", .dropout = 0.3};
        Group outer = layers(stack, reversible);
        Graph graph = *outer.graph;
        Node nested = testing::makeNode(2, "group", "g");
        nested.group = std::make_shared<const Group>(layers(inside, reversible));
        Node split = testing::makeNode(20, "linear", "both", {{"width", stack.width}});
        graph.addNode(nested);
        graph.addNode(split);
        graph.addNode(testing::makeNode(21, "add", "joined"));
        graph.addNode(testing::makeNode(22, "delay", "before"));
        graph.addNode(testing::makeNode(23, "add", "looped"));
        std::erase_if(graph.wires, [](const Wire& wire) {
            return wire.to.node == 2 || wire.from.node == 2 || wire.from == PortRef{5, "y"};
        });
        for (const Wire& wire : std::vector<Wire>{{{1, "y"}, {20, "x"}},
                                                  {{20, "y"}, {2, "x1"}},
                                                  {{20, "y"}, {2, "x2"}},
                                                  {{20, "y"}, {2, "x2_sum"}},
                                                  {{2, "y1"}, {21, "a"}},
                                                  {{2, "y2"}, {21, "b"}},
                                                  {{21, "y"}, {3, "x"}},
                                                  {{5, "y"}, {23, "a"}},
                                                  {{22, "y"}, {23, "b"}},
                                                  {{23, "y"}, {22, "x"}},
                                                  {{23, "y"}, {6, "x"}}})
            graph.addWire(wire);
        outer.graph = std::make_shared<const Graph>(std::move(graph));
        models.push_back(modelOf(graphOf(stack, outer)));
    }
    Trained want{*models[0]}, got{*models[1]};
    passBoth(got, want, stack, false);
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
    const ModelOutput later = plain->forward(input, want.states, {}),
                      again = reversible->forward(input, got.states, {});
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
    EXPECT_EQ(reversible.seen.size(), plain.seen.size());
    for (const auto& [name, values] : plain.seen) {
        const std::vector<at::Tensor>& seen = reversible.seen[name];
        ASSERT_EQ(seen.size(), values.size()) << name << ": the backward pass shows nothing";
        for (std::size_t i = 0; i < seen.size(); ++i)
            EXPECT_TRUE(seen[i].equal(values[i])) << name;
    }
    EXPECT_TRUE(plain.seen.contains("layers.2.f.c") && plain.seen.contains("layers.1.add_1:y"));
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

} // namespace unroll::contract::reversible
