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

std::string moduleDocstring(const Experiment& experiment, const PythonNotes& notes)
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
    return text + "\n    from model import load\n"
                  "    model = load()                     # weights.safetensors beside this file\n"
                  "    loss, logits, states = model(tokens, targets)\n\"\"\"\n";
}

std::string modelDocstring()
{
    return "    \"\"\"tokens, targets: int64 [T, B], targets -100 = not scored; mask: bool [T, B], True = a real "
           "step.\n\n"
           "    Gives the loss in nats per scored target (None without targets), the logits [T, B, classes], and the "
           "states by node:\n"
           "    passed in again, they go on where this call ended.\n    \"\"\"\n";
}

void collectExceptions(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                       std::vector<std::string>& lines);

/// The rules that one node's spec has for its weights, as entries of RULES.
void nodeExceptions(const CheckedNode& checked, const Node& node, const std::string& prefix,
                    std::vector<std::string>& lines)
{
    if (node.group) {
        const bool copies = node.group->repeat > 1 && !node.group->sharedWeights;
        for (std::int64_t copy = 1; copy <= (copies ? node.group->repeat : 1); ++copy)
            collectExceptions(*checked.inner, *node.group->graph,
                              prefix + node.name + (copies ? fmt::format(".{}.", copy) : std::string(".")), lines);
        return;
    }
    for (const WeightRule& rule : checked.spec->weightRules) {
        const std::string decays = !rule.decay ? "None" : pythonLiteral(*rule.decay);
        lines.push_back(fmt::format("{}: ({}, {}, {})",
                                    pythonString(pythonWeightName(prefix + node.name + "." + rule.name)), decays,
                                    pythonLiteral(rule.learningRateScale), pythonString(rule.clipGroup)));
    }
}

void collectExceptions(const CheckedGraph& checked, const Graph& graph, const std::string& prefix,
                       std::vector<std::string>& lines)
{
    for (NodeId id : checked.order)
        nodeExceptions(checked.nodes.at(id), *graph.find(id), prefix, lines);
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
    collectExceptions(checked, experiment.graph, "", exceptions);
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
    auto classes = pythonClasses(experiment.graph, checked, "Model", modelDocstring());
    if (!classes)
        return tl::unexpected(classes.error());
    const auto& blocks = classes->blocks;
    const bool rounds =
        std::any_of(blocks.begin(), blocks.end(), [](const BlockSpec* block) { return block->straightThrough; });
    std::vector<std::string> parts{moduleDocstring(experiment, notes) + "\n" + kPythonImports +
                                   (rounds ? kPythonRoundingImport : "") + kPythonHere};
    for (const BlockSpec* block : classes->blocks)
        parts.push_back(withoutPreamble(block->referenceText));
    if (classes->carriesGroups)
        parts.push_back(kPythonWithin);
    parts.push_back(classes->text);
    parts.push_back(kPythonSafetensors);
    parts.push_back(rounds ? kPythonGoldenValuesRounded : kPythonGoldenValues);
    parts.push_back(kPythonVerify);
    parts.push_back(trainingTable(experiment, checked));
    parts.push_back(kPythonTraining);
    if (!notes.alphabet.empty()) {
        parts.push_back(alphabetTable(notes.alphabet));
        parts.push_back(kPythonText);
    }
    parts.push_back(notes.alphabet.empty() ? kPythonMain : kPythonTextMain);
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : "\n\n") + part;
    return text;
}

} // namespace unroll
