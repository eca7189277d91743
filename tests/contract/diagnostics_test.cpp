// SPDX-License-Identifier: GPL-3.0-or-later
// A user's mistakes come back as diagnostics at the node and parameter, and nothing that the check lets through fails
// to build.
#include "core/check/ports.h"
#include "core/model/model.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

namespace unroll::contract {

namespace {

class Mistakes : public ::testing::TestWithParam<std::string> {};

/// Values a parameter must not take.
std::vector<ParamValue> badValues(const ParamSpec& param)
{
    std::vector<ParamValue> bad;
    const bool integer = param.type == ParamType::Int;
    const auto number = [&](double value) {
        return integer ? ParamValue(static_cast<std::int64_t>(value)) : ParamValue(value);
    };
    if (param.minimum)
        bad.push_back(number(*param.minimum - 1));
    if (param.maximum)
        bad.push_back(number(*param.maximum + 1));
    if (param.type == ParamType::Choice)
        bad.emplace_back(std::string("no such choice"));
    if (param.type == ParamType::Bool)
        bad.emplace_back(std::string("perhaps"));
    if (integer || param.type == ParamType::Real)
        bad.emplace_back(std::string("many"));
    if (param.type == ParamType::Text || param.type == ParamType::Path)
        bad.emplace_back(std::int64_t{3});
    return bad;
}

/// A batch of two sequences for the graph's data.
ModelInput someInput(const CheckedGraph& checked)
{
    const auto& outputs = checked.nodes.at(checked.source).outputs;
    at::Generator random = generatorOf(2);
    if (const auto features = outputs.find("features"); features != outputs.end()) {
        const at::Tensor read = at::randn({6, 2, features->second.width}, random, at::kFloat);
        const Shape& targets = outputs.at("targets");
        const at::Tensor asked = targets.type == PortType::Targets
                                     ? at::randint(0, targets.classes, {6, 2}, random, at::kLong)
                                     : at::randn({6, 2, targets.width}, random, at::kFloat);
        return {.tokens = {}, .targets = asked, .mask = read.select(-1, 0).lt(1), .features = read};
    }
    const std::int64_t classes = outputs.at("tokens").classes;
    const at::Tensor tokens = at::randint(0, classes, {6, 2}, random, at::kLong);
    return {tokens, tokens.flip({0}).remainder(outputs.at("targets").classes), tokens.lt(classes - 1)};
}

std::vector<Diagnostic> errorsAt(const CheckedGraph& checked, const std::string& where)
{
    std::vector<Diagnostic> found;
    for (const Diagnostic& diagnostic : checked.diagnostics)
        if (diagnostic.severity == Severity::Error && diagnostic.node == kMiddle && diagnostic.where == where)
            found.push_back(diagnostic);
    return found;
}

} // namespace

TEST_P(Mistakes, InAParameterAreSaidOfThatParameter)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const ParamSpec& param : spec.params)
        for (const ParamValue& bad : badValues(param)) {
            const auto checked = checkAround(graphAround(spec.id, {{param.name, bad}}));
            EXPECT_FALSE(checked.runnable()) << param.name;
            const auto errors = errorsAt(checked, param.name);
            ASSERT_FALSE(errors.empty()) << param.name;
            EXPECT_THAT(errors.front().sentence, ::testing::HasSubstr(param.name));
        }
}

TEST_P(Mistakes, AreNotFoundInTheDefaults)
{
    const auto checked = checkAround(graphAround(GetParam(), {}));
    for (const Diagnostic& diagnostic : checked.diagnostics)
        EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
}

TEST_P(Mistakes, LeaveNothingThatChecksButDoesNotBuildAndRun)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const ParamSpec& param : spec.params)
        for (const auto& [choice, explanation] : param.choices) {
            const Graph graph = graphAround(spec.id, {{param.name, choice}}, true);
            const auto checked = checkAround(graph);
            if (!checked.runnable()) {
                EXPECT_FALSE(errorsAt(checked, param.name).empty()) << choice;
                continue;
            }
            auto model = Model::build(graph, checked, registry(), builders(), 1);
            ASSERT_TRUE(model) << choice;
            at::Generator dropout = generatorOf(3);
            const at::Tensor loss =
                (*model)->forward(someInput(checked), {}, {.training = true, .dropout = &dropout}).loss;
            EXPECT_TRUE(loss.isfinite().item<bool>()) << choice;
        }
}

TEST_P(Mistakes, OfLeavingAnInputFreeAreSaidOfThatInput)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const PortSpec& port : portsWith(spec, spec.withDefaults({})).inputs) {
        if (port.optional)
            continue;
        Graph graph = graphAround(spec.id, {});
        std::erase_if(graph.wires, [&](const Wire& wire) { return wire.to == PortRef{kMiddle, port.name}; });
        EXPECT_FALSE(errorsAt(checkAround(graph), port.name).empty()) << port.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Mistakes, ::testing::ValuesIn(blocksWhere([](const BlockSpec& spec) {
                             return spec.category != Category::Group;
                         })),
                         blockName);

