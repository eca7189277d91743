// SPDX-License-Identifier: GPL-3.0-or-later
// Every block has an icon of its own, and all are of one family: one grid, one stroke, the colour of whoever draws
// them.
#include "tests/contract/block_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

namespace unroll::contract {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Icon : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> allBlocks()
{
    return blocksWhere([](const BlockSpec&) { return true; });
}

} // namespace

TEST_P(Icon, IsOfTheFamily)
{
    const std::string& icon = registry().find(GetParam())->iconText;
    EXPECT_THAT(icon,
                StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\" width=\"16\" height=\"16\" "
                           "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.4\" stroke-linecap=\"round\" "
                           "stroke-linejoin=\"round\">\n"))
        << "nodes/" << GetParam() << "/icon.svg";
    const std::string drawn = icon.substr(icon.find('>'));
    EXPECT_THAT(drawn, Not(HasSubstr("stroke-width")));
    const std::regex color("(fill|stroke)=\"(?!currentColor\"|none\")|style=|#[0-9a-fA-F]{3}");
    EXPECT_FALSE(std::regex_search(drawn, color)) << "a colour of its own: " << drawn;
}

TEST_P(Icon, IsNoOthersIcon)
{
    for (const BlockSpec* other : registry().all())
        EXPECT_TRUE(other->id == GetParam() || other->iconText != registry().find(GetParam())->iconText) << other->id;
}

INSTANTIATE_TEST_SUITE_P(Blocks, Icon, ::testing::ValuesIn(allBlocks()), blockName);

} // namespace unroll::contract
