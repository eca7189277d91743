// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_file.h"

#include "core/base/number_words.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace unroll {

namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

// Closes the descriptor whichever way the reader leaves.
class OpenFile {
public:
    explicit OpenFile(const std::filesystem::path& file)
        : m_descriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    int descriptor() const { return m_descriptor; }

private:
    int m_descriptor;
};

tl::unexpected<Error> systemFailure(const char* what, int error, const std::filesystem::path& file)
{
    return fail(fmt::format("{}: {}", what, std::generic_category().message(error)), file.string());
}

Result<uint64_t> sizeToRead(const OpenFile& open, const std::filesystem::path& file)
{
    struct stat status {};
    if (::fstat(open.descriptor(), &status) != 0)
        return systemFailure("cannot be read", errno, file);
    if (S_ISDIR(status.st_mode))
        return fail("is a folder; expected a text file", file.string());
    if (!S_ISREG(status.st_mode))
        return fail("is not an ordinary file", file.string());
    if (status.st_size == 0)
        return fail("is empty", file.string());
    return static_cast<uint64_t>(status.st_size);
}

Result<std::string> readBytes(const OpenFile& open, uint64_t size, const std::filesystem::path& file)
{
    std::string bytes(size, '\0');
    for (uint64_t at = 0; at < size;) {
        const ssize_t got = ::read(open.descriptor(), bytes.data() + at, size - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return systemFailure("cannot be read", errno, file);
        if (got == 0)
            return fail(fmt::format("ended at byte {} of {}: it became shorter while being read",
                                    grouped(static_cast<int64_t>(at)), grouped(static_cast<int64_t>(size))),
                        file.string());
        at += static_cast<uint64_t>(got);
    }
    return bytes;
}

} // namespace

Result<std::string> readFile(const std::filesystem::path& file, uint64_t memoryLimit, uint64_t memoryPerByte)
{
    if (file.empty())
        return fail("no file is named");
    const OpenFile open(file);
    if (open.descriptor() < 0)
        return systemFailure("cannot be opened", errno, file);
    const Result<uint64_t> size = sizeToRead(open, file);
    if (!size)
        return tl::unexpected(size.error());
    if (*size > memoryLimit / memoryPerByte)
        return fail(fmt::format("has {}; reading it takes about {} of memory, and {} are free", sizeText(*size),
                                sizeText(*size > kLargest / memoryPerByte ? kLargest : *size * memoryPerByte),
                                sizeText(memoryLimit)),
                    file.string());
    return readBytes(open, *size, file);
}

} // namespace unroll
