// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a mutex guards, said so that clang checks it (-Wthread-safety, preset clang); other compilers read nothing.
// Locks are those of core/base/mutex.h: clang knows nothing of std::mutex in libstdc++.

#ifdef __clang__
#define UNROLL_THREAD_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define UNROLL_THREAD_ATTRIBUTE(...)
#endif

/// Behind a member: read and written under this mutex alone.
#define UNROLL_GUARDED_BY(mutex) UNROLL_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Behind a function's or a lambda's parameters: called under this mutex.
#define UNROLL_REQUIRES(...) UNROLL_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// Behind a function's parameters: not called under this mutex, which it takes itself.
#define UNROLL_EXCLUDES(...) UNROLL_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

// Of mutexes and locks themselves.
#define UNROLL_CAPABILITY(name) UNROLL_THREAD_ATTRIBUTE(capability(name))
#define UNROLL_SCOPED_CAPABILITY UNROLL_THREAD_ATTRIBUTE(scoped_lockable)
#define UNROLL_ACQUIRE(...) UNROLL_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define UNROLL_RELEASE(...) UNROLL_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
