// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_source.h"

#include "core/export/python_names.h"
#include "core/export/python_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace unroll {
namespace {

constexpr std::size_t kColumns = 120;

bool isImport(const std::string& line)
{
    return line.rfind("import ", 0) == 0 || line.rfind("from ", 0) == 0;
}

/// Words of a paragraph broken into lines.
std::string wrapped(const std::string& text)
{
    std::istringstream words(text);
    std::string result, line, word;
    while (words >> word) {
        if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
            result += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return result + line;
}

/// Fit to stand between three double quotes.
std::string docText(std::string text)
{
    std::string safe;
    for (char c : text)
        safe += c == '\\' ? "\\\\" : c == '"' ? "'" : std::string(1, c);
    return safe;
}

std::string moduleDocstring(const Experiment& experiment, const ModelPorts& ports, const PythonNotes& notes)
{
    const std::string title = experiment.title.empty() ? "A recurrent network" : docText(experiment.title);
    const std::string summary = experiment.summary.empty() ? "" : wrapped(docText(experiment.summary)) + "\n\n";
    std::string text = fmt::format("\"\"\"{}\n\n{}Exported by Unroll {} after {} updates. Needs torch and nothing "
                                   "else; sequences are [T, B, width].\n\n",
                                   title, summary, notes.version, notes.step);
    text += "    python model.py --verify           compare with the numbers in golden.safetensors\n";
    if (!notes.alphabet.empty())
        text += "    python model.py --sample PROMPT    let it write\n"
                "    python model.py --train FILE       go on training with a text of yours\n";
    if (!notes.scales.inputs.empty())
        text += "    python model.py --train FILE       go on training with a CSV file of yours\n";
    return text +
           "\n    from model import load\n"
           "    model = load()                     # weights.safetensors beside this file\n" +
           fmt::format("    loss, {}, states = model({}, targets)\n\"\"\"\n", ports.prediction, ports.input);
}

std::string modelDocstring(const ModelPorts& ports)
{
    if (ports.numbers)
        return fmt::format("    \"\"\"features: [T, B, inputs], targets: [T, B, targets], NaN = not scored; mask: bool "
                           "[T, B], True = a "
                           "real step.\n\n"
                           "    Gives the mean loss of a scored number (None without targets), the {} [T, B, targets], "
                           "and the states by "
                           "node:\n"
                           "    passed in again, they go on where this call ended.\n    \"\"\"\n",
                           ports.prediction);
    return "    \"\"\"tokens, targets: int64 [T, B], targets -100 = not scored; mask: bool [T, B], True = a real "
           "step.\n\n"
           "    Gives the loss in nats per scored target (None without targets), the logits [T, B, classes], and the "
           "states by node:\n"
           "    passed in again, they go on where this call ended.\n    \"\"\"\n";
}

void collectExceptions(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                       const PythonAttributes& names, std::vector<std::string>& lines);

/// The rules that one node's spec has for its weights, as entries of RULES.
void nodeExceptions(const CheckedNode& checked, const Node& node, const std::string& prefix,
                    const PythonAttributes& names, std::vector<std::string>& lines)
{
    if (node.group) {
        const bool copies = node.group->repeat > 1 && !node.group->sharedWeights;
        for (std::int64_t copy = 1; copy <= (copies ? node.group->repeat : 1); ++copy)
            collectExceptions(*checked.inner, *node.group->graph,
                              prefix + node.name + (copies ? fmt::format(".{}.", copy) : std::string(".")), names,
                              lines);
        return;
    }
    for (const WeightSpec& weight : checked.spec->weightsOf(checked.params, checked.inputs)) {
        const WeightRule& rule = weight.rule;
        if (!weight.trained || rule == WeightRule{})
            continue;
        const std::string decays = !rule.decay ? "None" : pythonLiteral(*rule.decay);
        lines.push_back(fmt::format("{}: ({}, {}, {})",
                                    pythonString(names.weightName(prefix + node.name + "." + weight.name)), decays,
                                    pythonLiteral(rule.learningRateScale), pythonString(rule.clipGroup)));
    }
}

void collectExceptions(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                       const PythonAttributes& names, std::vector<std::string>& lines)
{
    for (NodeId id : checked.order)
        nodeExceptions(checked.nodes.at(id), *graph.find(id), prefix, names, lines);
}

std::string trainingTable(const Experiment& experiment, const CheckedGraph& checked)
{
    static const char* const names[] = {"optimizer",           "learning_rate", "beta1",    "beta2",       "epsilon",
                                        "weight_decay",        "momentum",      "schedule", "warmup",      "steps",
                                        "final_learning_rate", "clip",          "batch",    "accumulation"};
    std::vector<std::string> entries;
    for (const char* name : names)
        entries.push_back(fmt::format("{}={}", name, pythonLiteral(trainSetting(experiment.training, name))));
    entries.push_back(fmt::format("length={}", checked.steps));
    std::vector<std::string> exceptions;
    collectExceptions(checked, experiment.graph, "", PythonAttributes(experiment.graph), exceptions);
    return "# How the run trained.\n" + pythonCall("", "TRAINING = dict", entries) + "\n" +
           "# Weights with rules of their own: (decays or None = by dimensions, scale of the learning rate, clip "
           "group).\n" +
           fmt::format("RULES = {{{}}}\n", fmt::join(exceptions, ",\n         "));
}

std::string alphabetTable(const std::vector<std::string>& alphabet)
{
    std::vector<std::string> entries;
    for (const std::string& text : alphabet)
        entries.push_back(pythonString(text));
    return pythonCall("", "ALPHABET = ", entries) + "\n";
}

std::string columnTable(const char* name, const std::vector<ColumnScale>& scales)
{
    std::vector<std::string> entries;
    for (const ColumnScale& scale : scales)
        entries.push_back(fmt::format("({}, {}, {})", pythonString(scale.name), pythonLiteral(scale.shift),
                                      pythonLiteral(scale.scale)));
    entries.back() += ","; // one column is a tuple too
    return pythonCall("", fmt::format("{} = ", name), entries) + "\n";
}

std::string columnTables(const SeriesScales& scales)
{
    return "# Columns of the table: name, shift, scale. The model reads and tells (x - shift) / scale.\n" +
           columnTable("INPUTS", scales.inputs) + columnTable("TARGETS", scales.targets) +
           fmt::format("HORIZON = {}  # rows from what is read to what is told\n", scales.horizon);
}

/// Something to try the model with.
std::string exampleFunction(const CheckedGraph& checked, const ModelPorts& ports)
{
    const Shape& input = checked.nodes.at(checked.source).outputs.at(ports.input);
    const std::string made = ports.numbers ? fmt::format("torch.zeros(steps, 1, {})", input.width)
                                           : std::string("torch.zeros(steps, 1, dtype=torch.int64)");
    return fmt::format(
        "def example(steps=16):\n    \"\"\"Something that the model reads, time first, one sequence.\"\"\"\n"
        "    return {}\n",
        made);
}

/// With the names of this model's ways in and out.
std::string named(std::string text, const ModelPorts& ports)
{
    for (const auto& [sign, name] : {std::pair("@INPUT@", ports.input), std::pair("@PREDICTION@", ports.prediction)})
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
            text.replace(at, std::string(sign).size(), name);
    return text;
}

bool rounds(const PythonClasses& classes)
{
    return std::any_of(classes.blocks.begin(), classes.blocks.end(),
                       [](const BlockSpec* block) { return block->straightThrough; });
}

/// Imports, and what the classes call.
std::vector<std::string> partsBefore(const PythonClasses& classes, const PythonNotes& notes)
{
    std::vector<std::string> parts{std::string("import argparse\n") +
                                   (notes.scales.inputs.empty() ? "" : kPythonNumbersImport) + kPythonImports +
                                   (rounds(classes) ? kPythonRoundingImport : "") + kPythonHere};
    for (const BlockSpec* block : classes.blocks)
        parts.push_back(withoutPreamble(block->referenceText));
    if (classes.carriesGroups)
        parts.push_back(kPythonWithin);
    return parts;
}

/// What loads, verifies, trains and writes with the model.
std::vector<std::string> partsAfter(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes,
                                    bool rounded)
{
    const ModelPorts ports = modelPorts(checked);
    std::vector<std::string> parts{kPythonSafetensors,
                                   exampleFunction(checked, ports),
                                   named(kPythonGoldenInputs, ports),
                                   named(rounded ? kPythonGoldenValuesRounded : kPythonGoldenValues, ports),
                                   kPythonVerify,
                                   trainingTable(experiment, checked),
                                   named(kPythonTraining, ports)};
    if (!notes.alphabet.empty())
        parts.insert(parts.end(), {alphabetTable(notes.alphabet), kPythonText, kPythonTextMain});
    else if (!notes.scales.inputs.empty())
        parts.insert(parts.end(), {columnTables(notes.scales), kPythonNumbers, kPythonNumbersMain});
    else
        parts.emplace_back(kPythonMain);
    return parts;
}

/// Two empty lines between them.
std::string joined(const std::vector<std::string>& parts)
{
    return fmt::format("{}", fmt::join(parts, "\n\n"));
}

} // namespace

std::string withoutPreamble(const std::string& referenceText)
{
    std::istringstream lines(referenceText);
    std::string kept, line;
    bool inDocstring = false;
    while (std::getline(lines, line)) {
        if (inDocstring || (kept.empty() && line.rfind("\"\"\"", 0) == 0)) {
            const std::size_t closing = line.find("\"\"\"", inDocstring ? 0 : 3);
            inDocstring = closing == std::string::npos;
        } else if (!(line.rfind("# SPDX", 0) == 0 || isImport(line) || (kept.empty() && line.empty()))) {
            kept += line + "\n";
        }
    }
    while (kept.size() > 1 && kept[kept.size() - 2] == '\n')
        kept.pop_back();
    return kept;
}

Result<std::string> pythonSource(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes)
{
    // Twice: which blocks are used decides what stands around the classes, and what stands there takes names from them.
    const auto writeClasses = [&](std::set<std::string> taken) {
        return pythonClasses(experiment.graph, checked, "Model", modelDocstring(modelPorts(checked)), std::move(taken));
    };
    const auto used = writeClasses({});
    if (!used)
        return tl::unexpected(used.error());
    const std::vector<std::string> before = partsBefore(*used, notes);
    const std::vector<std::string> after = partsAfter(experiment, checked, notes, rounds(*used));
    const auto classes = writeClasses(pythonGlobals(joined(before) + "\n" + joined(after)));
    if (!classes)
        return tl::unexpected(classes.error());
    return moduleDocstring(experiment, modelPorts(checked), notes) + "\n" +
           joined({joined(before), classes->text, joined(after)});
}

} // namespace unroll
