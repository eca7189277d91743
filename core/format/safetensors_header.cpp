// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/safetensors_header.h"

#include "core/format/safetensors_scanner.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>

namespace unroll::format {
namespace {

// Shorter than the JSON of any tensor: {"dtype":"U8","shape":[],"data_offsets":[0,0]} with its name and comma takes
// more.
constexpr std::size_t kShortestTensor = 48;

std::uint32_t hashOf(std::string_view text)
{
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

} // namespace

Result<SafetensorsHeader> SafetensorsHeader::parse(std::unique_ptr<char[]> text, std::size_t textBytes,
                                                   std::uint64_t dataBytes)
{
    SafetensorsHeader header;
    header.m_text = std::move(text);
    header.m_entries.reserve(textBytes / kShortestTensor);
    SafetensorsScanner scanner({header.m_text.get(), textBytes}, dataBytes, header.m_entries, header.m_metadata);
    if (auto error = scanner.scan())
        return tl::unexpected(std::move(*error));
    if (auto error = header.checkOffsets(dataBytes))
        return tl::unexpected(std::move(*error));
    if (auto error = header.indexNames())
        return tl::unexpected(std::move(*error));
    if (auto error = header.checkMetadata())
        return tl::unexpected(std::move(*error));
    return header;
}

// No hole, no overlap, nothing after the last tensor: such room could hide a second file.
std::optional<Error> SafetensorsHeader::checkOffsets(std::uint64_t dataBytes)
{
    const auto earlier = [](const Entry& a, const Entry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    };
    if (!std::is_sorted(m_entries.begin(), m_entries.end(), earlier))
        std::sort(m_entries.begin(), m_entries.end(), earlier);
    std::uint64_t end = 0;
    for (const Entry& entry : m_entries) {
        if (entry.begin != end)
            return Error{fmt::format("tensor {} begins at {} of the data, but the one before ends at {}",
                                     quotedName(name(entry)), entry.begin, end),
                         std::to_string(8 + entry.nameAt)};
        end = entry.end;
    }
    if (end != dataBytes)
        return Error{fmt::format("the tensors end at {} of the data, but the file has {} bytes of it", end, dataBytes),
                     "0"};
    return std::nullopt;
}

std::optional<Error> SafetensorsHeader::indexNames()
{
    m_names.reserve(m_entries.size());
    for (std::uint32_t i = 0; i < m_entries.size(); ++i)
        m_names.push_back({hashOf(name(m_entries[i])), i});
    std::sort(m_names.begin(), m_names.end(), [](const NameRef& a, const NameRef& b) { return a.hash < b.hash; });
    for (auto first = m_names.begin(); first != m_names.end();) {
        const auto last =
            std::find_if(first, m_names.end(), [first](const NameRef& ref) { return ref.hash != first->hash; });
        if (last - first > 1)
            if (auto error = checkUnique({first, last}))
                return error;
        first = last;
    }
    return std::nullopt;
}

std::optional<Error> SafetensorsHeader::checkUnique(std::span<NameRef> sameHash)
{
    const auto nameOf = [this](const NameRef& ref) { return name(m_entries[ref.entry]); };
    const auto same = [&](const NameRef& a, const NameRef& b) { return nameOf(a) == nameOf(b); };
    auto twice = same(sameHash[0], sameHash[1]) ? sameHash.begin() : sameHash.end();
    if (twice == sameHash.end()) {
        std::sort(sameHash.begin(), sameHash.end(),
                  [&](const NameRef& a, const NameRef& b) { return nameOf(a) < nameOf(b); });
        twice = std::adjacent_find(sameHash.begin(), sameHash.end(), same);
    }
    if (twice == sameHash.end())
        return std::nullopt;
    return Error{fmt::format("the tensor {} occurs twice", quotedName(nameOf(*twice))),
                 std::to_string(8 + m_entries[twice->entry].nameAt)};
}

std::optional<Error> SafetensorsHeader::checkMetadata()
{
    const auto key = [this](const Pair& pair) { return text(pair.keyAt, pair.keyBytes); };
    std::sort(m_metadata.begin(), m_metadata.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
    const auto same = std::adjacent_find(m_metadata.begin(), m_metadata.end(),
                                         [&](const Pair& a, const Pair& b) { return key(a) == key(b); });
    if (same == m_metadata.end())
        return std::nullopt;
    return Error{fmt::format("the metadata key {} occurs twice", quotedName(key(*same))),
                 std::to_string(8 + same->keyAt)};
}

std::vector<std::int64_t> SafetensorsHeader::shape(const Entry& entry) const
{
    std::vector<std::int64_t> extents;
    // The scanner has checked this text: digits, commas and spaces up to the bracket.
    for (const char* at = m_text.get() + entry.shapeAt; *at != ']';) {
        std::int64_t extent = 0;
        const auto [end, error] = std::from_chars(at, at + 20, extent);
        if (error == std::errc())
            extents.push_back(extent);
        at = end == at ? at + 1 : end;
    }
    return extents;
}

std::optional<std::size_t> SafetensorsHeader::find(std::string_view wanted) const
{
    const std::uint32_t hash = hashOf(wanted);
    auto found = std::lower_bound(m_names.begin(), m_names.end(), hash,
                                  [](const NameRef& ref, std::uint32_t wantedHash) { return ref.hash < wantedHash; });
    for (; found != m_names.end() && found->hash == hash; ++found)
        if (name(m_entries[found->entry]) == wanted)
            return found->entry;
    return std::nullopt;
}

std::map<std::string, std::string> SafetensorsHeader::metadata() const
{
    std::map<std::string, std::string> pairs;
    for (const Pair& pair : m_metadata)
        pairs.emplace(text(pair.keyAt, pair.keyBytes), text(pair.valueAt, pair.valueBytes));
    return pairs;
}

} // namespace unroll::format
