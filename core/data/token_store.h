// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/input_file.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace unroll {

/// The tokens of a text: in memory, or in files that are read where tokens are asked for, so that a text of any size
/// takes none of it. Copies share what they refer to. Reading is safe from several threads.
class TokenStore {
public:
    /// A row of tokens in a file: unsigned, little endian.
    struct Segment {
        std::shared_ptr<const InputFile> file;
        uint64_t offset = 0; // bytes
        int64_t count = 0;   // tokens
        int width = 1;       // bytes of each: 1, 2 or 4
    };

    TokenStore() = default;
    TokenStore(std::vector<uint16_t> tokens); // NOLINT: a vector is a store
    /// One segment behind the other.
    static TokenStore inFiles(std::vector<Segment> segments);

    int64_t size() const { return m_size; }
    /// Tokens [first, first + into.size()), within the store. A file that cannot be read any more ends the run: throws
    /// std::runtime_error with its name.
    void read(int64_t first, std::span<int32_t> into) const;
    std::vector<int32_t> slice(int64_t first, int64_t count) const;
    /// Nothing where they lie in files.
    const std::vector<uint16_t>* inMemory() const { return m_memory.get(); }

    /// Calls take(span of tokens) for [first, first + count) in pieces, in order, until it returns false.
    template <class Take>
    void walk(int64_t first, int64_t count, Take take) const
    {
        constexpr int64_t kPiece = 1 << 16;
        std::vector<int32_t> piece;
        for (int64_t at = 0; at < count; at += kPiece) {
            piece.resize(static_cast<size_t>(std::min(kPiece, count - at)));
            read(first + at, piece);
            if (!take(std::span<const int32_t>(piece)))
                return;
        }
    }

private:
    std::shared_ptr<const std::vector<uint16_t>> m_memory;
    std::shared_ptr<const std::vector<Segment>> m_segments;
    int64_t m_size = 0;
};

/// Bytes that a token of so many classes takes in a file.
int tokenWidth(int64_t classes);

} // namespace unroll
