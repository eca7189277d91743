// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector greys out is without effect: a parameter that does not count changes neither weights nor numbers.
#include "tests/contract/block_case.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

class Conditions : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> conditionalBlocks()
{
    return blocksWhere([](const BlockSpec& spec) { // data have no numbers of their own: their tests say what counts
        return spec.category != Category::Data &&
               std::any_of(spec.params.begin(), spec.params.end(),
                           [](const ParamSpec& param) { return !param.when.empty(); });
    });
}

/// Another value that the parameter may have.
ParamValue otherValue(const ParamSpec& param, const ParamValue& value)
{
    if (const bool* flag = std::get_if<bool>(&value))
        return !*flag;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*whole) < *param.maximum ? *whole + 1 : *whole - 1;
    if (const double* real = std::get_if<double>(&value))
        return (*real + *param.maximum) / 2;
    const auto other = std::find_if(param.choices.begin(), param.choices.end(),
                                    [&](const ChoiceSpec& choice) { return ParamValue(choice.value) != value; });
    return other->value;
}

/// All that another parameter, a choice or a flag, can be.
std::vector<ParamValue> valuesOf(const ParamSpec& param)
{
    if (param.type == ParamType::Bool)
        return {false, true};
    std::vector<ParamValue> values;
    for (const ChoiceSpec& choice : param.choices)
        values.emplace_back(choice.value);
    return values;
}

/// A case of the block, with nothing amiss, for each choice with which the parameter does not count.
std::vector<BlockCase> casesWithout(const BlockSpec& spec, const ParamSpec& param)
{
    std::vector<BlockCase> cases;
    for (const Condition& condition : param.when)
        for (const ParamValue& value : valuesOf(*spec.param(condition.param)))
            for (BlockCase made : casesOf(spec.id)) {
                made.params[condition.param] = value;
                if (param.counts(made.params) || !made.fitsPorts() || !infer(made).diagnostics.empty())
                    continue;
                cases.push_back(std::move(made));
                break;
            }
    return cases;
}

/// How each weight of the case is trained.
std::vector<WeightRule> rulesOf(const BlockCase& blockCase)
{
    std::vector<WeightRule> rules;
    for (const WeightSpec& weight : blockCase.spec->weightsOf(blockCase.params, blockCase.inputs))
        rules.push_back(weight.rule);
    return rules;
}

} // namespace

TEST_P(Conditions, WhatDoesNotCountIsWithoutEffect)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const ParamSpec& param : spec.params) {
        if (param.when.empty())
            continue;
        const auto cases = casesWithout(spec, param);
        EXPECT_FALSE(cases.empty()) << param.name << " always counts";
        for (const BlockCase& without : cases) {
            BlockCase changed = without;
            changed.params[param.name] = otherValue(param, without.params.at(param.name));
            SCOPED_TRACE(changed.text());
            ASSERT_TRUE(infer(changed).diagnostics.empty()) << infer(changed).diagnostics.front().sentence;
            EXPECT_EQ(costOf(changed), costOf(without));
            EXPECT_EQ(rulesOf(changed), rulesOf(without));
            const auto one = build(without), other = build(changed);
            ASSERT_EQ(one->weights().size(), other->weights().size());
            for (std::size_t i = 0; i < one->weights().size(); ++i)
                EXPECT_TRUE(at::equal(one->weights()[i].tensor, other->weights()[i].tensor)) << one->weights()[i].name;
            const auto inputs = inputsOf(without, *one);
            const auto want = floats(one->forward(inputs, {})), got = floats(other->forward(inputs, {}));
            ASSERT_EQ(want.size(), got.size());
            for (std::size_t i = 0; i < want.size(); ++i)
                EXPECT_TRUE(at::equal(want[i], got[i])) << "output " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Conditions, ::testing::ValuesIn(conditionalBlocks()), blockName);

} // namespace unroll::contract
