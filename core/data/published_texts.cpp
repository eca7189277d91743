// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/published_texts.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

namespace unroll {

namespace {

// enwik8, enwik9: sizes as mattmahoney.net/dc/textdata.html states them, where MD5 a1fa5ffddb56f4953e226637dabbb36a
// belongs to this enwik8; its split is that of its papers since Chung et al. 2015. WikiText (Merity et al. 2016): the
// archives' hashes as torchtext's and TensorFlow's loaders have them. TinyStories (Eldan & Li 2023): sizes and hashes
// of its repository at huggingface.co/datasets/roneneldan/TinyStories.
constexpr PublishedText kPublishedTexts[] = {
    {"enwik8", "enwik8", 100'000'000, "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8", 0.05, 0.05},
    {"wikitext-103-v1.zip", "WikiText-103", 190'229'076,
     "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590"},
    {"wikitext-103-raw-v1.zip", "WikiText-103 raw", 191'984'949,
     "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794"},
    {"TinyStories-train.txt", "TinyStories", 1'924'281'556,
     "c5cf5e22ff13614e830afbe61a99fbcbe8bcb7dd72252b989fa1117a368d401f"},
    {"TinyStories-valid.txt", "TinyStories, validation", 19'447'282,
     "94e431816c4cce81ff71e4408ff8d3bda9a42e8d2663986697c3954288cb38b4"},
};

std::string_view withoutEnding(std::string_view name)
{
    for (const std::string_view ending : {".txt", ".raw"})
        if (name.ends_with(ending))
            return name.substr(0, name.size() - ending.size());
    return name;
}

} // namespace

const PublishedText* publishedAs(std::string_view file)
{
    for (const PublishedText& text : kPublishedTexts)
        if (file == text.file || withoutEnding(file) == text.file)
            return &text;
    return nullptr;
}

PublishedCheck comparePublished(const PublishedText& published, uint64_t bytes, const std::string& hash)
{
    const auto number = [](uint64_t value) { return grouped(static_cast<int64_t>(value)); };
    if (bytes != published.bytes)
        return {fmt::format("{} is published with {} bytes; this file has {}: results are not comparable.",
                            published.title, number(published.bytes), number(bytes))};
    if (hash != published.sha256)
        return {fmt::format("{}: the size is the published one, but SHA-256 differs ({} instead of {}): results are "
                            "not comparable.",
                            published.title, hash, published.sha256)};
    return {fmt::format("{}: size and SHA-256 as published.", published.title), true};
}

} // namespace unroll
