// SPDX-License-Identifier: GPL-3.0-or-later
// The check with the blocks that there are. What a block computes is tested with the block; here it is that no spec is
// ill formed and that none overflows or breaks whatever its parameters and inputs are.
#include "core/block/test_specs.h"
#include "core/check/check.h"
#include "core/check/ports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace unroll {
namespace {

constexpr std::int64_t kAbsurd[] = {-1,
                                    0,
                                    1,
                                    3,
                                    1'000'000'000,
                                    std::int64_t{1} << 31,
                                    std::int64_t{1} << 53,
                                    std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()};

CheckOptions absurdData(std::int64_t classes)
{
    CheckOptions options;
    options.sourceFacts = [classes](const std::string&, const Params&) {
        return SourceFacts{.classes = classes, .steps = 64, .inputs = classes, .targets = classes, .shares = true};
    };
    options.batch = 12;
    return options;
}

const PortSpec* portOf(const std::vector<PortSpec>& ports, PortType type)
{
    auto found = std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.type == type; });
    return found == ports.end() ? nullptr : &*found;
}

/// The block with every input that a data block and what reads it can feed: an embedding, or a linear layer where
/// targets are numbers.
Graph fed(const BlockRegistry& blocks, const BlockSpec& spec, Params params)
{
    const bool numbers = portOf(spec.inputs, PortType::TargetValues) != nullptr;
    const std::string data = numbers ? "series" : "text";
    testing_specs::GraphMaker maker;
    maker.node(data, "data")
        .node(numbers ? "linear" : "embedding", "first")
        .wire(numbers ? "data.features" : "data.tokens", numbers ? "first.x" : "first.tokens")
        .node(spec.id, "block", params);
    for (const PortSpec& port : portsWith(spec, spec.withDefaults(params)).inputs) {
        if (port.type == PortType::Sequence)
            maker.wire("first.y", "block." + port.name);
        else if (port.type == PortType::Vector)
            maker.node("pool", "pooled").wire("first.y", "pooled.x").wire("pooled.y", "block." + port.name);
        else if (const PortSpec* output = portOf(blocks.find(data)->outputs, port.type))
            maker.wire("data." + output->name, "block." + port.name);
    }
    return maker.graph();
}

TEST(CheckBlocks, SpecsAreWellFormed)
{
    const BlockRegistry blocks = allSpecs();
    EXPECT_FALSE(blocks.all().empty());
    for (const BlockSpec* spec : blocks.all())
        EXPECT_EQ(specFault(*spec), "") << spec->id;
}

TEST(CheckBlocks, DefaultsGiveEveryShape)
{
    const BlockRegistry blocks = allSpecs();
    for (const BlockSpec* spec : blocks.all()) {
        if (spec->category == Category::Group || spec->category == Category::Data)
            continue;
        const CheckedGraph result = check(fed(blocks, *spec, {}), blocks, absurdData(65));
        for (const Diagnostic& d : result.diagnostics)
            EXPECT_TRUE(d.nodeName != "block" || d.severity != Severity::Error) << spec->id << ": " << d.sentence;
        for (const PortSpec& output : portsWith(*spec, spec->withDefaults({})).outputs)
            EXPECT_NE(result.shapeAt({3, output.name}), nullptr) << spec->id << "." << output.name;
    }
}

TEST(CheckBlocks, AbsurdParametersAreRefusedOrCounted)
{
    const BlockRegistry blocks = allSpecs();
    for (const BlockSpec* spec : blocks.all())
        for (const ParamSpec& param : spec->params)
            for (const std::int64_t value : kAbsurd)
                for (const std::int64_t classes :
                     {std::int64_t{65}, std::int64_t{1} << 24, std::numeric_limits<std::int64_t>::max()}) {
                    const CheckedGraph result =
                        check(fed(blocks, *spec, {{param.name, value}}), blocks, absurdData(classes));
                    EXPECT_GE(result.cost.parameters, 0) << spec->id << "." << param.name << " = " << value;
                    EXPECT_GE(result.trainingBytes, 0) << spec->id << "." << param.name << " = " << value;
                }
}

} // namespace
} // namespace unroll
