// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/input_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace unroll {

/// A text that is read from its beginning, as often as wanted, in pieces of about 1 MB: whatever its size, little of it
/// is in memory.
class TextStream {
public:
    /// An error ends the reading with it.
    using Take = std::function<Result<void>(std::string_view piece)>;

    virtual ~TextStream() = default;
    /// Pieces as they come.
    virtual Result<void> read(const Take& take) const = 0;
    /// Bytes, where they are known without reading.
    virtual std::optional<uint64_t> size() const { return std::nullopt; }
    /// The file whose bytes these are, from the first to the last; null where it is none.
    virtual std::shared_ptr<const InputFile> plainFile() const { return nullptr; }

    /// Pieces that end where a character ends, and never between CR and LF.
    Result<void> readCharacters(const Take& take) const;
    /// Lines without their ends (LF or CR LF), with their numbers from 1. Error: one of more than 256 MB.
    Result<void> readLines(const std::function<Result<void>(std::string_view line, int64_t number)>& take) const;
};

/// `text` must outlive it.
std::shared_ptr<const TextStream> streamOfText(std::string_view text);
/// Errors as InputFile::open().
Result<std::shared_ptr<const TextStream>> streamOfFile(const std::filesystem::path& file);
/// Of JSON Lines the text under `field` of every object, each followed by a line end. Errors name the line.
std::shared_ptr<const TextStream> streamOfField(std::shared_ptr<const TextStream> lines, std::string field,
                                                std::string name);

} // namespace unroll
