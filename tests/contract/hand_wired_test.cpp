// SPDX-License-Identifier: GPL-3.0-or-later
// Cells wired from a delay and small pieces, against the blocks that compute them at once: outputs, states carried from
// pass to pass, and every gradient, in double.
#include "core/model/model.h"
#include "tests/contract/wiring.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace unroll::contract {

namespace {

constexpr std::int64_t kUnits = 6, kClasses = 11;
constexpr double kBound = 1e-6, kExact = 1e-12;

std::unique_ptr<Model> build(const Graph& graph)
{
    CheckOptions options;
    options.sourceFacts = [](const std::string&, const Params&) {
        SourceFacts facts;
        facts.classes = kClasses;
        facts.steps = 7;
        return facts;
    };
    const CheckedGraph checked = check(graph, registry(), options);
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.nodeName << ": " << diagnostic.sentence;
    auto model = Model::build(graph, checked, registry(), builders(), 1, at::kDouble);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
}

at::Tensor weight(const Model& model, const std::string& name)
{
    const auto& all = model.weights();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Weight& each) { return each.name == name; });
    EXPECT_NE(found, all.end()) << name;
    return found->tensor;
}

/// A weight of the wired cell, and the rows of the block's weight that it is.
struct Same {
    std::string wired, block;
    std::int64_t row = 0;
};

class Pair {
public:
    Pair(const std::string& block, Params params, const Graph& wired, std::vector<Same> same) : m_same(std::move(same))
    {
        params["units"] = kUnits;
        Wiring around(kUnits);
        m_block = build(around.node(block, "cell", params).wire("embedding.y", "cell.x").graph("cell.y"));
        m_wired = build(wired);
        for (const char* name : {"embedding.weight", "head.weight", "head.bias"})
            m_same.push_back({name, name, 0});
        const at::NoGradGuard values;
        at::Generator random = generatorOf(17);
        for (const Weight& each : m_block->weights())
            if (each.trained)
                each.tensor.add_(at::randn(each.tensor.sizes(), random, at::kDouble), 0.2);
        for (const Same& each : m_same)
            weight(*m_wired, each.wired).copy_(rowsOf(each, weight(*m_block, each.block)));
    }

    /// Two passes, the second with the states of the first.
    void expectTheSame(std::int64_t steps)
    {
        at::Generator random = generatorOf(5);
        States blockStates, wiredStates;
        at::Tensor blockLoss, wiredLoss;
        for (int pass = 0; pass < 2; ++pass) {
            const ModelInput input{at::randint(0, kClasses, {steps, 3}, random, at::kLong),
                                   at::randint(0, kClasses, {steps, 3}, random, at::kLong),
                                   {},
                                   {}};
            const ModelOutput block = m_block->forward(input, blockStates, {});
            const ModelOutput wired = m_wired->forward(input, wiredStates, {});
            EXPECT_LT(difference(wired.prediction, block.prediction), kBound) << "pass " << pass;
            blockLoss = blockLoss.defined() ? blockLoss.add(block.loss) : block.loss;
            wiredLoss = wiredLoss.defined() ? wiredLoss.add(wired.loss) : wired.loss;
            blockStates = block.states;
            wiredStates = wired.states;
        }
        blockLoss.backward();
        wiredLoss.backward();
        for (const Same& each : m_same) {
            const at::Tensor wired = weight(*m_wired, each.wired);
            EXPECT_LT(difference(wired.grad(), rowsOf(each, weight(*m_block, each.block).grad())), kBound)
                << each.wired;
        }
        expectNothingLeftOut();
    }

    Model& wired() { return *m_wired; }

private:
    at::Tensor rowsOf(const Same& same, const at::Tensor& tensor) const
    {
        const at::Tensor wired = weight(*m_wired, same.wired);
        return tensor.narrow(0, same.row, wired.size(0)).view_as(wired);
    }

