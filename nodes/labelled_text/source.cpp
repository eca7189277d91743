// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_text.h"
#include "nodes/shared/labelled_source.h"
#include "nodes/shared/table_wishes.h"

namespace unroll::nodes::labelled_text {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    const bool trained = setup.learned != nullptr;
    const std::string& unit = setup.text("unit");
    return LabelledText::open({.file = setup.file("file"),
                               .textColumn = setup.text("text_column"),
                               .labelColumn = setup.text("label_column"),
                               .table = layoutWishes(setup),
                               .unit = unit == "bytes"   ? TextUnit::Byte
                                       : unit == "words" ? TextUnit::Word
                                                         : TextUnit::Character,
                               .longest = setup.integer("longest"),
                               .split = labelledSplit(setup),
                               .alphabet = trained ? setup.learned->alphabet : "",
                               .words = trained ? setup.learned->words : std::vector<std::string>{},
                               .vocabularyLimit = setup.integer("vocabulary_limit"),
                               .labels = trained ? setup.learned->labels : std::vector<std::string>{}});
}

} // namespace unroll::nodes::labelled_text
