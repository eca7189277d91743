// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_source.h"

#include "core/export/python_names.h"
#include "core/export/python_parts.h"
#include "core/export/python_training.h"
#include "core/export/single_step.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace unroll {
namespace {

/// Words of a paragraph broken into lines.
std::string wrapped(const std::string& text)
{
    std::istringstream words(text);
    std::string result, line, word;
    while (words >> word) {
        if (!line.empty() && line.size() + 1 + word.size() > kPythonColumns) {
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

/// Whether save_step is there, which would be wrong without a word where later steps are read.
bool hasStep(const Experiment& experiment, const CheckedGraph& checked)
{
    return !modelPorts(checked).perSequence && noSingleStep(experiment.graph, checked).empty();
}

/// Whether the file reads and writes texts: their classes are characters.
bool writesText(const PythonNotes& notes)
{
    return !notes.alphabet.empty() && !notes.words;
}

std::string moduleDocstring(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes)
{
    const ModelPorts ports = modelPorts(checked);
    const std::string title = experiment.title.empty() ? "A recurrent network" : docText(experiment.title);
    const std::string summary = experiment.summary.empty() ? "" : wrapped(docText(experiment.summary)) + "\n\n";
    std::string text = fmt::format("\"\"\"{}\n\n{}Exported by Unroll {} after {} updates. Needs torch and nothing "
                                   "else; sequences are [T, B, width].\n\n",
                                   title, summary, notes.version, notes.step);
    text += "    python model.py --verify           compare with the numbers in golden.safetensors\n";
    if (!notes.labels.empty() && !ports.numbers)
        text += "    python model.py --label TEXT       predict the label of a text\n";
    else if (!notes.labels.empty())
        text += "    python model.py --label FILE       predict the label of a series, a step a line\n";
    else if (writesText(notes))
        text += "    python model.py --sample PROMPT    sample a text\n"
                "    python model.py --train FILE       continue training on your text\n";
    if (!notes.scales.inputs.empty() && notes.labels.empty())
        text += "    python model.py --train FILE       continue training on your CSV file\n";
    return text +
           "\n    from model import load\n"
           "    model = load()                     # weights.safetensors beside this file\n" +
           fmt::format("    loss, {}, states = model({}, targets)\n", ports.prediction, ports.input) +
           (hasStep(experiment, checked) ? "    save_step('step.pt2')              # one step, for torch.export.load\n"
                                         : "") +
           "\"\"\"\n";
}

std::string modelDocstring(const ModelPorts& ports)
{
    const std::string read = ports.numbers ? "features: [T, B, inputs]" : "tokens: int64 [T, B]";
    const std::string asked =
        ports.tellsNumbers ? "targets: [T, B, targets], NaN = not scored" : "targets: int64 [T, B], -100 = not scored";
    const std::string loss = ports.tellsNumbers ? "mean loss of a scored number" : "loss in nats per scored target";
    const std::string told = fmt::format("{} [{}B, {}]", ports.prediction, ports.perSequence ? "" : "T, ",
                                         ports.tellsNumbers ? "targets" : "classes");
    return fmt::format("    \"\"\"{}, {};\n    mask: bool [T, B], True = a real step.{}\n\n"
                       "    Gives the {} (None without targets), the {}, and the states by node:\n    pass them in "
                       "again to continue where this call ended.\n    \"\"\"\n",
                       read, asked, ports.perSequence ? " A sequence has one scored target at most." : "", loss, told);
}

std::string alphabetTable(const std::vector<std::string>& alphabet)
{
    std::vector<std::string> entries;
    for (const std::string& text : alphabet)
        entries.push_back(pythonString(text));
    return pythonCall("", "ALPHABET = ", entries) + "\n";
}

std::string labelTable(const std::vector<std::string>& labels)
{
    std::vector<std::string> entries;
    for (const std::string& text : labels)
        entries.push_back(pythonString(text));
    return pythonCall("", "LABELS = ", entries) + "\n";
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
    return "# Columns of the table: name, shift, scale. The model reads and predicts (x - shift) / scale.\n" +
           columnTable("INPUTS", scales.inputs) + columnTable("TARGETS", scales.targets) +
           fmt::format("HORIZON = {}  # rows from input to target\n", scales.horizon);
}

/// Something to try the model with.
std::string exampleFunction(const CheckedGraph& checked, const ModelPorts& ports)
{
    const Shape& input = checked.nodes.at(checked.source).outputs.at(ports.input);
    const std::string made = ports.numbers ? fmt::format("torch.zeros(steps, 1, {})", input.width)
                                           : std::string("torch.zeros(steps, 1, dtype=torch.int64)");
    return fmt::format("def example(steps=16):\n    \"\"\"An example input, time first, one sequence.\"\"\"\n"
                       "    return {}\n",
                       made);
}

bool rounds(const PythonClasses& classes)
{
    return std::any_of(classes.blocks.begin(), classes.blocks.end(),
                       [](const BlockSpec* block) { return block->straightThrough; });
}

/// The classes and functions of the blocks' references, two empty lines between them there; what several have alike
/// stands once.
void addDefinitions(PythonParts& parts, const std::vector<const BlockSpec*>& blocks)
{
    static const std::string kGap = "\n\n\n";
    for (const BlockSpec* block : blocks) {
        const PythonFile reference = pythonFile(block->referenceText);
        parts.needImports(reference.imports);
        const std::string& text = reference.body;
        for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + kGap.size()) {
            end = text.find(kGap, begin);
            parts.addOnce(end == std::string::npos ? text.substr(begin) : text.substr(begin, end - begin) + "\n");
        }
    }
}

/// What the classes call.
PythonParts partsBefore(const PythonClasses& classes)
{
    PythonParts parts;
    parts.addFile(py::here);
    addDefinitions(parts, classes.blocks);
    if (classes.carriesGroups)
        parts.addFile(py::within);
    if (classes.loops)
        parts.addFile(py::each_step);
    if (classes.beginsAtWeights)
        parts.addFile(py::begun);
    if (classes.onVectors)
        parts.addFile(py::one_each);
    return parts;
}

/// What predicts labels: of texts, or of series in the columns' own units.
void addLabels(PythonParts& parts, const PythonNotes& notes)
{
    parts.add(labelTable(notes.labels));
    if (!notes.scales.inputs.empty()) {
        parts.add("# Columns of the table: name, shift, scale. The model reads (x - shift) / scale.\n" +
                  columnTable("INPUTS", notes.scales.inputs));
        parts.addFile(py::label_series);
        parts.addFile(py::main_label_series);
        return;
    }
    if (!notes.alphabet.empty())
        parts.add(alphabetTable(notes.alphabet));
    parts.addFile(notes.words ? py::encode_words : notes.alphabet.empty() ? py::encode_bytes : py::encode_characters);
    parts.addFile(py::label_text);
    parts.addFile(py::main_label_text);
}

/// What goes on with the data of the run, and the command line.
void addData(PythonParts& parts, const PythonNotes& notes)
{
    if (!notes.labels.empty()) {
        addLabels(parts, notes);
    } else if (writesText(notes)) {
        parts.add(alphabetTable(notes.alphabet));
        parts.addFile(py::text);
        parts.addFile(py::main_text);
    } else if (!notes.scales.inputs.empty()) {
        parts.add(columnTables(notes.scales));
        parts.addFile(py::series);
        parts.addFile(py::main_series);
    } else {
        parts.addFile(py::main_verify);
    }
}

/// What loads, verifies, trains and writes with the model.
PythonParts partsAfter(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes,
                       bool rounded)
{
    const ModelPorts ports = modelPorts(checked);
    const PythonWords words{{"model_input", ports.input}, {"model_prediction", ports.prediction}};
    PythonParts parts;
    parts.addFile(py::load);
    parts.add(exampleFunction(checked, ports));
    parts.addFile(py::golden_inputs, words);
    parts.addFile(rounded ? py::golden_values_rounded : py::golden_values, words);
    parts.addFile(py::verify);
    if (hasStep(experiment, checked))
        parts.addFile(py::step_program, words);
    addTraining(parts, experiment, checked, words);
    addData(parts, notes);
    return parts;
}

} // namespace

Result<std::string> pythonSource(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes)
{
    // Twice: which blocks are used decides what stands around the classes, and what stands there takes names from them.
    const auto writeClasses = [&](std::set<std::string> taken) {
        return pythonClasses(experiment.graph, checked, "Model", modelDocstring(modelPorts(checked)), std::move(taken));
    };
    const auto used = writeClasses({});
    if (!used)
        return tl::unexpected(used.error());
    PythonParts before = partsBefore(*used), after = partsAfter(experiment, checked, notes, rounds(*used));
    std::set<std::string> imports = before.imports();
    imports.insert(after.imports().begin(), after.imports().end());
    const std::string head = importBlock(imports) + "\n" + before.joined(), tail = after.joined();
    const auto classes = writeClasses(pythonGlobals(head + "\n" + tail));
    if (!classes)
        return tl::unexpected(classes.error());
    return moduleDocstring(experiment, checked, notes) + "\n" + head + "\n\n" + classes->text + "\n\n" + tail;
}

} // namespace unroll
