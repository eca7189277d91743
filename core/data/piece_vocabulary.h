// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/vocabulary.h"

namespace unroll {

/// Tokens of a vocabulary that was made elsewhere, such as byte pairs: each has bytes, and only who made it divides a
/// text into them.
class PieceVocabulary final : public Vocabulary {
public:
    explicit PieceVocabulary(std::vector<std::string> pieces) : m_pieces(std::move(pieces)) {}

    int64_t classes() const override { return std::ssize(m_pieces); }
    /// Each another one.
    std::vector<std::string> alphabet() const override;
    /// Of an empty text alone.
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>& tokens) const override;
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override;

private:
    std::vector<std::string> m_pieces; // bytes, UTF-8 or not
};

} // namespace unroll
