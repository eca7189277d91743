// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/append_file.h"

#include "core/base/reason.h"

#include <cerrno>
#include <fmt/format.h>
#include <utility>

namespace unroll::format {
namespace {

int flagsFor(AppendFile::Start start)
{
    // O_NONBLOCK: a FIFO in the place of the file gives an error and not an endless wait.
    constexpr int common = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    switch (start) {
    case AppendFile::Start::New: return common | O_EXCL;
    case AppendFile::Start::Replace: return common | O_TRUNC;
    case AppendFile::Start::Continue: break;
    }
    return common;
}

} // namespace

AppendFile::AppendFile(std::filesystem::path path, FileCalls& calls) : m_path(std::move(path)), m_calls(&calls) {}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_calls(other.m_calls),
      m_file(std::exchange(other.m_file, -1)),
      m_wholeBytes(other.m_wholeBytes),
      m_torn(other.m_torn),
      m_held(std::exchange(other.m_held, {})),
      m_failing(other.m_failing),
      m_lostRecords(other.m_lostRecords)
{}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept
{
    if (this == &other)
        return *this;
    close();
    m_path = std::move(other.m_path);
    m_calls = other.m_calls;
    m_file = std::exchange(other.m_file, -1);
    m_wholeBytes = other.m_wholeBytes;
    m_torn = other.m_torn;
    m_held = std::exchange(other.m_held, {});
    m_failing = other.m_failing;
    m_lostRecords = other.m_lostRecords;
    return *this;
}

AppendFile::~AppendFile()
{
    close();
}

Result<AppendFile> AppendFile::open(const std::filesystem::path& path, Start start, FileCalls& calls)
{
    AppendFile file(path, calls);
    file.m_file = calls.open(path.c_str(), flagsFor(start), 0666);
    struct stat now = {};
    if (file.m_file < 0 || calls.status(file.m_file, &now) != 0)
        return tl::unexpected(file.failure(errno));
    if (!S_ISREG(now.st_mode))
        return fail("cannot write: it is not an ordinary file", path.string());
    file.m_wholeBytes = static_cast<std::uint64_t>(now.st_size);
    return file;
}

Result<void> AppendFile::append(std::string_view record)
{
    if (m_held.size() + record.size() <= kHoldLimit || m_held.empty())
        m_held += record;
    else
        ++m_lostRecords;
    const bool written = drain();
    const int reason = errno;
    const bool wasFailing = std::exchange(m_failing, !written);
    if (written || wasFailing)
        return {};
    return tl::unexpected(failure(reason));
}

void AppendFile::begin(std::string_view header)
{
    m_held += header;
    drain();
}

Result<void> AppendFile::sync()
{
    m_failing = !(drain() && m_calls->sync(m_file) == 0);
    if (m_failing)
        return tl::unexpected(failure(errno));
    return {};
}

bool AppendFile::cutTorn()
{
    if (m_torn)
        m_torn = m_calls->truncate(m_file, static_cast<off_t>(m_wholeBytes)) != 0;
    return !m_torn;
}

bool AppendFile::drain()
{
    if (!cutTorn())
        return false;
    if (writeAll(*m_calls, m_file, m_held.data(), m_held.size())) {
        m_wholeBytes += m_held.size();
        m_held.clear();
        return true;
    }
    const int reason = errno;
    m_torn = true;
    cutTorn();
    errno = reason;
    return false;
}

Error AppendFile::failure(int errnoValue) const
{
    return Error{fmt::format("cannot write: {}", reasonOf(errnoValue)), m_path.string()};
}

void AppendFile::close()
{
    if (m_file < 0)
        return;
    drain();
    m_calls->close(m_file);
    m_file = -1;
}

} // namespace unroll::format