    /// Every weight of the wired cell stands for some of the block's, and all of these are stood for.
    void expectNothingLeftOut() const
    {
        std::int64_t wired = 0, block = 0, same = 0;
        for (const Weight& each : m_wired->weights())
            wired += each.tensor.numel();
        for (const Weight& each : m_block->weights())
            block += each.tensor.numel();
        for (const Same& each : m_same)
            same += weight(*m_wired, each.wired).numel();
        EXPECT_EQ(wired, same);
        EXPECT_EQ(block, same);
    }

    std::vector<Same> m_same;
    std::unique_ptr<Model> m_block, m_wired;
};

Pair rnn()
{
    Wiring wiring(kUnits);
    wiring.linear("input", "embedding.y", kUnits).node("delay", "before").linear("back", "before.y", kUnits);
    wiring.combine("add", "sum", {"input.y", "back.y"}).function("tanh", "h", "sum.y").wire("h.y", "before.x");
    return {"rnn",
            {},
            wiring.graph("h.y"),
            {{"input.weight", "cell.weight_ih_l0"},
             {"input.bias", "cell.bias_ih_l0"},
             {"back.weight", "cell.weight_hh_l0"},
             {"back.bias", "cell.bias_hh_l0"}}};
}

/// r and z, from the input's parts and the state's, and n's part of the input.
void gates(Wiring& wiring)
{
    for (const char* name : {"r", "z"}) {
        const std::string gate = name;
        const std::int64_t part = gate == "r" ? 0 : 1;
        wiring.slice("in_" + gate, "input.y", part).slice("back_" + gate, "back.y", part);
        wiring.combine("add", "sum_" + gate, {"in_" + gate + ".y", "back_" + gate + ".y"});
        wiring.function("sigmoid", gate, "sum_" + gate + ".y");
    }
    wiring.slice("in_n", "input.y", 2);
}

Pair gruResetAfter()
{
    Wiring wiring(kUnits);
    wiring.linear("input", "embedding.y", 3 * kUnits).node("delay", "before").linear("back", "before.y", 3 * kUnits);
    gates(wiring);
    wiring.slice("back_n", "back.y", 2).combine("multiply", "reset", {"r.y", "back_n.y"});
    wiring.combine("add", "sum_n", {"in_n.y", "reset.y"}).function("tanh", "n", "sum_n.y");
    wiring.combine("highway", "h", {"z.y", "before.y", "n.y"}).wire("h.y", "before.x");
    return {"gru",
            {},
            wiring.graph("h.y"),
            {{"input.weight", "cell.weight_ih_l0"},
             {"input.bias", "cell.bias_ih_l0"},
             {"back.weight", "cell.weight_hh_l0"},
             {"back.bias", "cell.bias_hh_l0"}}};
}

/// With z inverted h is mixed the other way round, here by One minus.
Pair gruResetBefore(bool inverted)
{
    Wiring wiring(kUnits);
    wiring.linear("input", "embedding.y", 3 * kUnits).node("delay", "before").linear("back", "before.y", 2 * kUnits);
    gates(wiring);
    wiring.combine("multiply", "reset", {"r.y", "before.y"}).linear("back_n", "reset.y", kUnits);
    wiring.combine("add", "sum_n", {"in_n.y", "back_n.y"}).function("tanh", "n", "sum_n.y");
    if (inverted)
        wiring.combine("one_minus", "kept", {"z.y"});
    wiring.combine("highway", "h", {inverted ? "kept.y" : "z.y", "before.y", "n.y"}).wire("h.y", "before.x");
    return {"gru",
            {{"convention", std::string(inverted ? "reset_before_inverted_z" : "reset_before")}},
            wiring.graph("h.y"),
            {{"input.weight", "cell.weight_ih_l0"},
             {"input.bias", "cell.bias_ih_l0"},
             {"back.weight", "cell.weight_hh_l0"},
             {"back.bias", "cell.bias_hh_l0"},
             {"back_n.weight", "cell.weight_hh_l0", 2 * kUnits},
             {"back_n.bias", "cell.bias_hh_l0", 2 * kUnits}}};
}

