// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/text_stream.h"

#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// A zip archive whose entries are read as streams, by zlib; zip64 too. Errors name the archive, and the entry.
class ZipArchive {
public:
    /// Errors: no zip archive, cut short, several disks.
    static Result<ZipArchive> open(const std::filesystem::path& file);

    /// Of files, in the archive's order; folders have none.
    std::vector<std::string> names() const;
    /// The entry number i of names(). While it is read: a checksum or a size that differs is an error, as are
    /// encryption and ways of compression other than deflate.
    std::shared_ptr<const TextStream> entry(size_t i) const;

    struct Entry {
        std::string name;
        uint64_t at = 0; ///< of the local header
        uint64_t packed = 0, bytes = 0;
        uint32_t crc = 0;
        uint16_t method = 0, flags = 0;
    };

private:
    explicit ZipArchive(InputFile file) : m_file(std::make_shared<const InputFile>(std::move(file))) {}

    std::shared_ptr<const InputFile> m_file;
    std::vector<Entry> m_entries;
};

/// By its first bytes.
bool looksLikeZip(std::string_view bytes);

} // namespace unroll
