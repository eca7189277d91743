// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/file_calls.h"

#include <cerrno>

namespace unroll::format {

/// File calls of which the n-th fails: for tests that walk n from 1 until nothing fails any more.
class FailingCalls final : public FileCalls {
public:
    enum class Mode {
        Once,      ///< only the n-th
        FromThere, ///< the n-th and all after it, as when the disk is gone or the process is killed
        ShortWrite ///< the n-th, when it is a write, takes half; the write after it finds the disk full
    };

    FailingCalls(int n, Mode mode, int error) : m_n(n), m_mode(mode), m_error(error) {}

    /// False once n lies beyond the calls that were made.
    bool reached() const { return m_made >= m_n; }

    int open(const char* path, int flags, mode_t mode) override
    {
        return fails() ? -1 : FileCalls::open(path, flags, mode);
    }
    ssize_t write(int file, const void* data, size_t bytes) override
    {
        if (fails())
            return -1;
        const bool half = m_mode == Mode::ShortWrite && m_made == m_n;
        return FileCalls::write(file, data, half ? bytes / 2 : bytes);
    }
    int truncate(int file, off_t bytes) override { return fails() ? -1 : FileCalls::truncate(file, bytes); }
    int sync(int file) override { return fails() ? -1 : FileCalls::sync(file); }
    int status(int file, struct stat* out) override { return fails() ? -1 : FileCalls::status(file, out); }
    int setMode(int file, mode_t mode) override { return fails() ? -1 : FileCalls::setMode(file, mode); }
    int setOwner(int file, uid_t user, gid_t group) override
    {
        return fails() ? -1 : FileCalls::setOwner(file, user, group);
    }
    int lock(int file) override { return fails() ? -1 : FileCalls::lock(file); }
    // The descriptor goes even so, as on Linux.
    int close(int file) override
    {
        const int closed = FileCalls::close(file);
        return fails() ? -1 : closed;
    }
    int statusOf(const char* path, struct stat* out) override { return fails() ? -1 : FileCalls::statusOf(path, out); }
    int mayWrite(const char* path) override { return fails() ? -1 : FileCalls::mayWrite(path); }
    int rename(const char* from, const char* to) override { return fails() ? -1 : FileCalls::rename(from, to); }
    int remove(const char* path) override { return fails() ? -1 : FileCalls::remove(path); }
    int makeFolder(const char* path, mode_t mode) override { return fails() ? -1 : FileCalls::makeFolder(path, mode); }
    int removeFolder(const char* path) override { return fails() ? -1 : FileCalls::removeFolder(path); }

private:
    bool fails()
    {
        ++m_made;
        const bool now = m_mode == Mode::Once        ? m_made == m_n
                         : m_mode == Mode::FromThere ? m_made >= m_n
                                                     : m_made == m_n + 1;
        if (now)
            errno = m_error;
        return now;
    }

    int m_n;
    Mode m_mode;
    int m_error;
    int m_made = 0;
};

} // namespace unroll::format
