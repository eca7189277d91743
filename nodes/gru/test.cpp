// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

namespace unroll::nodes {

TEST(Gru, OtherConventionsAreNamedAndRefused)
{
    contract::BlockCase made = contract::casesOf("gru").front();
    for (const char* convention : {"reset_before", "reset_before_inverted_z"}) {
        made.params["convention"] = std::string(convention);
        const auto diagnostics = contract::infer(made).diagnostics;
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics.front().where, "convention");
        EXPECT_EQ(diagnostics.front().severity, Severity::Error);
        EXPECT_TRUE(diagnostics.front().fix.has_value());
    }
}

} // namespace unroll::nodes
