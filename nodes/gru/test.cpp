// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/graph_around.h"

#include <gtest/gtest.h>

namespace unroll::nodes {

TEST(Gru, OtherConventionsAreNamedAndRefused)
{
    for (const char* convention : {"reset_before", "reset_before_inverted_z"}) {
        const Graph graph = contract::graphAround("gru", {{"convention", std::string(convention)}});
        const auto checked = contract::checkAround(graph);
        const Diagnostic& refusal = checked.diagnostics.at(0);
        EXPECT_EQ(refusal.where, "convention");
        EXPECT_EQ(refusal.severity, Severity::Error);
        ASSERT_TRUE(refusal.fix.has_value());
        EXPECT_TRUE(contract::checkAround(refusal.fix->edit.apply(graph).value()).runnable());
    }
}

} // namespace unroll::nodes
