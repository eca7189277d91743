// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touch/touch.h"

#include "core/lens/apply_edits.h"
#include "core/lens/edited_reading.h"
#include "core/lens/probe.h"
#include "tests/support/model_over_classes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::touching {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::modelOverClasses;
using testing::someClasses;
using testing::weightOf;

constexpr std::int64_t kClasses = testing::kClassesHere, kUnits = 6;

std::unique_ptr<Model> modelOf(const std::string& block, Params params = {}, at::ScalarType dtype = at::kDouble)
{
    return modelOverClasses(block, kUnits, std::move(params), dtype);
}

/// Logits under edits, [T, classes].
at::Tensor touched(Model& model, const ProbeText& text, const std::string& edits)
{
    const at::NoGradGuard guard;
    const at::Tensor plain = readPlain(model, sideBySide(text, model, 1)).prediction;
    EditsEditor editor(model, parseEdits(edits).value(), 1);
    const auto read = readEdited(model, sideBySide(text, model, 2), plain,
                                 {.editor = &editor, .first = 0, .last = plain.size(0)}, {});
    EXPECT_TRUE(read) << read.error().text();
    if (!read)
        return {};
    EXPECT_LT((read->prediction.select(1, 0) - plain.select(1, 0)).abs().max().item<double>(), 1e-12) << edits;
    return read->prediction.select(1, 1);
}

at::Tensor plainOf(Model& model, const ProbeText& text)
{
    return readPlain(model, sideBySide(text, model, 1)).prediction.select(1, 0);
}

