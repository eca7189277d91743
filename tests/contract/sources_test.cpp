// SPDX-License-Identifier: GPL-3.0-or-later
// Data blocks: what they open is what their spec says.
#include "core/data/dataset.h"
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace unroll::contract {

namespace {

class Sources : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> sourceBlocks()
{
    std::vector<std::string> ids;
    for (const BlockSpec* spec : registry().all())
        if (builders().source(spec->id) != nullptr)
            ids.push_back(spec->id);
    return ids;
}

void expectWithin(const std::vector<std::int32_t>& values, std::int64_t classes, std::int64_t count)
{
    ASSERT_EQ(static_cast<std::int64_t>(values.size()), classes > 0 ? count : 0);
    for (std::int32_t value : values)
        ASSERT_TRUE(value == kIgnoredTarget || (value >= 0 && value < classes)) << value;
}

/// What the ports of the spec promise: classes on some, numbers on others.
void expectAsInferred(const std::map<std::string, Shape>& outputs, const Dataset& data)
{
    const bool numbers = outputs.count("features") > 0, values = outputs.at("targets").type == PortType::TargetValues;
    const auto labels = static_cast<std::int64_t>(data.labels().size());
    EXPECT_EQ(outputs.count("tokens"), numbers ? 0u : 1u);
    EXPECT_EQ(outputs.at(numbers ? "features" : "tokens").size(), numbers ? data.numbers().inputs : data.classes());
    EXPECT_EQ(outputs.at("targets").size(), values ? data.numbers().targets : labels > 0 ? labels : data.classes());
    EXPECT_EQ(data.classes() == 0, numbers);
    EXPECT_EQ(data.numbers().targets > 0, values);
}

SourceFacts factsOf(const Dataset& data)
{
    return {.classes = data.classes(),
            .labels = static_cast<std::int64_t>(data.labels().size()),
            .steps = data.steps(),
            .inputs = data.numbers().inputs,
            .targets = data.numbers().targets};
}

/// Classes that targets are of.
std::int64_t classesAsked(const Dataset& data)
{
    return data.labels().empty() ? data.classes() : static_cast<std::int64_t>(data.labels().size());
}

} // namespace

TEST_P(Sources, OpenWhatTheSpecInfers)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const Params params = spec.withDefaults({});
    const auto opened = builders().source(spec.id)({params, ""});
    ASSERT_TRUE(opened) << opened.error().text();
    const Dataset& data = **opened;
    const SourceFacts facts = factsOf(data);
    InferScope scope(params, {}, &facts);
    spec.infer(scope);
    EXPECT_TRUE(scope.diagnostics().empty());
    expectAsInferred(scope.outputs(), data);
    EXPECT_EQ(static_cast<std::int64_t>(data.alphabet().size()), data.classes());
    for (Split split : {Split::Train, Split::Validation}) {
        const Batch batch = data.batch(split, 0, 3, 1);
        EXPECT_TRUE(batch.steps == data.steps() || split == Split::Validation) << batch.steps;
        EXPECT_TRUE(batch.sequences == 3 || (split == Split::Validation && data.carriesState()))
            << "data with an order have their own";
        const std::int64_t cells = batch.sequences * batch.steps;
        expectWithin(batch.tokens, data.classes(), cells);
        expectWithin(batch.targets, classesAsked(data), cells);
        EXPECT_EQ(static_cast<std::int64_t>(batch.features.size()), cells * data.numbers().inputs);
        EXPECT_EQ(static_cast<std::int64_t>(batch.values.size()), cells * data.numbers().targets);
    }
}

TEST_P(Sources, HavePortsOfData)
{
    const BlockSpec& spec = *registry().find(GetParam());
    EXPECT_EQ(spec.category, Category::Data);
    EXPECT_TRUE(spec.inputs.empty());
    EXPECT_NE(spec.output("tokens") == nullptr, spec.output("features") == nullptr) << "it reads one or the other";
    ASSERT_NE(spec.output("targets"), nullptr);
    ASSERT_NE(spec.output("mask"), nullptr);
}

TEST_P(Sources, PassOnWhatIsWrongWithTheData)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const SourceFacts facts{.error = "the disk is on fire", .errorParam = ""};
    const Params params = spec.withDefaults({});
    InferScope scope(params, {}, &facts);
    spec.infer(scope);
    ASSERT_EQ(scope.diagnostics().size(), 1u);
    EXPECT_EQ(scope.diagnostics().front().sentence, "the disk is on fire");
}

namespace {

/// The block's parameters as they are, and with each one of them otherwise: at its least, switched over, each other
/// choice.
std::vector<Params> variantsOf(const BlockSpec& spec)
{
    std::vector<Params> variants{spec.withDefaults({})};
    const auto add = [&](const ParamSpec& param, ParamValue value) {
        if (value == param.defaultValue)
            return;
        variants.push_back(variants.front());
        variants.back()[param.name] = std::move(value);
    };
    for (const ParamSpec& param : spec.params) {
        if (param.type == ParamType::Int)
            add(param, static_cast<std::int64_t>(*param.minimum));
        if (const bool* flag = std::get_if<bool>(&param.defaultValue))
            add(param, !*flag);
        for (const ChoiceSpec& choice : param.choices)
            add(param, choice.value);
    }
    return variants;
}

/// One target compared with one input `later` steps on, over all that was drawn.
struct Comparison {
    std::int64_t equal = 0, other = 0;
    std::set<float> values; ///< of the targets