/// As Python writes it.
std::string pythonText(const ParamValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "True" : "False";
    if (const auto* text = std::get_if<std::string>(&value))
        return '"' + *text + '"';
    return paramText(value);
}

/// What the constructor in a reference.py gives a parameter by itself; empty where it has none of that name.
std::string pythonDefault(const BlockSpec& spec, const std::string& param)
{
    const std::string& reference = spec.referenceText;
    const std::size_t begin = reference.find("def __init__(", reference.find("class " + spec.pythonClass + "("));
    const std::size_t end = reference.find("):", begin);
    const std::string signature = reference.substr(begin, end - begin) + ",";
    const std::size_t found = signature.find(" " + param + "=");
    if (found == std::string::npos)
        return "";
    const std::size_t value = found + param.size() + 2;
    return signature.substr(value, signature.find(',', value) - value);
}

class SpecText : public ::testing::TestWithParam<std::string> {};
class RecurrentText : public SpecText {};
class PythonText : public SpecText {};

TEST_P(SpecText, IsThere)
{
    const BlockSpec& spec = *registry().find(GetParam());
    EXPECT_FALSE(spec.title.empty());
    EXPECT_TRUE(spec.summary.ends_with('.')) << spec.summary;
    EXPECT_FALSE(spec.provenance.empty());
    EXPECT_GE(spec.helpText.size(), 200u) << "help.md";
    for (const ParamSpec& param : spec.params)
        EXPECT_TRUE(param.help.ends_with('.')) << param.name;
    for (const SignalSpec& signal : spec.signalSpecs) {
        EXPECT_TRUE(signal.help.ends_with('.')) << signal.name;
        EXPECT_TRUE(!signal.limit || !signal.limit->sentence.empty())
            << signal.name << " says nothing when it is passed";
    }
    for (const auto* ports : {&spec.inputs, &spec.outputs})
        for (const PortSpec& port : *ports)
            EXPECT_TRUE(port.help.ends_with('.')) << port.name;
}

/// Equations stand in the inspector, where a longer line would be cut off.
TEST_P(SpecText, HasEquationsThatFitTheInspector)
{
    std::istringstream help(registry().find(GetParam())->helpText);
    for (std::string line; std::getline(help, line);) {
        const auto letters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
        EXPECT_TRUE(!line.starts_with("    ") || letters <= 4 + 44) << line;
    }
}

/// Where a block comes from stands below its help: papers told there are not told again above.
TEST_P(SpecText, NamesItsPapersOnce)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const std::regex paper("\\d{4}\\.\\d{5}|[^ ]+ (19|20)\\d\\d"); // an arXiv number; the last author and the year
    for (auto at = std::sregex_iterator(spec.provenance.begin(), spec.provenance.end(), paper);
         at != std::sregex_iterator(); ++at)
        EXPECT_EQ(spec.helpText.find(at->str()), std::string::npos) << at->str() << " is told twice";
}

TEST_P(RecurrentText, SaysWhichPathTrainingTakes)
{
    for (const BlockCase& made : casesOf(GetParam()))
        EXPECT_FALSE(made.spec->trainingPath(made.params, made.inputs).empty()) << made.text();
}

TEST_P(PythonText, AgreesOnNamesAndDefaults)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const auto mentions = [&](const std::string& word) { return spec.referenceText.find(word) != std::string::npos; };
    EXPECT_TRUE(mentions("class " + spec.pythonClass + "("));
    for (const ParamSpec& param : spec.params) {
        const std::string given = pythonDefault(spec, param.name);
        if (!param.computes) {
            EXPECT_EQ(given, "") << param.name << " is no argument of what is given trained weights";
            continue;
        }
        ASSERT_FALSE(given.empty()) << param.name;
        if (const auto* number = std::get_if<double>(&param.defaultValue))
            EXPECT_EQ(std::stod(given), *number) << param.name;
        else
            EXPECT_EQ(given, pythonText(param.defaultValue)) << param.name;
    }
    for (const DimensionSpec& dimension : spec.dimensions)
        EXPECT_TRUE(mentions(dimension.name)) << dimension.name;
}

INSTANTIATE_TEST_SUITE_P(Blocks, SpecText, ::testing::ValuesIn(blocksWhere([](const BlockSpec&) { return true; })),
                         blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, RecurrentText, ::testing::ValuesIn(recurrentBlocks()), blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, PythonText, ::testing::ValuesIn(blocksWhere([](const BlockSpec& spec) {
                             return !spec.pythonClass.empty();
                         })),
                         blockName);

} // namespace unroll::contract