double difference(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

/// A change of the gates or the state of a plain loop, by name, at a step.
using Hand = std::function<at::Tensor(const std::string& signal, const at::Tensor& value, std::int64_t step)>;

/// Embedding, a plain loop over the steps, head: by the formulas alone. Logits [T, classes].
at::Tensor byHand(const Model& model, const std::string& block, const ProbeText& text, const Hand& hand)
{
    const at::Tensor table = weightOf(model, "embedding.weight");
    const auto w = [&](const char* name) { return weightOf(model, block + "." + name); };
    at::Tensor h = at::zeros({kUnits}, at::kDouble), c = h.clone();
    std::vector<at::Tensor> logits;
    for (std::size_t t = 0; t < text.tokens.size(); ++t) {
        const auto step = static_cast<std::int64_t>(t);
        const at::Tensor x = table[text.tokens[t]];
        const at::Tensor in = at::mv(w("weight_ih_l0"), x) + w("bias_ih_l0");
        const at::Tensor back = at::mv(w("weight_hh_l0"), h) + w("bias_hh_l0");
        const auto p = in.split(kUnits), q = back.split(kUnits);
        if (block == "rnn")
            h = at::tanh(in + back);
        else if (block == "lstm") {
            const at::Tensor i = hand("i", at::sigmoid(p[0] + q[0]), step),
                             f = hand("f", at::sigmoid(p[1] + q[1]), step);
            const at::Tensor g = hand("g", at::tanh(p[2] + q[2]), step), o = hand("o", at::sigmoid(p[3] + q[3]), step);
            c = hand("c", f * c + i * g, step);
            h = o * at::tanh(c);
        } else {
            const at::Tensor r = hand("r", at::sigmoid(p[0] + q[0]), step),
                             z = hand("z", at::sigmoid(p[1] + q[1]), step);
            const at::Tensor n = hand("n", at::tanh(p[2] + r * q[2]), step);
            h = (1 - z) * n + z * h;
        }
        h = hand("h", h, step);
        logits.push_back(at::mv(weightOf(model, "head.weight"), h) + weightOf(model, "head.bias"));
    }
    return at::stack(logits);
}

Hand pinned(const std::string& which, std::int64_t unit, double value, std::int64_t from = 0, std::int64_t to = 1000)
{
    return [=](const std::string& signal, const at::Tensor& old, std::int64_t step) {
        at::Tensor made = old.clone();
        if (signal == which && step >= from && step <= to)
            made[unit] = value;
        return made;
    };
}

TEST(Touch, ZeroingAnOutputUnitIsZeroingTheColumnThatReadsIt)
{
    for (const std::string block : {"rnn", "lstm", "gru", "sru", "qrnn", "mingru"}) {
        auto model = modelOf(block);
        const ProbeText text = someClasses(13);
        const at::Tensor changed = touched(*model, text, block + ".y[2,5] = 0");
        EXPECT_GT(difference(changed, plainOf(*model, text)), 1e-4) << block;
        const at::NoGradGuard guard;
        for (const std::int64_t unit : {2, 5})
            weightOf(*model, "head.weight").select(1, unit).zero_();
        EXPECT_LT(difference(changed, plainOf(*model, text)), 1e-12) << block;
    }
}

TEST(Touch, AblatingANodeIsZeroingAllThatReadsIt)
{
    auto model = modelOf("gru");
    const ProbeText text = someClasses(9);
    const at::Tensor changed = touched(*model, text, "ablate gru from 4");
    EXPECT_EQ(difference(changed.narrow(0, 0, 3), plainOf(*model, text).narrow(0, 0, 3)), 0);
    EXPECT_LT(difference(changed.narrow(0, 3, 6), weightOf(*model, "head.bias").expand({6, kClasses})), 1e-12);
}

TEST(Touch, AStateThatIsPinnedIsThatOfAPlainLoop)
{
    const ProbeText text = someClasses(17);
    for (const std::string block : {"rnn", "lstm", "gru"}) {
        auto model = modelOf(block);
        EXPECT_LT(difference(byHand(*model, block, text, pinned("none", 0, 0)), plainOf(*model, text)), 1e-12);
        EXPECT_LT(difference(touched(*model, text, block + ".h[3] = 0.7 at 5..10"),
                             byHand(*model, block, text, pinned("h", 3, 0.7, 4, 9))),
                  1e-12)
            << block;
    }
    auto model = modelOf("lstm");
    EXPECT_LT(
        difference(touched(*model, text, "lstm.c[1] = -2 from 6"), byHand(*model, "lstm", text, pinned("c", 1, -2, 5))),
        1e-12);
}

TEST(Touch, GatesAreThoseOfAPlainLoop)
{
    const ProbeText text = someClasses(17);
    for (const auto& [block, gates] : {std::pair<std::string, std::string>{"lstm", "ifgo"}, {"gru", "rzn"}}) {
        auto model = modelOf(block);
        for (const char gate : gates) {
            const std::string name(1, gate);
            EXPECT_LT(difference(touched(*model, text, block + "." + name + "[2] = 1"),
                                 byHand(*model, block, text, pinned(name, 2, 1))),
                      1e-12)
                << block << "." << name;
            const Hand half = [&](const std::string& signal, const at::Tensor& old, std::int64_t) {
                return signal == name ? old * 0.5 : old;
            };
            EXPECT_LT(
                difference(touched(*model, text, block + "." + name + " *= 0.5"), byHand(*model, block, text, half)),
                1e-12)
                << block << "." << name;
        }
    }
}

/// Changed by nothing, the plain step is the fast one; where two changes are the same by the formulas, they are.
TEST(Touch, SignalsOfScansAreChangedByTheirFormulas)
{
    const ProbeText text = someClasses(14);
    const std::vector<std::pair<std::string, std::vector<std::string>>> blocks = {
        {"sru", {"c", "f", "r"}},
        {"srupp", {"c", "f", "r"}},
        {"qrnn", {"c", "z", "f", "o"}},
        {"mingru", {"h", "z", "c"}},
        {"min_lstm", {"h", "f", "i", "c"}},
        {"rg_lru", {"h", "a", "r", "i"}},
        {"ind_rnn", {"h"}},
        {"hgrn", {"h", "f", "i", "g"}},
        {"cfc", {"h", "u", "v", "g"}},
        {"s5", {"h"}},
        {"s4d", {"h"}},
        {"mamba", {"h", "a", "delta", "B", "C", "z"}},
        {"janet", {"h", "f", "i", "g"}},
        {"grumml", {"h", "f", "c", "g"}},
        {"lru", {"h"}},
        {"lrumml", {"h"}},
        {"mru", {"H", "M"}}};
    for (const auto& [block, signals] : blocks)
        for (const std::string& signal : signals) {
            auto model = modelOf(block);
            const at::Tensor plain = plainOf(*model, text);
            const std::string name = block + "." + signal;
            EXPECT_LT(difference(touched(*model, text, name + " *= 1"), plain), 1e-12) << name;
            EXPECT_GT(difference(touched(*model, text, name + "[1] += 0.5 from 4"), plain), 1e-6) << name;
        }
    const std::vector<std::pair<std::string, std::vector<std::string>>> withHeads = {
        {"hgrn2", {"S", "f", "q", "i"}},
        {"retnet", {"S", "q", "k", "v", "g"}},
        {"mlstm", {"S", "n", "m", "i", "f", "o", "q", "k", "v"}},
        {"delta_net", {"S", "r", "beta", "q", "k", "v"}},
        {"delta_product", {"S", "r", "beta", "q", "k", "v", "a", "g"}},
        {"rwkv7", {"S", "w", "a", "kappa", "r", "k", "v", "g"}}};
    for (const auto& [block, signals] : withHeads)
        for (const std::string& signal : signals) {
            const bool rwkv = block == "rwkv7";
            const bool wide = block == "mlstm" || block.starts_with("delta"); // heads of three or more
            auto model = modelOf(block, {{rwkv ? "head_size" : "num_heads", std::int64_t{wide ? 2 : 3}}});
            if (rwkv)
                weightOf(*model, "rwkv7.output.weight").detach().fill_(0.3); // begins at 0
            const at::Tensor plain = plainOf(*model, text);
            const std::string name = block + "." + signal;
            EXPECT_LT(difference(touched(*model, text, name + " *= 1"), plain), 1e-12) << name;
            EXPECT_GT(difference(touched(*model, text, name + "[1] += 0.5 from 3"), plain), 1e-9)
                << name; // m all but cancels
        }
    const std::vector<std::vector<std::string>> equal = {{"qrnn.o[2] = 0", "qrnn.y[2] = 0", "qrnn.c[2] = 0"},
                                                         {"mingru.z[2] = 0", "mingru.y[2] = 0", "mingru.h[2] = 0"},
                                                         {"grumml.g[2] = 0", "grumml.h[2] = 0"},
                                                         {"sru.f[2] = 1", "sru.c[2] = 0"}};
    for (const auto& edits : equal) {
        auto model = modelOf(edits[0].substr(0, edits[0].find('.')));
        const at::Tensor first = touched(*model, text, edits[0]);
        EXPECT_GT(difference(first, plainOf(*model, text)), 1e-6) << edits[0];
        for (const std::string& other : edits)
            EXPECT_LT(difference(touched(*model, text, other), first), 1e-12) << other;
    }
}

/// h_t = λ h_{t-1} + what enters: where h is pinned at one step alone, all later ones follow from it.
TEST(Touch, AComplexUnitIsAPair)
{
    auto model = modelOf("lru");
    const ProbeText text = someClasses(6);
    const at::Tensor scaled = touched(*model, text, "lru.h[1] *= 0 at 6");
    EXPECT_LT(difference(scaled, touched(*model, text, "lru.h[1] = 0 at 6")), 1e-12);
    const at::Tensor one = touched(*model, text, "lru.h[1] = 1 at 6"), two = touched(*model, text, "lru.h[1] = 2 at 6");
    const at::Tensor c = weightOf(*model, "lru.C_re").select(1, 1); // a pinned number is real: Re(C h) = Re(C) h
    EXPECT_LT(difference((two - one)[5], at::mv(weightOf(*model, "head.weight"), c)), 1e-12);
    EXPECT_EQ(difference(two.narrow(0, 0, 5), one.narrow(0, 0, 5)), 0);
    auto hgrn = modelOf("hgrn"); // nothing enters a unit whose candidate is 0: both parts of its state are 0
    const at::Tensor pinned = touched(*hgrn, text, "hgrn.h[1] = 0");
    EXPECT_LT(difference(touched(*hgrn, text, "hgrn.i[1] = 0"), pinned), 1e-12);
    EXPECT_GT(difference(plainOf(*hgrn, text), pinned), 1e-6);
}

TEST(Touch, LayersAndDirectionsAreUnitsSideBySide)
{
    auto model = modelOf("lstm", {{"num_layers", std::int64_t{2}}});
    const ProbeText text = someClasses(8);
    const at::Tensor changed = touched(*model, text, "lstm.h[6..11] = 0"); // of the upper layer, which the head reads
    EXPECT_LT(difference(changed, weightOf(*model, "head.bias").expand({8, kClasses})), 1e-12);
    EXPECT_GT(difference(touched(*model, text, "lstm.h[0..5] = 0"), plainOf(*model, text)), 1e-4);
}

TEST(Touch, SwappingTwiceIsNothingAndSoAreScalingByOneAndAddingNothing)
{
    const ProbeText text = someClasses(12);
    for (const std::string block : {"rnn", "lstm", "gru"}) {
        auto model = modelOf(block);
        const at::Tensor plain = plainOf(*model, text);
        EXPECT_GT(difference(touched(*model, text, block + ".h[1] <-> " + block + ".h[4]"), plain), 1e-4);
        for (const std::string& edit :
             {block + ".h[1] <-> " + block + ".h[4]; " + block + ".h[1] <-> " + block + ".h[4]", block + ".h *= 1",
              block + ".h[2] += 0", block + ".h += noise(0)", block + ".h *= 2; " + block + ".h *= 0.5"})
            EXPECT_LT(difference(touched(*model, text, edit), plain), 1e-12) << edit;
    }
}

TEST(Touch, NoiseIsTheSameForASeedAndOfItsDeviation)
{
    double sum = 0, squares = 0;
    constexpr int count = 20'000;
    for (int i = 0; i < count; ++i) {
        const double draw = normalDraw(3, i / 100, i % 100);
        sum += draw;
        squares += draw * draw;
    }
    EXPECT_NEAR(sum / count, 0, 0.03);
    EXPECT_NEAR(squares / count, 1, 0.04);
    auto model = modelOf("gru");
    const ProbeText text = someClasses(6);
    EXPECT_EQ(difference(touched(*model, text, "gru.z += noise(0.1, seed 3)"),
                         touched(*model, text, "gru.z += noise(0.1, seed 3)")),
              0);
    EXPECT_GT(difference(touched(*model, text, "gru.z += noise(0.1, seed 3)"),
                         touched(*model, text, "gru.z += noise(0.1, seed 4)")),
              1e-6);
}

std::shared_ptr<const LensFrame> asked(Model& model, const ProbeText& text, const std::string& edit)
{
    const ProbeFrame look = probe(model, text, {}, 5);
    LensQuery query{"touch", {}, {}, {{"edit", edit}}};
    return frameOf({look, &model, nullptr, &text, {}}, query);
}

TEST(Touch, LettingGoGivesTheSameBits)
{
    const ProbeText text = someClasses(20);
    for (const auto dtype : {at::kDouble, at::kFloat}) {
        auto model = modelOf("lstm", {}, dtype);
        const at::Tensor before = plainOf(*model, text).clone();
        const auto frame = asked(*model, text, "lstm.h[1] = 3 from 5; ablate embedding at 3");
        const auto data = dataOf<TouchData>(frame);
        ASSERT_NE(data, nullptr) << frame->trouble;
        EXPECT_TRUE(at::equal(plainOf(*model, text), before));
        EXPECT_EQ(data->firstChanged, 2);
        for (const std::string nothing : {"", "lstm.h[1] = 3 from 21", "lstm.h = 0 at 400..500; ablate lstm from 99"}) {
            const auto none = dataOf<TouchData>(asked(*model, text, nothing));
            ASSERT_NE(none, nullptr) << nothing;
            EXPECT_EQ(none->firstChanged, -1) << nothing;
            EXPECT_EQ(none->notes.size(), nothing.empty()                          ? 0u
                                          : nothing.find(';') != std::string::npos ? 2u
                                                                                   : 1u)
                << nothing;
            EXPECT_THAT(none->notes, Each(HasSubstr("has no effect: the reading has 20 steps")));
            EXPECT_EQ(std::vector(none->before.begin(), none->before.end() - 1),
                      std::vector(none->after.begin(), none->after.end() - 1));
            EXPECT_EQ(std::vector(none->before.begin(), none->before.end() - 1),
                      std::vector(data->before.begin(), data->before.end() - 1));
        }
    }
}

TEST(Touch, ShowsLossesAndDistributionsOfBothSides)
{
    auto model = modelOf("lstm");
    const ProbeText text = someClasses(20);
    const auto frame = asked(*model, text, "lstm.f[2] = 1 from 7");
    const auto data = dataOf<TouchData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    const at::Tensor before = plainOf(*model, text).log_softmax(-1);
    const at::Tensor after = byHand(*model, "lstm", text, pinned("f", 2, 1, 6)).log_softmax(-1);
    ASSERT_EQ(data->before.size(), 20u);
    EXPECT_EQ(data->asking, 19) << "nothing comes behind the last token";
    EXPECT_TRUE(std::isnan(data->before[19]) && std::isnan(data->after[19]));
    const at::Tensor divergence = (before.exp() * (before - after)).sum(-1);
    for (std::size_t t = 0; t < 20; ++t) {
        const auto step = static_cast<std::int64_t>(t);
        EXPECT_NEAR(data->divergence[t], divergence[step].item<double>(), 1e-12);
        if (t == 19)
            continue;
        EXPECT_NEAR(data->before[t], -before[step][text.tokens[t + 1]].item<double>(), 1e-12);
        EXPECT_NEAR(data->after[t], -after[step][text.tokens[t + 1]].item<double>(), 1e-12);
    }
    EXPECT_EQ(data->firstChanged, 6);
    EXPECT_GE(data->chances.size(), 5u);
    const auto of = before[data->step].exp(), to = after[data->step].exp();
    EXPECT_NEAR(data->chances[0].before, of.max().item<double>(), 1e-12);
    EXPECT_NEAR(data->chances[0].after, to[of.argmax().item<std::int64_t>()].item<double>(), 1e-12);
    const Figure figure = data->figure();
    EXPECT_THAT(figure.shows, HasSubstr("lstm.f[2] = 1 from 7"));
    EXPECT_THAT(figure.findings, Contains(HasSubstr("mean loss over 19 steps")));
    EXPECT_THAT(figure.findings, Contains(HasSubstr("The first prediction to change is that at step 7 (")));
    EXPECT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.missing, 0);
}

