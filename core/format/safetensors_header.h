// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// A safetensors header never takes more bytes than this.
inline constexpr std::uint64_t kSafetensorsHeaderLimit = 100'000'000;

/// Ours: a bound on what hostile metadata may cost; real files hold a handful of entries.
inline constexpr std::size_t kSafetensorsMetadataLimit = 65'536;

/// The header of a safetensors file, wholly checked. Entries are small records that point into the text, and the room
/// for them is reserved once, so that a header made to hurt stays below twice its own size in memory.
class SafetensorsHeader {
public:
    /// Checks `text` (`textBytes` long, taken over and changed: strings are unescaped in place) against the format and
    /// against a data part of `dataBytes`. An error's place is the offset in the file as a decimal number; the caller
    /// puts the file's name before it.
    static Result<SafetensorsHeader> parse(std::unique_ptr<char[]> text, std::size_t textBytes,
                                           std::uint64_t dataBytes);

    struct Entry {
        std::uint64_t begin; // in the data part
        std::uint64_t end;
        std::uint32_t nameAt; // in the text, unescaped
        std::uint32_t nameBytes;
        std::uint32_t shapeAt; // in the text, after '['
        DType dtype;
    };

    struct Pair {
        std::uint32_t keyAt, keyBytes, valueAt, valueBytes;
    };

    /// In the order of their data.
    std::span<const Entry> entries() const { return m_entries; }
    std::string_view name(const Entry& entry) const { return text(entry.nameAt, entry.nameBytes); }
    std::vector<std::int64_t> shape(const Entry& entry) const;
    /// Index into `entries`.
    std::optional<std::size_t> find(std::string_view name) const;

    std::map<std::string, std::string> metadata() const;

private:
    struct NameRef {
        std::uint32_t hash;
        std::uint32_t entry;
    };

    std::string_view text(std::uint32_t at, std::uint32_t bytes) const { return {m_text.get() + at, bytes}; }
    std::optional<Error> indexNames();
    std::optional<Error> checkUnique(std::span<NameRef> sameHash);
    std::optional<Error> checkOffsets(std::uint64_t dataBytes);
    std::optional<Error> checkMetadata();

    std::unique_ptr<char[]> m_text;
    std::vector<Entry> m_entries;
    std::vector<NameRef> m_names; // by hash
    std::vector<Pair> m_metadata; // by key
};

} // namespace unroll::format
