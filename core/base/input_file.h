// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace unroll {

/// An ordinary file open for reading at given offsets; never mapped, so a file that shrinks gives an error and not
/// SIGBUS. Folders, FIFOs and devices are refused. Reading is safe from several threads.
class InputFile {
public:
    static Result<InputFile> open(const std::filesystem::path& path);

    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;
    ~InputFile();

    /// Bytes in the file when it was opened.
    std::uint64_t size() const { return m_size; }
    const std::filesystem::path& path() const { return m_path; }

    /// Fills `into` from `offset` on; an error when the file ends before.
    Result<void> readAt(std::uint64_t offset, std::span<std::byte> into) const;

    /// All that was in it when it was opened; the caller has asked for its size.
    Result<std::string> readAll() const;

    /// "model.safetensors at byte 12", for an Error's place.
    std::string place(std::uint64_t offset) const;

private:
    explicit InputFile(std::filesystem::path path);

    std::filesystem::path m_path;
    int m_file = -1;
    std::uint64_t m_size = 0;
};

/// The whole file as bytes. A longer one than `limit` is an error, so that a wrong file does not fill the memory.
Result<std::string> readWholeFile(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t(1) << 32);

} // namespace unroll
