// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>

namespace unroll::format {

/// The system calls that our writers make, with their usual results and errno: one table, so that a test can make any
/// of them fail.
class FileCalls {
public:
    virtual ~FileCalls() = default;

    virtual int open(const char* path, int flags, mode_t mode);
    virtual ssize_t write(int file, const void* data, size_t bytes);
    virtual int truncate(int file, off_t bytes);
    virtual int sync(int file);
    virtual int status(int file, struct stat* out);
    virtual int setMode(int file, mode_t mode);
    virtual int setOwner(int file, uid_t user, gid_t group);
    /// flock(LOCK_EX | LOCK_NB)
    virtual int lock(int file);
    virtual int close(int file);

    virtual int statusOf(const char* path, struct stat* out);
    virtual int mayWrite(const char* path);
    virtual int rename(const char* from, const char* to);
    virtual int remove(const char* path);
    virtual int makeFolder(const char* path, mode_t mode);
    virtual int removeFolder(const char* path); // an empty one
};

/// The real ones. Holds no state: any thread may use it.
FileCalls& systemCalls();

/// Puts others in their place for all who ask from now on, while it lives: for tests of what a whole program does when
/// calls fail.
class OtherSystemCalls {
public:
    explicit OtherSystemCalls(FileCalls& calls);
    ~OtherSystemCalls();
    OtherSystemCalls(const OtherSystemCalls&) = delete;
    OtherSystemCalls& operator=(const OtherSystemCalls&) = delete;
};

/// Writes all of it, going on after short writes and signals. False with errno set when that is not possible; part of
/// it may be written.
bool writeAll(FileCalls& calls, int file, const char* data, size_t bytes);

} // namespace unroll::format
