// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/tensor_memory.h"

#include "core/base/mutex.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace unroll {

namespace {

constexpr std::size_t kHeader = 64; ///< before each block, so that the data stays aligned to a cache line
constexpr std::size_t kSmallest = std::size_t{64} << 10; ///< below this the system's own allocator is quick
constexpr std::size_t kMostKept = std::size_t{2} << 30;  ///< beyond this, memory goes back at once

/// Rounded up to an eighth of its power of two, so that nearly equal sizes share blocks and at most an eighth is
/// wasted.
std::size_t sizeClass(std::size_t bytes)
{
    const std::size_t grain = std::bit_floor(bytes) / 8;
    return (bytes + grain - 1) / grain * grain;
}

class KeepingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        void* data = bytes == 0 ? nullptr : take(bytes);
        return {data, data, &KeepingAllocator::giveBack, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &KeepingAllocator::giveBack; }
    void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

    std::size_t release()
    {
        const MutexLock lock(m_mutex);
        for (auto& [size, blocks] : m_free)
            for (void* block : blocks)
                c10::free_cpu(block);
        m_free.clear();
        return std::exchange(m_kept, 0);
    }

    /// Never destroyed: tensors may outlive anything that is.
    static KeepingAllocator& instance()
    {
        static auto* allocator = new KeepingAllocator;
        return *allocator;
    }

private:
    void* take(std::size_t bytes)
    {
        const std::size_t size = bytes < kSmallest ? bytes : sizeClass(bytes);
        void* block = size < kSmallest ? nullptr : reuse(size);
        if (block == nullptr)
            block = c10::alloc_cpu(size + kHeader);
        std::memcpy(block, &size, sizeof size);
        return static_cast<std::byte*>(block) + kHeader;
    }

    void* reuse(std::size_t size)
    {
        const MutexLock lock(m_mutex);
        auto blocks = m_free.find(size);
        if (blocks == m_free.end() || blocks->second.empty())
            return nullptr;
        void* block = blocks->second.back();
        blocks->second.pop_back();
        m_kept -= size;
        return block;
    }

    bool keep(void* block, std::size_t size)
    {
        const MutexLock lock(m_mutex);
        if (m_kept + size > kMostKept)
            return false;
        m_free[size].push_back(block);
        m_kept += size;
        return true;
    }

    static void giveBack(void* data)
    {
        if (data == nullptr)
            return;
        void* block = static_cast<std::byte*>(data) - kHeader;
        std::size_t size = 0;
        std::memcpy(&size, block, sizeof size);
        if (size < kSmallest || !instance().keep(block, size))
            c10::free_cpu(block);
    }

    Mutex m_mutex;
    std::map<std::size_t, std::vector<void*>> m_free UNROLL_GUARDED_BY(m_mutex); ///< blocks by size
    std::size_t m_kept UNROLL_GUARDED_BY(m_mutex) = 0;
};

} // namespace

void keepTensorMemory()
{
    static std::once_flag once;
    std::call_once(once, [] { c10::SetCPUAllocator(&KeepingAllocator::instance(), 1); });
}

std::size_t releaseTensorMemory()
{
    return KeepingAllocator::instance().release();
}

} // namespace unroll
