// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/Parallel.h>

namespace unroll::kernels::test {

/// Sets the intra-op threads of this thread, and sets them back.
class ScopedThreads {
public:
    explicit ScopedThreads(int count) : m_before(at::get_num_threads()) { at::set_num_threads(count); }
    ~ScopedThreads() { at::set_num_threads(m_before); }
    ScopedThreads(const ScopedThreads&) = delete;
    ScopedThreads& operator=(const ScopedThreads&) = delete;

private:
    int m_before;
};

} // namespace unroll::kernels::test
