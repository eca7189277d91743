// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/atomic_file.h"

#include "core/base/reason.h"

#include <cerrno>
#include <fmt/format.h>
#include <sys/random.h>
#include <utility>
#include <vector>

namespace unroll::format {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSiblingPrefix = ".unroll-";
constexpr std::string_view kSiblingSuffix = ".tmp";
constexpr std::size_t kSiblingDigits = 16;
constexpr std::size_t kGatherLimit = 1 << 16;

// Random, never reused: a sweeper that has just found a name unlocked may still remove it a moment later.
std::string siblingName()
{
    std::uint64_t draw = 0;
    if (::getrandom(&draw, sizeof draw, 0) != sizeof draw)
        return {};
    return fmt::format("{}{:0{}x}{}", kSiblingPrefix, draw, kSiblingDigits, kSiblingSuffix);
}

bool isSiblingName(std::string_view name)
{
    return name.size() == kSiblingPrefix.size() + kSiblingDigits + kSiblingSuffix.size() &&
           name.starts_with(kSiblingPrefix) && name.ends_with(kSiblingSuffix) &&
           name.substr(kSiblingPrefix.size(), kSiblingDigits).find_first_not_of("0123456789abcdef") ==
               std::string_view::npos;
}

fs::path folderOf(const fs::path& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The file a chain of symbolic links leads to, which need not exist yet.
fs::path followLinks(fs::path path)
{
    constexpr int longestChain = 40;
    std::error_code error;
    for (int i = 0; i < longestChain && fs::is_symlink(fs::symlink_status(path, error)); ++i)
        path = folderOf(path) / fs::read_symlink(path, error);
    return path;
}

void removeIfUnlocked(const fs::path& sibling, FileCalls& calls)
{
    const int file = calls.open(sibling.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    if (file < 0)
        return;
    if (calls.lock(file) == 0)
        calls.remove(sibling.c_str());
    calls.close(file);
}

} // namespace

AtomicFile::AtomicFile(fs::path target, FileCalls& calls)
    : m_target(std::move(target)), m_real(followLinks(m_target)), m_calls(&calls)
{}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_target(std::move(other.m_target)),
      m_real(std::move(other.m_real)),
      m_sibling(std::exchange(other.m_sibling, {})),
      m_calls(other.m_calls),
      m_file(std::exchange(other.m_file, -1)),
      m_size(other.m_size),
      m_gathered(std::move(other.m_gathered)),
      m_failure(std::move(other.m_failure))
{}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept
{
    if (this == &other)
        return *this;
    discard();
    m_target = std::move(other.m_target);
    m_real = std::move(other.m_real);
    m_sibling = std::exchange(other.m_sibling, {});
    m_calls = other.m_calls;
    m_file = std::exchange(other.m_file, -1);
    m_size = other.m_size;
    m_gathered = std::move(other.m_gathered);
    m_failure = std::move(other.m_failure);
    return *this;
}

AtomicFile::~AtomicFile()
{
    discard();
}

Result<AtomicFile> AtomicFile::create(const fs::path& target, FileCalls& calls)
{
    AtomicFile file(target, calls);
    sweepStaleSiblings(folderOf(file.m_real), calls);
    if (auto opened = file.open(); !opened)
        return tl::unexpected(opened.error());
    return file;
}

Result<void> AtomicFile::open()
{
    struct stat old = {};
    const bool replaces = m_calls->statusOf(m_real.c_str(), &old) == 0;
    if (!replaces && errno != ENOENT)
        return failNow("cannot write", errno);
    if (replaces && !S_ISREG(old.st_mode))
        return fail("cannot write: it is not an ordinary file", m_target.string());
    if (replaces && m_calls->mayWrite(m_real.c_str()) != 0)
        return failNow("cannot write", errno);
    if (!openSibling())
        return failNow("cannot write", errno);
    return replaces ? keepModeOf(old) : Result<void>();
}

// A sweeper may come between open and lock: then the lock is its own, or the name is already gone, and another name is
// tried. A file system without locks is not swept and needs none.
bool AtomicFile::openSibling()
{
    constexpr int attempts = 16;
    for (int i = 0; i < attempts; ++i) {
        const fs::path sibling = folderOf(m_real) / siblingName();
        m_file = m_calls->open(sibling.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (m_file < 0 && errno == EEXIST)
            continue;
        if (m_file < 0)
            return false;
        m_sibling = sibling;
        const bool contested = m_calls->lock(m_file) != 0 && errno == EWOULDBLOCK;
        struct stat now = {};
        if (m_calls->status(m_file, &now) != 0)
            return false;
        if (!contested && now.st_nlink > 0)
            return true;
        discard();
    }
    errno = EBUSY;
    return false;
}

Result<void> AtomicFile::keepModeOf(const struct stat& old)
{
    struct stat now = {};
    if (m_calls->status(m_file, &now) != 0)
        return failNow("cannot write", errno);
    // Only root may give files away; for others the file becomes theirs, as with any editor.
    if (now.st_uid != old.st_uid || now.st_gid != old.st_gid)
        static_cast<void>(m_calls->setOwner(m_file, old.st_uid, old.st_gid));
    constexpr mode_t permissions = 0777;
    if ((now.st_mode & permissions) != (old.st_mode & permissions) &&
        m_calls->setMode(m_file, old.st_mode & permissions) != 0)
        return failNow("cannot keep the permissions", errno);
    return {};
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes)
{
    return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<void> AtomicFile::write(std::string_view text)
{
    if (!m_failure.message.empty())
        return tl::unexpected(m_failure);
    m_size += text.size();
    if (m_gathered.size() + text.size() <= kGatherLimit) {
        m_gathered += text;
        return {};
    }
    if (auto flushed = flush(); !flushed)
        return flushed;
    if (text.size() <= kGatherLimit) {
        m_gathered = text;
        return {};
    }
    if (!writeAll(*m_calls, m_file, text.data(), text.size()))
        return failNow("cannot write", errno);
    return {};
}

Result<void> AtomicFile::flush()
{
    if (!m_failure.message.empty())
        return tl::unexpected(m_failure);
    if (!writeAll(*m_calls, m_file, m_gathered.data(), m_gathered.size()))
        return failNow("cannot write", errno);
    m_gathered.clear();
    return {};
}

Result<void> AtomicFile::commit()
{
    if (auto finished = finish(); !finished)
        return finished;
    if (m_calls->rename(m_sibling.c_str(), m_real.c_str()) != 0)
        return failNow("cannot replace the file", errno);
    m_sibling.clear();
    auto synced = syncFolder();
    close();
    return synced;
}

// The size is compared because some file systems (network, FUSE) take every write and report the loss of one only by
// its absence.
Result<void> AtomicFile::finish()
{
    if (auto flushed = flush(); !flushed)
        return flushed;
    if (m_file < 0)
        return fail("was already saved", m_target.string());
    struct stat now = {};
    if (m_calls->status(m_file, &now) != 0)
        return failNow("cannot write", errno);
    if (static_cast<std::uint64_t>(now.st_size) != m_size)
        return failNow(fmt::format("only {} of {} bytes arrived", now.st_size, m_size), EIO);
    if (m_calls->sync(m_file) != 0)
        return failNow("cannot write", errno);
    return {};
}

Result<void> AtomicFile::syncFolder()
{
    const fs::path folder = folderOf(m_real);
    const int file = m_calls->open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    const bool synced = file >= 0 && m_calls->sync(file) == 0;
    // Some file systems know no sync of a folder; there is nothing more to do on them.
    const bool unknown = file >= 0 && !synced && (errno == EINVAL || errno == ENOTSUP);
    const int reason = errno;
    if (file >= 0)
        m_calls->close(file);
    if (synced || unknown)
        return {};
    return fail("saved, but not yet flushed to disk: " + reasonOf(reason), m_target.string());
}

tl::unexpected<Error> AtomicFile::failNow(std::string_view what, int errnoValue)
{
    m_failure = Error{fmt::format("{}: {}", what, reasonOf(errnoValue)), m_target.string()};
    discard();
    return tl::unexpected(m_failure);
}

// Its result says nothing more: a file that counts has been synced before.
void AtomicFile::close()
{
    if (m_file >= 0)
        m_calls->close(m_file);
    m_file = -1;
}

void AtomicFile::discard()
{
    if (!m_sibling.empty())
        m_calls->remove(m_sibling.c_str());
    m_sibling.clear();
    close();
}

Result<void> writeFileAtomically(const fs::path& target, std::string_view bytes, FileCalls& calls)
{
    auto file = AtomicFile::create(target, calls);
    if (!file)
        return tl::unexpected(file.error());
    if (auto written = file->write(bytes); !written)
        return written;
    return file->commit();
}

void sweepStaleSiblings(const fs::path& folder, FileCalls& calls)
{
    std::error_code error;
    std::vector<fs::path> siblings;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (isSiblingName(it->path().filename().native()))
            siblings.push_back(it->path());
    for (const fs::path& sibling : siblings)
        removeIfUnlocked(sibling, calls);
}

} // namespace unroll::format
