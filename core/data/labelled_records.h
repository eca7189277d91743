// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/labelled_text.h"

namespace unroll {

/// Texts with one label each as they are read, before they become classes.
struct LabelledTexts {
    std::string name;
    std::vector<std::string> texts, labels;
    std::vector<int64_t> lines;     // of each, from 1; 0: it is a file of its own
    std::vector<std::string> files; // of each, where there are several
    std::vector<Split> parts;       // as LabelledSplit::parts
    bool bundled = false;
    std::vector<DataNote> notices;

    /// "line 7", "test.jsonl, line 7", "train/pos/0_9.txt".
    std::string place(size_t i) const;
};

/// The file of the options; or a folder with files of records, which are parts by their names (see partRoles()), the
/// columns those of the training file; or a folder with a folder for each label, see readLabelledFolder(). Errors name
/// the file, and the line: besides those of openRecords() a part that lacks a column of the training file, that has no
/// record with a text and a label, or that has a label which training has not.
Result<LabelledTexts> readLabelledTexts(const LabelledTextOptions& options);

} // namespace unroll
