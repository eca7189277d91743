// SPDX-License-Identifier: GPL-3.0-or-later
// The corpus of the `fable` experiment, for the tests that read it.
#pragma once

#include "core/data/fable_corpus.h"

#include <string>
#include <vector>

namespace unroll::testing_fables {

/// What the `fable` experiment trains on. Made once: every test reads it.
inline const FableCorpus& corpus()
{
    static const FableCorpus made = makeFableCorpus(1, 1'200'000, 0.1);
    return made;
}

inline std::string wholeText()
{
    return corpus().training + corpus().validation;
}

inline std::vector<std::string> fables(const std::string& text)
{
    std::vector<std::string> found;
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find("\n\n", at) + 2;
        found.push_back(text.substr(at, end - at));
        at = end;
    }
    return found;
}

} // namespace unroll::testing_fables
