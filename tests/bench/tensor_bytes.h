// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what torch's CPU tensors hold.
#pragma once

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace unroll::bench {

/// Hands out memory as torch's own allocator does, and keeps count. Nothing is kept back, so that a number does not
/// hang on what ran before.
class CountingAllocator final : public c10::Allocator {
public:
    /// Every tensor made from now on is counted; call it before the first one.
    static CountingAllocator& install()
    {
        static auto* allocator = new CountingAllocator; // tensors may outlive anything that is destroyed
        c10::SetCPUAllocator(allocator, 2);
        return *allocator;
    }

    std::int64_t now() const { return s_now; }
    std::int64_t peak() const { return s_peak; }
    /// The peak counts again from what is there.
    void restart() { s_peak = s_now.load(); }

    c10::DataPtr allocate(std::size_t bytes) override
    {
        if (bytes == 0)
            return {nullptr, nullptr, &giveBack, c10::Device(c10::DeviceType::CPU)};
        auto* block = static_cast<std::byte*>(c10::alloc_cpu(bytes + kHeader));
        std::memcpy(block, &bytes, sizeof bytes);
        const std::int64_t now = s_now += static_cast<std::int64_t>(bytes);
        std::int64_t peak = s_peak;
        while (peak < now && !s_peak.compare_exchange_weak(peak, now)) {}
        return {block + kHeader, block + kHeader, &giveBack, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &giveBack; }
    void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

private:
    static constexpr std::size_t kHeader = 64; ///< keeps the data aligned to a cache line

    static void giveBack(void* data)
    {
        if (data == nullptr)
            return;
        std::byte* block = static_cast<std::byte*>(data) - kHeader;
        std::size_t bytes = 0;
        std::memcpy(&bytes, block, sizeof bytes);
        s_now -= static_cast<std::int64_t>(bytes);
        c10::free_cpu(block);
    }

    static inline std::atomic<std::int64_t> s_now = 0, s_peak = 0;
};

} // namespace unroll::bench
