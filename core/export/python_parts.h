// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Files of core/export/python/, each of which is a part of model.py: python/load.py is py::load. Where they say
/// model_input and model_prediction, model.py has the names of ModelPorts.
namespace py {
extern const char* const here;                  ///< HERE: the folder of the file
extern const char* const within;                ///< states of one copy of a group
extern const char* const each_step;             ///< the steps of sequences, for loops
extern const char* const begun;                 ///< begun, moved: states of cells that begin from learned numbers
extern const char* const one_each;              ///< targets of which a sequence has one
extern const char* const load;                  ///< read_safetensors, load
extern const char* const golden_inputs;         ///< golden_inputs: what one chunk of them gives Model.forward
extern const char* const golden_values;         ///< golden_values: what the model makes of the golden inputs
extern const char* const golden_values_rounded; ///< the same for models that round, with the golden run's roundings
extern const char* const verify;                ///< verify against golden.safetensors
extern const char* const step_program;          ///< save_step: one step as a program of torch.export
extern const char* const
    training; ///< learning_rate, make_optimizer, train; reads TRAINING and RULES, calls update_rule of the optimiser
extern const char* const penalties;   ///< add_penalties, which train calls; reads PENALTIES
extern const char* const constraints; ///< constrain, which train calls; reads CONSTRAINTS
extern const char* const text;        ///< encode, decode, sample, text_batches; reads ALPHABET
extern const char* const
    series; ///< read_columns, normalise, restore, series_batches; reads INPUTS, TARGETS and HORIZON
extern const char* const encode_characters; ///< encode: reads ALPHABET
extern const char* const encode_words;      ///< likewise, of words
extern const char* const encode_bytes;      ///< the same without one
extern const char* const label_text;        ///< label: of a text; reads LABELS, calls encode
extern const char* const label_series;      ///< normalise, label, read_series: of a series; reads INPUTS and LABELS

// The command line of model.py. Each verifies; some do more.
extern const char* const main_verify;       ///< nothing else
extern const char* const main_text;         ///< samples and trains, with text
extern const char* const main_series;       ///< trains, with numbers
extern const char* const main_label_text;   ///< predicts labels of texts
extern const char* const main_label_series; ///< predicts labels of series

// What loads an export, core/export/python/loading/, of each format; "exported" stands for its path.
extern const char* const load_python;
extern const char* const load_safetensors;
extern const char* const load_npz;
extern const char* const load_torch;
extern const char* const load_step;
extern const char* const load_onnx;
} // namespace py

/// A Python file, taken apart.
struct PythonFile {
    std::vector<std::string> imports; ///< lines; none of files beside it ("from .load import load")
    std::string body;                 ///< without licence line, module docstring, imports, empty lines at both ends
};
PythonFile pythonFile(const std::string& text);

/// Words of a file and what model.py has in their place.
using PythonWords = std::vector<std::pair<std::string, std::string>>;

/// Parts of model.py in their order, and what they import.
class PythonParts {
public:
    /// A text that ends with a newline.
    void add(std::string text) { m_parts.push_back(std::move(text)); }
    /// A file, without what a joined one has once.
    void addFile(const char* text, const PythonWords& words = {});
    /// A definition that stands here once, however often it is added.
    void addOnce(const std::string& text);
    void needImports(const std::vector<std::string>& lines) { m_imports.insert(lines.begin(), lines.end()); }

    const std::set<std::string>& imports() const { return m_imports; }
    /// Two empty lines between them.
    std::string joined() const;

private:
    std::vector<std::string> m_parts;
    std::set<std::string> m_imports;
};

/// Import lines: the standard library, an empty line, torch.
std::string importBlock(const std::set<std::string>& lines);

} // namespace unroll