    bool leaks() const { return other == 0 && equal >= 50 && values.size() > 1; }
    void add(float target, float input)
    {
        if (std::isnan(target) || std::isnan(input))
            return;
        ++(target == input ? equal : other);
        values.insert(target);
    }
};

/// Numbers of the step: of classes one, NaN where nothing is asked.
std::vector<float> numbersAt(const Batch& batch, const std::vector<std::int32_t>& classes,
                             const std::vector<float>& numbers, std::size_t at)
{
    if (!classes.empty())
        return {classes[at] == kIgnoredTarget ? std::nanf("") : static_cast<float>(classes[at])};
    const std::size_t width = numbers.size() / static_cast<std::size_t>(batch.steps * batch.sequences);
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(at * width);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
}

/// How many steps later some input is always what is asked for; nothing: none is.
std::optional<std::int64_t> laterInput(const Dataset& data)
{
    constexpr std::int64_t most = 32; // steps looked ahead
    for (std::int64_t later = 1; later < std::min(most, data.steps()); ++later) {
        std::map<std::pair<std::size_t, std::size_t>, Comparison>
            comparisons; // target and input, one of each for classes
        for (std::int64_t draw = 0; draw < 6; ++draw) {
            const Batch batch = data.batch(Split::Train, draw, 4, static_cast<std::uint64_t>(draw));
            for (std::int64_t i = 0; i < (batch.steps - later) * batch.sequences; ++i) {
                const auto at = static_cast<std::size_t>(i),
                           there = at + static_cast<std::size_t>(later * batch.sequences);
                if (!batch.mask.empty() && batch.mask[there] == 0)
                    continue;
                const auto targets = numbersAt(batch, batch.targets, batch.values, at);
                const auto inputs = numbersAt(batch, batch.tokens, batch.features, there);
                for (std::size_t target = 0; target < targets.size(); ++target)
                    for (std::size_t input = 0; input < inputs.size(); ++input)
                        comparisons[{target, input}].add(targets[target], inputs[input]);
            }
        }
        for (const auto& [columns, comparison] : comparisons)
            if (comparison.leaks())
                return later;
    }
    return {};
}

} // namespace

/// Else a network that reads both ways copies what comes, and the check has nothing against it.
TEST_P(Sources, MarkTargetsThatAreReadLater)
{
    const BlockSpec& spec = *registry().find(GetParam());
    std::size_t opened = 0;
    bool leaks = false;
    for (const Params& params : variantsOf(spec)) {
        const auto data = builders().source(spec.id)({params, ""});
        if (!data || !(*data)->accepts(4))
            continue; // that value goes with others alone
        ++opened;
        const auto later = laterInput(**data);
        const SourceFacts facts = factsOf(**data);
        InferScope scope(params, {}, &facts);
        spec.infer(scope);
        if (later) {
            EXPECT_TRUE(scope.outputs().at("targets").ahead)
                << (*data)->describe() << ": what is asked for is read " << *later << " steps later";
        }
        leaks = leaks || later;
    }
    EXPECT_GT(opened, 1U);
    if (spec.id == "counting" || spec.id == "dyck" || spec.id == "text" || spec.id == "series") {
        EXPECT_TRUE(leaks) << "these are known to, or nothing was compared";
    }
}

namespace {

/// How often the sequences of some batches are asked at most, and whether one is asked at another step than its last
/// real one.
struct Asked {
    std::int64_t most = 0;
    bool before = false; ///< the last real step

    void add(const Batch& batch)
    {
        for (std::int64_t b = 0; b < batch.sequences; ++b) {
            std::int64_t times = 0, last = -1, real = -1;
            for (std::int64_t t = 0; t < batch.steps; ++t) {
                const auto at = static_cast<std::size_t>(t * batch.sequences + b);
                const auto targets = numbersAt(batch, batch.targets, batch.values, at);
                const bool asks =
                    std::any_of(targets.begin(), targets.end(), [](float target) { return !std::isnan(target); });
                times += asks;
                last = asks ? t : last;
                real = batch.mask.empty() || batch.mask[at] != 0 ? t : real;
            }
            most = std::max(most, times);
            before = before || (times > 0 && last != real);
        }
    }
};

} // namespace

/// What is pooled over a sequence is compared with the one target it has: the mark says that there is one. Where it is
/// missing there are more, unless a parameter leaves one by chance.
TEST_P(Sources, MarkTargetsThatAreAskedForOnce)
{
    const BlockSpec& spec = *registry().find(GetParam());
    std::size_t once = 0;
    for (const Params& params : variantsOf(spec)) {
        const auto data = builders().source(spec.id)({params, ""});
        if (!data || !(*data)->accepts(4) || (*data)->steps() < 2)
            continue;
        const SourceFacts facts = factsOf(**data);
        InferScope scope(params, {}, &facts);
        spec.infer(scope);
        Asked asked;
        for (std::int64_t draw = 0; draw < 6; ++draw)
            asked.add((*data)->batch(Split::Train, draw, 4, static_cast<std::uint64_t>(draw)));
        asked.add((*data)->batch(Split::Validation, 0, 4, 1));
        const bool marked = scope.outputs().at("targets").onePerSequence;
        const bool isUsual = params == spec.withDefaults({});
        EXPECT_TRUE(!marked || asked.most == 1) << (*data)->describe() << ": asked " << asked.most << " times";
        EXPECT_TRUE(marked || asked.most > 1 || !isUsual) << (*data)->describe() << ": asked once";
        EXPECT_TRUE(!marked || !asked.before) << (*data)->describe() << ": asked before the last step";
        once += marked;
    }
    if (spec.id.starts_with("labelled_") || spec.id == "parity" || spec.id == "adding" || spec.id == "induction" ||
        spec.id == "modular_arithmetic") {
        EXPECT_GT(once, 0U) << "these are known to, or nothing was looked at";
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Sources, ::testing::ValuesIn(sourceBlocks()), blockName);

} // namespace unroll::contract
