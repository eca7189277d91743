// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/input_file.h"

#include "core/base/reason.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace unroll {

InputFile::InputFile(std::filesystem::path path) : m_path(std::move(path)) {}

InputFile::InputFile(InputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_file(std::exchange(other.m_file, -1)), m_size(other.m_size)
{}

InputFile& InputFile::operator=(InputFile&& other) noexcept
{
    std::swap(m_path, other.m_path);
    std::swap(m_file, other.m_file);
    std::swap(m_size, other.m_size);
    return *this;
}

InputFile::~InputFile()
{
    if (m_file >= 0)
        ::close(m_file);
}

Result<InputFile> InputFile::open(const std::filesystem::path& path)
{
    InputFile file(path);
    // O_NONBLOCK: opening a FIFO returns at once, and the check below refuses it.
    file.m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat now = {};
    if (file.m_file < 0 || ::fstat(file.m_file, &now) != 0)
        return fail("cannot read: " + reasonOf(errno), path.string());
    if (S_ISDIR(now.st_mode))
        return fail("cannot read: it is a folder", path.string());
    if (!S_ISREG(now.st_mode))
        return fail("cannot read: it is not an ordinary file", path.string());
    file.m_size = static_cast<std::uint64_t>(now.st_size);
    return file;
}

Result<void> InputFile::readAt(std::uint64_t offset, std::span<std::byte> into) const
{
    while (!into.empty()) {
        const ssize_t got = ::pread(m_file, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail("cannot read: " + reasonOf(errno), place(offset));
        if (got == 0)
            return fail(fmt::format("unexpected end of file; {} more bytes were expected", into.size()), place(offset));
        offset += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

Result<std::string> InputFile::readAll() const
{
    std::string bytes(static_cast<std::size_t>(m_size), '\0');
    if (auto read = readAt(0, std::as_writable_bytes(std::span(bytes))); !read)
        return tl::unexpected(read.error());
    return bytes;
}

std::string InputFile::place(std::uint64_t offset) const
{
    return fmt::format("{} at byte {}", m_path.string(), offset);
}

Result<std::string> readWholeFile(const std::filesystem::path& path, std::uint64_t limit)
{
    auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    if (file->size() > limit)
        return fail(fmt::format("is {} bytes long; the limit is {}", file->size(), limit), path.string());
    return file->readAll();
}

} // namespace unroll
