// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/token_store.h"
#include "core/format/atomic_file.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace unroll {

/// A file of tokens, which are read from it where they are asked for: safetensors with one tensor, `tokens` (U8, U16 or
/// U32), and metadata that says what they are. Text is turned into one once; `unroll-cli prepare` writes others.
struct PreparedTokens {
    TokenStore tokens;
    std::map<std::string, std::string> metadata; // "unroll_tokens" is the version of the form, 1

    /// Errors name the file: no such form, a damaged one.
    static Result<PreparedTokens> open(const std::filesystem::path& file);
};

/// By the name alone: *.safetensors.
bool namesPreparedTokens(const std::filesystem::path& file);

/// Where texts that were turned into tokens are kept, each under a name that its content gives: $UNROLL_PREPARED, else
/// unroll/prepared in $XDG_CACHE_HOME or ~/.cache, else in the folder for temporary files. May be emptied at any time
/// when nothing trains.
std::filesystem::path preparedFolder();

/// Writes such a file, which is there whole or not at all.
class TokenWriter {
public:
    /// Errors name the folder.
    static Result<TokenWriter> create(const std::filesystem::path& file, int64_t count, int64_t classes,
                                      std::map<std::string, std::string> metadata);
    void add(uint32_t token)
    {
        for (int byte = 0; byte < m_width; ++byte)
            m_gathered += static_cast<char>(token >> (8 * byte));
        ++m_written;
        if (m_gathered.size() >= kGathered)
            flush();
    }
    /// Errors: a full disk, or another number of tokens than was said.
    Result<void> finish();

private:
    static constexpr size_t kGathered = 1 << 20;
    TokenWriter(format::AtomicFile file, std::filesystem::path path, int64_t count, int width)
        : m_file(std::move(file)), m_path(std::move(path)), m_count(count), m_width(width)
    {}
    void flush();

    format::AtomicFile m_file;
    std::filesystem::path m_path;
    int64_t m_count = 0, m_written = 0;
    int m_width = 1;
    std::string m_gathered;
    Result<void> m_state; // of the first failure
};

} // namespace unroll
