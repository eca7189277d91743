// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/safetensors_header.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// Reads the JSON of a safetensors header, and nothing wider than such a header: no nesting beyond its own, no number
/// but unsigned integers, no field it does not name. Strings are unescaped in place. Checks each tensor by itself; what
/// concerns several (offsets, names) is SafetensorsHeader's.
class SafetensorsScanner {
public:
    /// Both vectors should have room for all they may get: the scanner appends.
    SafetensorsScanner(std::span<char> text, std::uint64_t dataBytes, std::vector<SafetensorsHeader::Entry>& entries,
                       std::vector<SafetensorsHeader::Pair>& metadata);

    /// Nothing when the header is good.
    std::optional<Error> scan();

private:
    struct Span {
        std::uint32_t at = 0;
        std::uint32_t bytes = 0;
    };

    // Each gives false after the first fault, which m_error then holds.
    bool member();
    bool metadata();
    bool tensor(Span name);
    bool tensorField(SafetensorsHeader::Entry& entry, unsigned& seen);
    bool dtype(SafetensorsHeader::Entry& entry);
    bool shape(SafetensorsHeader::Entry& entry);
    bool offsets(SafetensorsHeader::Entry& entry);
    bool checkTensor(const SafetensorsHeader::Entry& entry);
    bool checkName(Span span);

    /// '{' member, ',' member ... '}', where `member` reads one.
    template <class Member>
    bool object(Member member);
    bool string(Span& out);
    bool character(std::size_t& writeAt);
    bool escape(std::size_t& writeAt);
    bool hexDigits(char32_t& out);
    bool number(std::uint64_t limit, std::uint64_t& out);
    bool expect(char c, std::string_view after);
    bool next(char c);
    void skipSpace();
    std::string_view view(Span span) const { return {m_text.data() + span.at, span.bytes}; }
    bool refuse(std::string message) { return refuseAt(m_at, std::move(message)); }
    bool refuseAt(std::size_t at, std::string message);

    std::span<char> m_text;
    std::uint64_t m_dataBytes;
    std::vector<SafetensorsHeader::Entry>& m_entries;
    std::vector<SafetensorsHeader::Pair>& m_metadata;
    bool m_metadataSeen = false;
    std::vector<std::int64_t> m_extents; // of the tensor being read
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

} // namespace unroll::format