Pair sru()
{
    Wiring wiring(kUnits);
    wiring.node("linear", "u", {{"width", kUnits}, {"bias", false}}).wire("embedding.y", "u.x");
    wiring.node("delay", "before");
    wiring.combine("gate", "f", {"embedding.y", "before.y"}).combine("gate", "r", {"embedding.y", "before.y"});
    wiring.combine("highway", "c", {"f.y", "before.y", "u.y"}).wire("c.y", "before.x");
    wiring.combine("highway", "h", {"r.y", "c.y", "embedding.y"});
    return {"sru",
            {},
            wiring.graph("h.y"),
            {{"u.weight", "cell.weight"},
             {"f.weight", "cell.weight", kUnits},
             {"r.weight", "cell.weight", 2 * kUnits},
             {"f.weight_c", "cell.weight_c"},
             {"r.weight_c", "cell.weight_c", kUnits},
             {"f.bias", "cell.bias"},
             {"r.bias", "cell.bias", kUnits}}};
}

/// f h_{t-1} + (1 - f) c, gated by g, from pre-activations.
void gatedScan(Wiring& wiring, const std::string& f, const std::string& c, const std::string& g)
{
    wiring.function("sigmoid", "f", f).function("silu", "c", c).function("sigmoid", "g", g).node("delay", "before");
    wiring.combine("highway", "h", {"f.y", "before.y", "c.y"}).wire("h.y", "before.x");
    wiring.combine("multiply", "shown", {"g.y", "h.y"});
}

Pair grumml()
{
    Wiring wiring(kUnits);
    wiring.node("dense_mml", "fc", {{"units", 2 * kUnits}}).wire("embedding.y", "fc.x");
    wiring.linear("data", "embedding.y", kUnits).slice("part_f", "fc.y", 0).slice("part_c", "fc.y", 1);
    gatedScan(wiring, "part_f.y", "part_c.y", "data.y");
    wiring.linear("o", "shown.y", kUnits);
    return {"grumml",
            {},
            wiring.graph("o.y"),
            {{"fc.gain", "cell.gain_fc"},
             {"fc.weight", "cell.weight_fc"},
             {"fc.bias", "cell.bias_fc"},
             {"data.weight", "cell.weight_g"},
             {"data.bias", "cell.bias_g"},
             {"o.weight", "cell.weight_o"},
             {"o.bias", "cell.bias_o"}}};
}

Pair grummlAllTernary()
{
    Wiring wiring(kUnits);
    wiring.node("dense_mml", "fcg", {{"units", 3 * kUnits}}).wire("embedding.y", "fcg.x");
    wiring.slice("part_f", "fcg.y", 0).slice("part_c", "fcg.y", 1).slice("part_g", "fcg.y", 2);
    gatedScan(wiring, "part_f.y", "part_c.y", "part_g.y");
    wiring.node("dense_mml", "o", {{"units", kUnits}}).wire("shown.y", "o.x");
    return {"grumml",
            {{"fully_mml", true}},
            wiring.graph("o.y"),
            {{"fcg.gain", "cell.gain_fcg"},
             {"fcg.weight", "cell.weight_fcg"},
             {"fcg.bias", "cell.bias_fcg"},
             {"o.gain", "cell.gain_o"},
             {"o.weight", "cell.weight_o"},
             {"o.bias", "cell.bias_o"}}};
}

/// Every signal, each as often as it is shown.
struct Recorder : Observer {
    std::map<std::string, std::vector<at::Tensor>> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        seen[node + "." + signal].push_back(value.detach().clone());
    }
};

void expectTheBlock(Pair pair)
{
    pair.expectTheSame(7);
}

} // namespace

TEST(HandWired, AnRnnIsTheBlock)
{
    expectTheBlock(rnn());
}

TEST(HandWired, AGruIsTheBlockInEveryConvention)
{
    expectTheBlock(gruResetAfter());
    for (const bool inverted : {false, true})
        expectTheBlock(gruResetBefore(inverted));
}

TEST(HandWired, AnSruIsTheBlock)
{
    expectTheBlock(sru());
}

