// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/thread_annotations.h"

#include <mutex>

namespace unroll {

/// std::mutex, told to clang. Locked by MutexLock alone.
class UNROLL_CAPABILITY("mutex") Mutex {
    friend class MutexLock;
    std::mutex m_mutex;
};

/// Holds a mutex from its making to its end, but for what is between unlock() and lock(). std::condition_variable_any
/// waits with it; what that is to wait for is a lambda with UNROLL_REQUIRES.
class UNROLL_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) UNROLL_ACQUIRE(mutex) : m_lock(mutex.m_mutex) {}
    ~MutexLock() UNROLL_RELEASE() = default;
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

    void lock() UNROLL_ACQUIRE() { m_lock.lock(); }
    void unlock() UNROLL_RELEASE() { m_lock.unlock(); }

private:
    std::unique_lock<std::mutex> m_lock;
};

} // namespace unroll