TEST(Touch, SaysWhatCannotBeChanged)
{
    auto model = modelOf("lstm");
    const ProbeText text = someClasses(7);
    const auto trouble = [&](const std::string& edit) { return asked(*model, text, edit)->trouble; };
    EXPECT_THAT(trouble("lstm.h[3 = 1"), HasSubstr("at character 10"));
    EXPECT_THAT(trouble("lstn.h = 1"), HasSubstr("no node lstn; it has embedding, head, lstm"));
    EXPECT_THAT(trouble("lstm.q = 1"),
                HasSubstr("no signal q that can be changed; what can be is c, f, g, h, i, o, y"));
    EXPECT_THAT(trouble("lstm.h[6] = 1"), HasSubstr("lstm.h has 6 units, 0 to 5: there is no unit 6"));
    EXPECT_THAT(trouble("ablate text"), HasSubstr("no node text"));
    EXPECT_THAT(trouble("start \"abc\""), HasSubstr("start needs data"));
    const ProbeText none;
    const auto empty = frameOf({ProbeFrame{}, model.get(), nullptr, &none, {}}, {"touch", {}, {}, {}});
    EXPECT_THAT(empty->trouble, HasSubstr("the reading is empty"));
}

TEST(Touch, OneStepAndNumbersThatAreNone)
{
    auto model = modelOf("rnn");
    const auto one = dataOf<TouchData>(asked(*model, someClasses(1), "rnn.h[0] = 1"));
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->asking, 0);
    EXPECT_EQ(one->firstChanged, 0);
    EXPECT_THAT(one->figure().findings, Contains(HasSubstr("no loss")));
    {
        const at::NoGradGuard guard;
        weightOf(*model, "head.bias")[0] = std::nan("");
    }
    const auto none = dataOf<TouchData>(asked(*model, someClasses(6), "rnn.y[0] = 1"));
    ASSERT_NE(none, nullptr);
    EXPECT_THAT(none->figure().findings.front(), HasSubstr("The loss is not finite"));
    EXPECT_EQ(none->asking, 5);
    EXPECT_EQ(none->figure().missing, 5) << "on both sides";
    EXPECT_TRUE(none->chances.empty());
    EXPECT_THAT(none->figure().findings, Contains(HasSubstr("answers have a probability that is not a number")));
}

} // namespace
} // namespace unroll::touching
