// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace unroll {

/// How a name matches a typed word.
struct WordMatch {
    int score = 0;            ///< 0: not at all; 100: it is the word
    std::vector<int> letters; ///< characters of the name that were asked for, ascending
};

/// Best first: the name itself, its beginning, the beginning of a word in it, its inside, the word's letters in their
/// order, of which the first begins a word. The last two ask for two letters at least. Case does not matter.
WordMatch matchWord(const QString& name, const QString& word);

/// Whether a word of the text begins so; asks for three letters, since in a sentence fewer are anywhere.
bool beginsAWord(const QString& text, const QString& word);

} // namespace unroll
