// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of labelled sets share.
#pragma once

#include "core/data/dataset.h"
#include "tests/support/test_folder.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::testing_labelled {

/// A set of `Data` from a file with these bytes.
template <class Data, class Options>
auto openBytes(std::string_view bytes, Options options)
{
    const TestFolder folder;
    writeContent(folder / "set.csv", bytes);
    options.file = folder / "set.csv";
    return Data::open(options);
}

/// What is wrong with an opened set, behind the file's name.
template <class Opened>
std::string errorIn(const Opened& data)
{
    return data ? "none" : data.error().place.ends_with("set.csv") ? data.error().message : data.error().text();
}

inline std::vector<std::string> notesOf(const Dataset& data)
{
    std::vector<std::string> sentences;
    for (const DataNote& note : data.notes())
        sentences.push_back(note.sentence);
    return sentences;
}

/// How many steps of a batch of one sequence are real.
inline std::ptrdiff_t realSteps(const Batch& batch)
{
    return std::find(batch.mask.begin(), batch.mask.end(), 0) - batch.mask.begin();
}

/// The label that a batch of one sequence asks for, at its last real step.
inline std::string labelOf(const Dataset& data, const Batch& batch)
{
    return data.labels()[static_cast<size_t>(*(batch.targets.begin() + realSteps(batch) - 1))];
}

} // namespace unroll::testing_labelled
