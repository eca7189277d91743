// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace unroll {

/// A file of a corpus as its authors publish it, with its size and SHA-256 where these are known, and how its papers
/// divide it.
struct PublishedText {
    std::string_view file; // its name
    std::string_view title;
    uint64_t bytes = 0;
    std::string_view sha256;
    double validation = 0, test = 0; // shares of it, at its end; 0: it has files of their own for these
};

/// Whose file is called this, with or without one of .txt and .raw; null: nobody's.
const PublishedText* publishedAs(std::string_view file);

/// Whether a file of this name is what its authors published: a sentence, and whether it is one.
struct PublishedCheck {
    std::string sentence;
    bool same = false;
};
PublishedCheck comparePublished(const PublishedText& published, uint64_t bytes, const std::string& hash);

} // namespace unroll
