// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/published_division.h"

#include "core/base/sha256.h"
#include "core/data/text_parts.h"

namespace unroll {

namespace {

Result<std::string> hashOf(const TextStream& stream)
{
    Sha256 hash;
    const auto read = stream.read([&](std::string_view piece) -> Result<void> {
        hash.add(piece);
        return {};
    });
    return read ? Result<std::string>(hash.hex()) : tl::unexpected(read.error());
}

} // namespace

Result<PublishedDivision> publishedDivision(const std::filesystem::path& file)
{
    auto parts = textParts(file, {}, TextSplit::Published);
    if (!parts)
        return tl::unexpected(parts.error());
    PublishedDivision found;
    for (DataNote& note : parts->notes)
        if (note.code == "published") // of an archive
            found.notes.push_back(std::move(note));
    const PublishedText* published = parts->published;
    const auto size = parts->text.stream->size();
    if (published == nullptr || !size)
        return found;
    const auto hash = *size == published->bytes ? hashOf(*parts->text.stream) : Result<std::string>();
    if (!hash)
        return tl::unexpected(hash.error());
    const PublishedCheck check = comparePublished(*published, *size, *hash);
    found.notes.emplace_back("published", check.sentence, !check.same);
    if (published->validation > 0)
        found.bytes = divided(static_cast<int64_t>(*size), published->validation, published->test);
    return found;
}

} // namespace unroll
