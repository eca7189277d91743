// SPDX-License-Identifier: GPL-3.0-or-later
// The gallery's model of characters, text that is written with and without the edit included.
#include "core/experiment/gallery.h"
#include "core/lens/probe.h"
#include "core/lens/touch/touch.h"
#include "tests/support/short_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace unroll {
namespace {

TEST(Touch, IsWithinTheTimeOfAHandAtTheMouse)
{
    const testing::BuiltRun run(loadExperiment(findExperiment("char-lstm").value().string()).value());
    const ProbeText text = makeReading(*run.data, {});
    const LensQuery query{"touch", {}, {}, {{"edit", std::string("lstm_1.h[1] = 0")}, {"write", std::int64_t{40}}}};
    const ProbeFrame seen = look(*run.model, text, needsOf({query}), 0);
    double least = 1e9; // ms of the processor, of all threads
    for (int round = 0; round < 4; ++round) {
        const std::clock_t before = std::clock();
        const auto frame = frameOf({seen, run.model.get(), run.data.get(), &text, {}}, query);
        least = std::min(least, 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
        ASSERT_EQ(frame->trouble, "");
        ASSERT_GT(dataOf<TouchData>(frame)->writtenAfter.size(), 0u);
    }
    std::printf("touch, %d steps of char-lstm, 40 tokens written: %.0f ms\n", static_cast<int>(text.steps()), least);
    EXPECT_LT(least, 600) << "200 ms on a machine with nothing else to do";
}

} // namespace
} // namespace unroll
