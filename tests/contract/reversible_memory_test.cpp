// SPDX-License-Identifier: GPL-3.0-or-later
// What a forward pass over a reversible group leaves in memory, and what both passes need, by the number of copies.
#include "tests/contract/reversible_stack.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace unroll::contract::reversible {

namespace {

/// Follows what torch's allocator hands out and takes back.
class TensorBytes : public c10::MemoryReportingInfoBase {
public:
    bool memoryProfilingEnabled() const override { return true; }
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        m_now += bytes;
        m_peak = std::max(m_peak, m_now);
    }
    std::int64_t now() const { return m_now; }
    std::int64_t peak() const { return m_peak; }

private:
    std::int64_t m_now = 0, m_peak = 0;
};

struct Bytes {
    std::int64_t kept = 0; ///< behind the forward pass
    std::int64_t peak = 0; ///< of both passes, but for the gradients of weights
};

Bytes bytesOf(const Stack& stack, bool reversible)
{
    const auto model = modelOf(graphOf(stack, layers(stack, reversible)), at::kFloat);
    at::Generator random = generatorOf(5);
    const ModelInput input = inputOf(stack, 48, random);
    {
        const at::NoGradGuard guard;
        model->forward(input, {}, {.keepsState = false}); // blocks keep tables for this many steps from now on
    }
    const auto meter = std::make_shared<TensorBytes>();
    Bytes bytes;
    std::int64_t gradients = 0;
    {
        const c10::DebugInfoGuard watch(c10::DebugInfoKind::PROFILER_STATE, meter);
        const at::Tensor loss = model->forward(input, {}, {.training = true, .keepsState = false}).loss;
        bytes.kept = meter->now();
        loss.backward();
    }
    for (const Weight& weight : model->weights())
        if (weight.tensor.grad().defined())
            gradients += static_cast<std::int64_t>(weight.tensor.grad().nbytes());
    bytes.peak = meter->peak() - gradients;
    return bytes;
}

} // namespace

/// 4, 8 and 16 copies leave as much behind the forward pass; those of the plain group as many times more.
TEST(Reversible, MemoryIsFlatInDepth)
{
    std::map<std::int64_t, Bytes> plain, reversible;
    for (const std::int64_t copies : {4, 8, 16}) {
        const Stack stack{.copies = copies, .width = 32};
        plain[copies] = bytesOf(stack, false);
        reversible[copies] = bytesOf(stack, true);
    }
    for (const std::int64_t copies : {4, 8, 16})
        std::printf(
            "%2d copies, KiB behind the forward pass and at the peak: plain %7.1f %7.1f, reversible %7.1f %7.1f\n",
            static_cast<int>(copies), static_cast<double>(plain[copies].kept) / 1024,
            static_cast<double>(plain[copies].peak) / 1024, static_cast<double>(reversible[copies].kept) / 1024,
            static_cast<double>(reversible[copies].peak) / 1024);
    EXPECT_GT(plain[16].kept, 3 * plain[4].kept);
    EXPECT_EQ(reversible[8].kept, reversible[4].kept);
    EXPECT_EQ(reversible[16].kept, reversible[4].kept);
    EXPECT_LT(reversible[16].peak, reversible[4].peak + reversible[4].peak / 20);
    EXPECT_LT(reversible[4].peak, plain[4].peak);
}

} // namespace unroll::contract::reversible
