// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// The classes a model distinguishes, and the text they stand for; none where a model reads and predicts numbers.
/// Immutable: any number of threads may read one.
class Vocabulary {
public:
    virtual ~Vocabulary() = default;

    virtual int64_t classes() const = 0;
    virtual std::vector<std::string> alphabet() const = 0; // a visible UTF-8 label for every class

    /// Tokens of a text; the error names the character that is missing and its place. Of words none is missing: those
    /// that are no class are <unk>, see unknownWords().
    virtual Result<std::vector<int32_t>> encode(std::string_view text) const = 0;
    /// Words of the text that encode() takes for <unk>, each as often as it occurs; none where classes are no words.
    virtual std::vector<std::string> unknownWords(std::string_view) const { return {}; }
    /// Tokens as valid UTF-8. Classes must be below classes().
    virtual std::string decode(const std::vector<int32_t>& tokens) const = 0;
    /// The same for who writes it piece by piece: what `tokens` add to a text, or how they begin one. Bytes are what
    /// they are, UTF-8 or not.
    virtual std::string written(const std::vector<int32_t>& tokens, bool begins) const = 0;
};

} // namespace unroll
