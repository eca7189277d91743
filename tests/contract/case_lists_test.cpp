// SPDX-License-Identifier: GPL-3.0-or-later
// The cases themselves: what is drawn for a block stays as it is when its spec grows.
#include "tests/contract/block_case.h"

#include <set>

namespace unroll::contract {
namespace {

using MixturesOf = ::testing::TestWithParam<std::string>;

TEST_P(MixturesOf, AParameterMoreChangesNoOtherDraw)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const Params usual = spec.withDefaults({});
    for (std::size_t left = 0; left < spec.params.size(); ++left)
        for (std::uint32_t number = 0; number < 8; ++number) {
            std::vector<ParamSpec> fewer = spec.params;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left));
            Params all = mixed(spec.params, usual, {spec.id, 4, number});
            all[spec.params[left].name] = usual.at(spec.params[left].name);
            EXPECT_EQ(mixed(fewer, usual, {spec.id, 4, number}), all) << spec.params[left].name;
        }
}

INSTANTIATE_TEST_SUITE_P(Blocks, MixturesOf, ::testing::ValuesIn(computingBlocks()), blockName);

/// Eight mixtures of each block: what cells give at masked steps is among them in every way.
TEST(Mixtures, HaveEveryChoiceOfMaskedSteps)
{
    std::set<std::string> met;
    for (const std::string& block : recurrentBlocks())
        for (std::uint32_t number = 0; number < 8; ++number) {
            const BlockSpec& spec = *registry().find(block);
            const Params params = mixed(spec.params, spec.withDefaults({}), {spec.id, 4, number});
            if (const auto rule = params.find("masked_output"); rule != params.end())
                met.insert(std::get<std::string>(rule->second));
        }
    EXPECT_EQ(met, (std::set<std::string>{"hold", "read", "zero"}));
}

} // namespace
} // namespace unroll::contract
