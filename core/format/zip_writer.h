// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/format/atomic_file.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// Writes an archive of uncompressed (STORED) entries in one pass, after PKWARE's APPNOTE 6.3. Dates are fixed
/// (1980-01-01), so equal content gives equal files. Zip64 records appear only where a number needs them.
class ZipWriter {
public:
    /// Numbers from `zip64From` on go to zip64 records; the default is the format's own limit, tests lower it.
    explicit ZipWriter(AtomicFile& file, std::uint64_t zip64From = 0xffffffff);

    /// An entry whose content is the parts in a row. The name is unique; the caller sees to it.
    Result<void> add(std::string_view name, std::initializer_list<std::string_view> parts);
    /// From now on what is written is hashed, for a mark of this kind as the archive's comment (see own_mark.h). Call
    /// before add().
    void markAs(std::string_view kind) { m_kind = kind; }
    /// Writes the directory. `commit` of the file is the caller's.
    Result<void> finish();

private:
    struct Entry {
        std::string name;
        std::uint64_t headerAt = 0; ///< of the local header in the archive
        std::uint64_t bytes = 0;
        std::uint32_t crc = 0;
    };

    Result<void> write(std::string_view text);
    std::string localHeader(const Entry& entry) const;
    std::string directoryRecord(const Entry& entry) const;
    std::string endRecords(std::uint64_t directoryAt, std::uint64_t directoryBytes) const;
    bool wide(std::uint64_t value) const { return value >= m_zip64From; }
    std::uint32_t narrow(std::uint64_t value) const
    {
        return wide(value) ? 0xffffffff : static_cast<std::uint32_t>(value);
    }

    AtomicFile& m_file;
    std::uint64_t m_zip64From;
    std::vector<Entry> m_entries;
    std::string m_kind; ///< empty: no mark
    Sha256 m_sum;       ///< of all that was written, where there is a mark to come
};

} // namespace unroll::format
