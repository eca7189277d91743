// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// The text with every sign, "@INPUT@", replaced by what stands beside it.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& signs);

// The parts of model.py that are the same in every export, as Python text. Each ends with a newline. @INPUT@ and @PREDICTION@ stand for
// the names of ModelPorts.
extern const char* const kPythonImports;
extern const char* const kPythonRoundingImport; ///< what kPythonGoldenValuesRounded needs on top
extern const char* const kPythonNumbersImport;  ///< what kPythonNumbers needs on top
extern const char* const kPythonHere;           ///< the folder of the file, behind the imports
extern const char* const kPythonWithin;         ///< states of one copy of a group
extern const char* const kPythonEachStep;       ///< the steps of sequences, for loops
extern const char* const kPythonOneEach;        ///< targets of which a sequence has one
extern const char* const kPythonSafetensors;    ///< read_safetensors, load
extern const char* const kPythonGoldenInputs;   ///< golden_inputs: what one chunk of them gives Model.forward
extern const char* const kPythonGoldenValues;   ///< golden_values: what the model makes of the golden inputs
extern const char* const
    kPythonGoldenValuesRounded;         ///< the same for models that round, with the golden run's roundings
extern const char* const kPythonVerify; ///< verify against golden.safetensors
/// learning_rate, make_optimizer, train; reads TRAINING and RULES. @PENALTIES@ and @CONSTRAINTS@ are lines of its loop, or nothing.
extern const char* const kPythonTraining;
extern const char* const kPythonPenalties;   ///< add_penalties; reads PENALTIES
extern const char* const kPythonConstraints; ///< constrain; reads CONSTRAINTS
extern const char* const kPythonText;        ///< encode, decode, sample, text_batches; reads ALPHABET
extern const char* const
    kPythonNumbers; ///< read_columns, normalise, restore, series_batches; reads INPUTS, TARGETS and HORIZON
extern const char* const kPythonEncodeCharacters; ///< encode: reads ALPHABET
extern const char* const kPythonEncodeBytes;      ///< the same without one
extern const char* const kPythonLabelText;        ///< label: of a text; reads LABELS, calls encode
extern const char* const kPythonLabelSeries; ///< normalise, label, read_series: of a series; reads INPUTS and LABELS

// The command line of model.py. Each verifies; some do more.
extern const char* const kPythonMain; ///< nothing else
std::string pythonTextMain();         ///< writes and trains, with text
std::string pythonNumbersMain();      ///< trains, with numbers
std::string pythonLabelTextMain();    ///< predicts labels of texts
std::string pythonLabelSeriesMain();  ///< predicts labels of series

} // namespace unroll
