// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/engine_socket.h"

#include "core/base/reason.h"
#include "core/base/sha256.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace unroll {

namespace {

namespace fs = std::filesystem;

/// A folder that nobody else may enter; made where it is missing.
Result<fs::path> socketFolder()
{
    const char* named = std::getenv("UNROLL_SOCKETS");
    const fs::path folder =
        named != nullptr && *named != '\0' ? fs::path(named) : fs::path(fmt::format("/tmp/unroll-{}", ::geteuid()));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return fail("cannot be made: " + reasonOf(errno), folder.string());
    struct stat found = {};
    if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() ||
        (found.st_mode & 077) != 0)
        return fail("must be a folder that is yours alone (mode 0700); UNROLL_SOCKETS names another", folder.string());
    return folder;
}

Result<sockaddr_un> addressOf(const fs::path& path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string name = path.string();
    if (name.size() >= sizeof address.sun_path)
        return fail("is too long for a socket; UNROLL_SOCKETS names a shorter folder", name);
    std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
    return address;
}

int newSocket()
{
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// A file of the socket, connected; below 0: nobody listens.
int connected(const sockaddr_un& address)
{
    const int file = newSocket();
    if (file >= 0 && ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return file;
    if (file >= 0)
        ::close(file);
    return -1;
}

} // namespace

Result<fs::path> engineSocket(const std::string& runFolder)
{
    auto folder = socketFolder();
    if (!folder)
        return folder;
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(runFolder, error), error);
    fs::path name = error ? fs::path(runFolder) : whole;
    if (!name.has_filename()) // "run/" is "run"
        name = name.parent_path();
    return *folder / (sha256(name.string()).substr(0, 24) + ".sock");
}

Result<std::unique_ptr<Channel>> meetEngine(const std::string& runFolder)
{
    const auto path = engineSocket(runFolder);
    if (!path)
        return tl::unexpected(path.error());
    const auto address = addressOf(*path);
    if (!address)
        return tl::unexpected(address.error());
    const int file = connected(*address);
    if (file < 0)
        return fail("no process of this machine trains this run", runFolder);
    return std::make_unique<Channel>(file, file);
}

Result<std::unique_ptr<EngineDoor>> EngineDoor::open(const std::string& runFolder)
{
    const auto path = engineSocket(runFolder);
    if (!path)
        return tl::unexpected(path.error());
    const auto address = addressOf(*path);
    if (!address)
        return tl::unexpected(address.error());
    if (const int other = connected(*address); other >= 0) {
        ::close(other);
        return fail("another process already serves this run", runFolder);
    }
    ::unlink(path->c_str()); // of a process that was ended
    const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    constexpr int kWaiting = 8;
    if (file < 0 || ::bind(file, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
        ::listen(file, kWaiting) != 0) {
        const std::string reason = reasonOf(errno);
        if (file >= 0)
            ::close(file);
        return fail("no socket can be made: " + reason, path->string());
    }
    return std::unique_ptr<EngineDoor>(new EngineDoor(file, *path));
}

EngineDoor::~EngineDoor()
{
    ::close(m_file);
    ::unlink(m_path.c_str());
}

std::unique_ptr<Channel> EngineDoor::next()
{
    const int file = ::accept4(m_file, nullptr, nullptr, SOCK_CLOEXEC);
    return file < 0 ? nullptr : std::make_unique<Channel>(file, file);
}

void EngineDoor::moved(const std::string& runFolder)
{
    const auto path = engineSocket(runFolder);
    if (path && ::rename(m_path.c_str(), path->c_str()) == 0)
        m_path = *path;
}

} // namespace unroll
