// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace unroll::kernels {

/// While alive, numbers below the smallest normal one count as 0 on this thread (x86; elsewhere nothing changes). A
/// state or gradient that decays over a long sequence ends up there, and each such number costs up to a hundred cycles.
class FlushDenormals {
public:
#if defined(__x86_64__) || defined(_M_X64)
    FlushDenormals() : m_before(_mm_getcsr())
    {
        _mm_setcsr(m_before | flushResults | readAsZero);
    }
    ~FlushDenormals()
    {
        _mm_setcsr(m_before);
    }

private:
    static constexpr unsigned flushResults = 0x8000;
    static constexpr unsigned readAsZero = 0x0040;
    unsigned m_before;

public:
#else
    FlushDenormals() {}
    ~FlushDenormals() {}
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;
};

} // namespace unroll::kernels
