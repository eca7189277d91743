// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_look.h"

#include "tests/support/model_over_classes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace unroll {
namespace {

using ::testing::HasSubstr;
using testing::modelOverClasses;
using testing::someClasses;
using testing::weightOf;

constexpr std::int64_t kUnitsSeen = 6;

Result<ProbeFrame> lookedUnder(Model& model, const std::string& edits, std::vector<WatchedSignal> watched,
                               std::int64_t steps = 13)
{
    return editedLook(model, nullptr, someClasses(steps), {std::move(watched), false, true}, 5,
                      parseEdits(edits).value());
}

ProbeFrame untouched(Model& model, std::vector<WatchedSignal> watched, std::int64_t steps = 13)
{
    return look(model, someClasses(steps), {std::move(watched), false, true}, 5);
}

TEST(EditedLook, ShowsThePinnedUnitAndWhatFollowsFromIt)
{
    for (const std::string block : {"rnn", "lstm", "gru", "mingru"}) {
        auto model = modelOverClasses(block, kUnitsSeen);
        const auto seen = lookedUnder(*model, block + ".h[2] = 0.75 from 5", {{block, "h"}});
        ASSERT_TRUE(seen) << block << ": " << seen.error().text();
        const ProbeFrame plain = untouched(*model, {{block, "h"}});
        const SignalFrame &with = seen->signalFrames.at(0), &without = plain.signalFrames.at(0);
        ASSERT_EQ(with.values.size(), without.values.size());
        std::int64_t others = 0;
        for (std::int64_t t = 0; t < with.steps; ++t)
            for (std::int64_t unit = 0; unit < kUnitsSeen; ++unit) {
                const auto i = static_cast<std::size_t>(t * kUnitsSeen + unit);
                if (t < 4)
                    EXPECT_EQ(with.values[i], without.values[i]) << block << " before the edit, to the bit";
                else if (unit == 2)
                    EXPECT_EQ(with.values[i], 0.75f) << block << " step " << t;
                else if (t > 4)
                    others += with.values[i] != without.values[i];
            }
        const bool apart = block == "mingru"; // its units go on each by itself
        EXPECT_TRUE(others > 0 || apart) << block << ": later states of other units follow";
        EXPECT_EQ(with.look, without.look);
        EXPECT_EQ(seen->step, 5);
        ASSERT_EQ(seen->answers.size(), plain.answers.size());
        EXPECT_EQ(seen->answers[3].loss, plain.answers[3].loss);
        EXPECT_NE(seen->answers[5].loss, plain.answers[5].loss);
    }
}

/// Every signal of a node that is changed inside can be seen, those that its block does not show then too.
TEST(EditedLook, ShowsAllSignalsOfANodeThatIsChangedInside)
{
    const std::map<std::string, std::vector<std::string>> known{{"lstm", {"h", "c", "i", "f", "g", "o"}},
                                                                {"gru", {"h", "r", "z", "n"}},
                                                                {"mingru", {"h", "z", "c"}},
                                                                {"qrnn", {"c", "z", "f", "o"}},
                                                                {"sru", {"c", "f", "r"}}};
    for (const auto& [block, signals] : known) {
        auto model = modelOverClasses(block, kUnitsSeen);
        std::vector<WatchedSignal> watched;
        for (const std::string& signal : signals)
            watched.push_back({block, signal});
        for (const std::string& signal : signals) {
            const std::string edit = block + "." + signal + "[1] = 0.25 at 4..6";
            const auto seen = lookedUnder(*model, edit, watched);
            ASSERT_TRUE(seen) << edit << ": " << seen.error().text();
            const ProbeFrame plain = untouched(*model, watched);
            ASSERT_EQ(seen->signalFrames.size(), plain.signalFrames.size()) << edit;
            for (const SignalFrame& frame : seen->signalFrames)
                for (std::int64_t t = 3; t <= 5 && frame.signal == signal; ++t)
                    EXPECT_EQ(frame.values[static_cast<std::size_t>(t * kUnitsSeen + 1)], 0.25f) << edit << t;
        }
    }
}

/// Zeroing an output is zeroing the column that reads it.
TEST(EditedLook, AnswersAsTheNetworkWithThatWeightDoes)
{
    auto model = modelOverClasses("lstm", kUnitsSeen);
    const auto seen = lookedUnder(*model, "lstm.y[1] = 0", {});
    ASSERT_TRUE(seen) << seen.error().text();
    const at::NoGradGuard guard;
    weightOf(*model, "head.weight").select(1, 1).zero_();
    const ProbeFrame byHand = untouched(*model, {});
    ASSERT_EQ(seen->answers.size(), byHand.answers.size());
    for (std::size_t t = 0; t + 1 < byHand.answers.size(); ++t) {
        EXPECT_NEAR(seen->answers[t].loss, byHand.answers[t].loss, 1e-12) << t;
        EXPECT_EQ(seen->answers[t].came, byHand.answers[t].came);
    }
}

TEST(EditedLook, WithoutEffectIsTheLookItself)
{
    auto model = modelOverClasses("gru", kUnitsSeen, {}, at::kFloat);
    for (const std::string edits : {"gru.h *= 1", "gru.h = 0 from 100", "gru.y += 0 at 3"}) {
        const auto seen = lookedUnder(*model, edits, {{"gru", "h"}, {"gru", "z"}});
        ASSERT_TRUE(seen) << edits << ": " << seen.error().text();
        const ProbeFrame plain = untouched(*model, {{"gru", "h"}, {"gru", "z"}});
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_EQ(seen->signalFrames.at(i).values, plain.signalFrames.at(i).values) << edits;
        for (std::size_t t = 0; t + 1 < plain.answers.size(); ++t)
            EXPECT_EQ(seen->answers[t].loss, plain.answers[t].loss) << edits;
    }
}

TEST(EditedLook, SaysWhatCannotBeEdited)
{
    auto model = modelOverClasses("gru", kUnitsSeen);
    EXPECT_THAT(lookedUnder(*model, "nobody.h = 0", {}).error().text(), HasSubstr("no node nobody"));
    EXPECT_THAT(lookedUnder(*model, "gru.h[9] = 0", {}).error().text(), HasSubstr("there is no unit 9"));
    EXPECT_THAT(lookedUnder(*model, "start \"ab\"", {}).error().text(), HasSubstr("needs data that is text"));
}

} // namespace
} // namespace unroll
