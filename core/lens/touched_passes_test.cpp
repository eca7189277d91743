// SPDX-License-Identifier: GPL-3.0-or-later
// Passes under edits equal those of a network whose weights were changed by hand.
#include "core/lens/touched_passes.h"

#include "core/lens/probe.h"
#include "tests/support/model_over_classes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::touched_passes {
namespace {

using testing::buildModel;
using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;
using testing::modelOverClasses;
using testing::someClasses;
using testing::weightOf;

constexpr std::int64_t kWidth = 6;

std::unique_ptr<TouchedPasses> touch(Model& model, const std::string& edits)
{
    auto touched = TouchedPasses::over(model, nullptr, someClasses(9), parseEdits(edits).value());
    EXPECT_TRUE(touched) << edits << ": " << touched.error().text();
    return touched ? std::move(*touched) : nullptr;
}

double most(const at::Tensor& difference)
{
    return difference.abs().max().item<double>();
}

/// Keeps what is shown of one signal.
class Kept : public Observer {
public:
    explicit Kept(WatchedSignal signal) : m_signal(std::move(signal)) {}
    bool wants(const std::string& node, const std::string& signal) const override
    {
        return WatchedSignal{node, signal} == m_signal;
    }
    void show(const std::string&, const std::string&, const at::Tensor& value) override
    {
        shown = value.detach().clone();
        ++times;
    }
    at::Tensor shown;
    int times = 0;

private:
    WatchedSignal m_signal;
};

/// A gate that is shut is a bias that shuts it, in every sequence, whether all steps come at once or in pieces.
TEST(TouchedPasses, AreThoseOfTheWeightsChangedByHand)
{
    const at::NoGradGuard guard;
    for (const std::string pieces : {"whole", "two"}) {
        auto model = modelOverClasses("lstm", kWidth), byHand = modelOverClasses("lstm", kWidth);
        weightOf(*byHand, "lstm.bias_ih_l0")[1].fill_(-1e9); // the first gate is i
        const auto touched = touch(*model, "lstm.i[1] = 0");
        const ModelInput three = sideBySide(someClasses(9), *model, 3);
        const ModelOutput right = byHand->forward(three, {}, {});
        at::Tensor made;
        States states;
        if (pieces == "whole") {
            ModelOutput output = model->forward(three, {}, {});
            made = output.prediction;
            states = output.states;
        } else {
            ModelOutput head = model->forward({.tokens = three.tokens.narrow(0, 0, 4)}, {}, {});
            ModelOutput tail = model->forward({.tokens = three.tokens.narrow(0, 4, 5)}, head.states, {.step = 4});
            made = at::cat({head.prediction, tail.prediction});
            states = tail.states;
        }
        EXPECT_LT(most(made - right.prediction), 1e-12) << pieces;
        for (std::size_t part = 0; part < 2; ++part)
            EXPECT_LT(most(states.at("lstm").at(part) - right.states.at("lstm").at(part)), 1e-12) << pieces << part;
    }
}

TEST(TouchedPasses, StepsAreCountedFromWhereASequenceBegins)
{
    const at::NoGradGuard guard;
    auto model = modelOverClasses("gru", kWidth);
    const ModelInput one = sideBySide(someClasses(9), *model, 1);
    const at::Tensor plain = model->forward(one, {}, {}).prediction;
    const auto touched = touch(*model, "gru.h[2] = 0.75 from 6"); // counted from 1
    const at::Tensor whole = model->forward(one, {}, {}).prediction;
    EXPECT_LT(most((whole - plain).narrow(0, 0, 5)), 1e-12);
    EXPECT_GT(most((whole - plain).narrow(0, 5, 4)), 1e-6);
    const ModelOutput head = model->forward({.tokens = one.tokens.narrow(0, 0, 4)}, {}, {});
    const at::Tensor tail = model->forward({.tokens = one.tokens.narrow(0, 4, 5)}, head.states, {.step = 4}).prediction;
    EXPECT_LT(most(at::cat({head.prediction, tail}) - whole), 1e-12);
}

TEST(TouchedPasses, EndWithTheObject)
{
    const at::NoGradGuard guard;
    auto model = modelOverClasses("lstm", kWidth);
    const ModelInput one = sideBySide(someClasses(9), *model, 1);
    const at::Tensor before = model->forward(one, {}, {}).prediction;
    {
        const auto touched = touch(*model, "lstm.h = 0");
        EXPECT_GT(most(model->forward(one, {}, {}).prediction - before), 1e-6);
    }
    EXPECT_TRUE(at::equal(model->forward(one, {}, {}).prediction, before)) << "to the bit";
    EXPECT_THAT(
        TouchedPasses::over(*model, nullptr, someClasses(9), parseEdits("lstm.h[99] = 0").value()).error().text(),
        HasSubstr("there is no unit 99"));
    EXPECT_TRUE(at::equal(model->forward(one, {}, {}).prediction, before)) << "what was refused leaves nothing";
}

/// Also those that a block does not show by itself when one of them is changed.
TEST(TouchedPasses, ShowTheChangedSignals)
{
    const at::NoGradGuard guard;
    for (const auto& [block, signal] :
         {std::pair{"lstm", "h"}, {"lstm", "f"}, {"gru", "h"}, {"gru", "z"}, {"mingru", "h"}, {"qrnn", "c"}}) {
        auto model = modelOverClasses(block, kWidth);
        const ModelInput two = sideBySide(someClasses(9), *model, 2);
        Kept plain({block, signal});
        model->forward(two, {}, {.observer = &plain});
        const std::string edit = std::string(block) + "." + signal + "[1] = 0.25 at 4..6";
        const auto touched = touch(*model, edit);
        Kept kept({block, signal});
        model->forward(two, {}, {.observer = &kept});
        ASSERT_EQ(kept.times, 1) << edit;
        ASSERT_EQ(kept.shown.sizes(), plain.shown.sizes()) << edit;
        EXPECT_TRUE(kept.shown.narrow(0, 3, 3).select(2, 1).eq(0.25).all().item<bool>()) << edit;
        EXPECT_LT(most((kept.shown - plain.shown).narrow(0, 0, 3)), 1e-12) << edit;
    }
}

/// An editor of a pass comes first, so that the edits hold whatever it does.
TEST(TouchedPasses, HoldUnderAnEditorOfAPass)
{
    const at::NoGradGuard guard;
    auto model = modelOverClasses("lstm", kWidth);
    const ModelInput one = sideBySide(someClasses(9), *model, 1);
    const auto touched = touch(*model, "lstm.h[2] = 0.5");
    const at::Tensor held = model->forward(one, {}, {}).prediction;
    const auto under = [&](const std::string& edit) {
        EditsEditor editor(*model, parseEdits(edit).value(), 0);
        const EditedRun run{.editor = &editor, .start = {}, .first = 0, .last = 9};
        EXPECT_TRUE(tryEdits(*model, one, run));
        return model->forward(one, {}, {.editor = &editor}).prediction;
    };
    EXPECT_TRUE(at::equal(under("lstm.h[2] = -3"), held));
    EXPECT_GT(most(under("lstm.h[3] = -3") - held), 1e-6);
}

Graph overMasked(const std::string& block, const Params& params)
{
    return makeGraph({makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding", {{"width", kWidth}}),
                      makeNode(3, block, block, params), makeNode(4, "head", "head")},
                     {{{1, "tokens"}, {2, "tokens"}},
                      {{2, "y"}, {3, "x"}},
                      {{1, "mask"}, {3, "mask"}},
                      {{3, "y"}, {4, "x"}},
                      {{1, "targets"}, {4, "targets"}}});
}

/// Two sequences of 7 and 4 steps.
ModelInput sevenAndFour(const Model& model)
{
    ModelInput both = sideBySide(someClasses(7), model, 2);
    both.mask = at::ones({7, 2}, at::kBool);
    both.mask.narrow(0, 4, 3).select(1, 1).fill_(false);
    return both;
}

/// Sequences of different lengths side by side are what each is alone.
TEST(TouchedPasses, GoByTheMask)
{
    const at::NoGradGuard guard;
    for (const std::string block : {"lstm", "gru", "mingru", "sru"}) {
        auto model = buildModel(overMasked(block, block == "sru" ? Params{} : Params{{"units", kWidth}}));
        const std::string state = block == "sru" ? "c" : "h";
        const auto touched = touch(*model, block + "." + state + "[1] *= 0.5");
        const ModelInput both = sevenAndFour(*model);
        const ModelOutput padded = model->forward(both, {}, {});
        for (const std::int64_t which : {0, 1}) {
            const std::int64_t steps = which == 0 ? 7 : 4;
            const ModelOutput alone = model->forward({.tokens = both.tokens.narrow(0, 0, steps).narrow(1, which, 1),
                                                      .targets = {},
                                                      .mask = {},
                                                      .features = {}},
                                                     {}, {});
            EXPECT_LT(most(padded.prediction.narrow(0, 0, steps).narrow(1, which, 1) - alone.prediction), 1e-12)
                << block;
            EXPECT_LT(most(padded.states.at(block)[0].narrow(0, which, 1) - alone.states.at(block)[0]), 1e-12) << block;
        }
    }
}

/// At masked steps an output is 0, that of the last real step, or read from the held state as by a network that nobody
/// touches. A GRU's output is its state; those of QRNN and SRU also depend on the masked step's x.
TEST(TouchedPasses, GiveAtMaskedStepsWhatTheRuleSays)
{
    const at::NoGradGuard guard;
    for (const std::string block : {"gru", "qrnn", "sru"})
        for (const std::string rule : {"zero", "hold", "read"}) {
            const Graph graph = overMasked(block, {{"units", kWidth}, {"masked_output", rule}});
            auto model = buildModel(graph), untouched = buildModel(graph);
            const auto touched = touch(*model, block + (block == "gru" ? ".h" : ".c") + "[1] *= 0.5");
            const ModelInput both = sevenAndFour(*model);
            const at::Tensor over = model->forward(both, {}, {}).prediction.select(1, 1);
            const auto shorter = [&](std::int64_t from, std::int64_t count) {
                const auto part = [&](const at::Tensor& all) { return all.narrow(0, from, count).narrow(1, 1, 1); };
                return ModelInput{.tokens = part(both.tokens), .targets = {}, .mask = part(both.mask), .features = {}};
            };
            const States held = model->forward(shorter(0, 4), {}, {}).states;
            const at::Tensor last = over[3].expand({3, -1});
            const at::Tensor right =
                rule == "hold" ? last : untouched->forward(shorter(4, 3), held, {}).prediction.select(1, 0);
            EXPECT_LT(most(over.narrow(0, 4, 3) - right), 1e-12) << block << " " << rule;
            const bool repeats = rule == "hold" || (rule == "read" && block == "gru");
            EXPECT_EQ(most(over.narrow(0, 4, 3) - last) < 1e-9, repeats) << block << " " << rule;
        }
}

} // namespace
} // namespace unroll::touched_passes