TEST(HandWired, AGrummlIsTheBlock)
{
    expectTheBlock(grumml());
    expectTheBlock(grummlAllTernary());
}

TEST(HandWired, OneStepIsASequenceToo)
{
    Pair pair = gruResetAfter();
    pair.expectTheSame(1);
}

TEST(HandWired, SignalsOfALoopAreShownOnceForAllSteps)
{
    at::Generator random = generatorOf(9);
    const at::Tensor tokens = at::randint(0, kClasses, {6, 2}, random, at::kLong);
    Pair pair = rnn();
    Recorder recorder;
    pair.wired().forward({tokens, tokens, {}, {}}, {}, {.observer = &recorder});
    for (const char* signal : {"input.y", "before.y", "back.y", "sum.y", "h.y"}) {
        ASSERT_EQ(recorder.seen[signal].size(), 1u) << signal;
        EXPECT_EQ(recorder.seen[signal][0].sizes().vec(), (std::vector<std::int64_t>{6, 2, kUnits})) << signal;
    }
    const at::Tensor h = recorder.seen["h.y"][0], before = recorder.seen["before.y"][0];
    EXPECT_EQ(difference(before.narrow(0, 1, 5), h.narrow(0, 0, 5)), 0);
    EXPECT_EQ(difference(before.narrow(0, 0, 1), h.narrow(0, 0, 1).mul(0)), 0);
}

/// As wide at the first step, which can look at itself alone, as at the last.
TEST(HandWired, AttentionWeightsOfALoopAreShownForAllSteps)
{
    constexpr std::int64_t window = 4, heads = 2;
    Wiring wiring(kUnits);
    wiring.node("delay", "before").combine("add", "sum", {"embedding.y", "before.y"});
    wiring.node("attention", "look", {{"num_heads", heads}, {"window", window}, {"positions", std::string("none")}});
    wiring.wire("sum.y", "look.x");
    const auto model = build(wiring.wire("look.y", "before.x").graph("look.y"));
    at::Generator random = generatorOf(9);
    const at::Tensor tokens = at::randint(0, kClasses, {6, 2}, random, at::kLong);
    Recorder recorder;
    model->forward({tokens, tokens, {}, {}}, {}, {.observer = &recorder});
    ASSERT_EQ(recorder.seen["look.weights"].size(), 1u);
    ASSERT_EQ(recorder.seen["look.weights"][0].sizes().vec(), (std::vector<std::int64_t>{6, 2, heads * window}));
    const at::Tensor weights = recorder.seen["look.weights"][0].unflatten(2, {heads, window});
    EXPECT_LT(difference(weights.sum(3), at::ones({6, 2, heads}, at::kDouble)), kExact);
    EXPECT_EQ(difference(weights[0].select(2, window - 1), at::ones({2, heads}, at::kDouble)), 0);
    EXPECT_EQ(weights.gt(0).sum(3).amax().item<std::int64_t>(), window);
}

/// A loop in a whole sequence is the same loop one pass a step, with the states carried.
TEST(HandWired, SteppingEqualsTheWhole)
{
    at::Generator random = generatorOf(9);
    const at::Tensor tokens = at::randint(0, kClasses, {6, 2}, random, at::kLong);
    Pair pair = sru();
    const ModelOutput whole = pair.wired().forward({tokens, tokens, {}, {}}, {}, {});
    States states;
    for (std::int64_t t = 0; t < 6; ++t) {
        const at::Tensor step = tokens.narrow(0, t, 1);
        const ModelOutput one = pair.wired().forward({step, step, {}, {}}, states, {});
        states = one.states;
        EXPECT_LT(difference(one.prediction, whole.prediction.narrow(0, t, 1)), kExact) << "step " << t;
    }
    EXPECT_EQ(pair.wired().recurrentNodes(), std::vector<std::string>{"before"});
    EXPECT_LT(difference(states.at("before")[0], whole.states.at("before")[0]), kExact);
}

} // namespace unroll::contract
