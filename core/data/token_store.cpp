// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/token_store.h"

#include <cassert>
#include <stdexcept>
#include <string>

namespace unroll {

namespace {

/// Tokens of a segment from `first` on.
void readSegment(const TokenStore::Segment& segment, int64_t first, std::span<int32_t> into)
{
    const auto width = static_cast<size_t>(segment.width);
    std::vector<std::byte> bytes(into.size() * width);
    const auto offset = segment.offset + static_cast<uint64_t>(first) * width;
    if (const auto got = segment.file->readAt(offset, bytes); !got)
        throw std::runtime_error("the data can no longer be read: " + got.error().text());
    for (size_t i = 0; i < into.size(); ++i) {
        uint32_t token = 0;
        for (size_t byte = 0; byte < width; ++byte)
            token |= std::to_integer<uint32_t>(bytes[i * width + byte]) << (8 * byte);
        into[i] = static_cast<int32_t>(token);
    }
}

} // namespace

TokenStore::TokenStore(std::vector<uint16_t> tokens)
    : m_memory(std::make_shared<const std::vector<uint16_t>>(std::move(tokens))), m_size(std::ssize(*m_memory))
{}

TokenStore TokenStore::inFiles(std::vector<Segment> segments)
{
    TokenStore store;
    for (const Segment& segment : segments)
        store.m_size += segment.count;
    store.m_segments = std::make_shared<const std::vector<Segment>>(std::move(segments));
    return store;
}

void TokenStore::read(int64_t first, std::span<int32_t> into) const
{
    assert(first >= 0 && first + std::ssize(into) <= m_size);
    if (m_memory) {
        std::copy_n(m_memory->begin() + first, into.size(), into.begin());
        return;
    }
    if (!m_segments)
        return;
    for (const Segment& segment : *m_segments) {
        if (into.empty())
            return;
        if (first < segment.count) {
            const auto here = static_cast<size_t>(std::min(std::ssize(into), segment.count - first));
            readSegment(segment, first, into.first(here));
            into = into.subspan(here);
            first += static_cast<int64_t>(here);
        }
        first -= segment.count;
    }
}

std::vector<int32_t> TokenStore::slice(int64_t first, int64_t count) const
{
    std::vector<int32_t> tokens(static_cast<size_t>(count));
    read(first, tokens);
    return tokens;
}

int tokenWidth(int64_t classes)
{
    return classes <= 256 ? 1 : classes <= 65'536 ? 2 : 4;
}

} // namespace unroll
