// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/file_calls.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace unroll::format {
namespace {

template <class Call>
auto untilNoSignal(Call call)
{
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

} // namespace

int FileCalls::open(const char* path, int flags, mode_t mode)
{
    return untilNoSignal([&] { return ::open(path, flags, mode); });
}

ssize_t FileCalls::write(int file, const void* data, size_t bytes)
{
    return untilNoSignal([&] { return ::write(file, data, bytes); });
}

int FileCalls::truncate(int file, off_t bytes)
{
    return untilNoSignal([&] { return ::ftruncate(file, bytes); });
}

int FileCalls::sync(int file)
{
    return untilNoSignal([&] { return ::fsync(file); });
}

int FileCalls::status(int file, struct stat* out)
{
    return ::fstat(file, out);
}

int FileCalls::setMode(int file, mode_t mode)
{
    return ::fchmod(file, mode);
}

int FileCalls::setOwner(int file, uid_t user, gid_t group)
{
    return ::fchown(file, user, group);
}

int FileCalls::lock(int file)
{
    return untilNoSignal([&] { return ::flock(file, LOCK_EX | LOCK_NB); });
}

// Not repeated after a signal: Linux has let go of the descriptor by then, and its number may already be another
// file's.
int FileCalls::close(int file)
{
    return ::close(file);
}

int FileCalls::statusOf(const char* path, struct stat* out)
{
    return ::stat(path, out);
}

int FileCalls::mayWrite(const char* path)
{
    return ::faccessat(AT_FDCWD, path, W_OK, AT_EACCESS); // of the effective user, as open(2) asks
}

int FileCalls::rename(const char* from, const char* to)
{
    return ::rename(from, to);
}

int FileCalls::remove(const char* path)
{
    return ::unlink(path);
}

int FileCalls::makeFolder(const char* path, mode_t mode)
{
    return ::mkdir(path, mode);
}

int FileCalls::removeFolder(const char* path)
{
    return ::rmdir(path);
}

namespace {

std::atomic<FileCalls*> otherCalls = nullptr;

} // namespace

FileCalls& systemCalls()
{
    static FileCalls calls;
    FileCalls* const others = otherCalls;
    return others == nullptr ? calls : *others;
}

OtherSystemCalls::OtherSystemCalls(FileCalls& calls)
{
    otherCalls = &calls;
}

OtherSystemCalls::~OtherSystemCalls()
{
    otherCalls = nullptr;
}

bool writeAll(FileCalls& calls, int file, const char* data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = calls.write(file, data, bytes);
        if (written < 0)
            return false;
        if (written == 0) {
            errno = ENOSPC;
            return false;
        }
        data += written;
        bytes -= static_cast<size_t>(written);
    }
    return true;
}

} // namespace unroll::format
