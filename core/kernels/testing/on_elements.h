// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA threads run beside torch's products, run on the CPU, number by number: OnCuda's twin. Included by
// *_elements_test.cpp only.
#pragma once

#include "core/kernels/op/on_cpu.h"
#include "core/kernels/steps/step_elements.h"
#include "core/kernels/testing/kernel_test.h"

#include <algorithm>
#include <cmath>

namespace unroll::kernels::test {

class OnElements : public OnCpu {
public:
    using OnCpu::OnCpu;

    template <class Elements>
    void each(const Elements& elements) const
    {
        ASSERT_TRUE(complete(elements));
        for (std::int64_t b = 0; b < elements.batch; ++b)
            for (std::int64_t j = 0; j < elements.width; ++j)
                elements(b, j);
    }

    /// All steps: by products.
    template <class Pass, class ByProducts>
    void walk(const Pass&, const ByProducts& byProducts) const
    {
        byProducts();
    }
};

/// What a round's call has besides its sizes: all choices meet.
struct StepsTrial {
    StepsTrial(unsigned round, at::ScalarType type, std::int64_t gates)
        : StepsTrial(round, type, gates, 1 + round % 9 * 3, round % 7)
    {}
    StepsTrial(unsigned round, at::ScalarType type, std::int64_t gates, std::int64_t units, std::int64_t sequences)
        : draws(round), reverse(round / 2 % 2 == 1), batch(sequences), width(units)
    {
        constexpr std::int64_t lengths[] = {0, 1, 2, 3, 17};
        steps = lengths[round % std::size(lengths)];
        const auto normal = [&](at::IntArrayRef sizes) { return draws.normal(sizes).to(type); };
        u = normal({steps, batch, gates * width});
        weight = normal({gates * width, width}) * std::min(0.3, 1 / std::sqrt(static_cast<double>(width)));
        bias = normal({width});
        if (round % 3 != 0)
            initial = normal({batch, width});
        if (round / 4 % 2 == 0)
            mask = draws.uniform({steps, batch}) < 0.7;
        if (round % 4 != 0)
            gradH = normal({steps, batch, width});
        if (round % 4 != 1)
            gradLast = normal({batch, width});
    }

    Draw draws;
    bool reverse;
    std::int64_t steps = 0, batch, width;
    at::Tensor u, weight, bias;
    std::optional<at::Tensor> initial, mask, gradH, gradLast;
};

using RunOfSteps = std::vector<Named> (*)(unsigned round, at::ScalarType type);

/// Both in every round, fp32 and fp64.
inline void expectElementsEqualTheCpu(RunOfSteps byElements, RunOfSteps byKernel)
{
    for (unsigned round = 0; round < 240; ++round)
        for (at::ScalarType type : {at::kFloat, at::kDouble}) {
            expectClose(byElements(round, type), byKernel(round, type), type, "round " + std::to_string(round));
            ASSERT_FALSE(testing::Test::HasFailure()) << "stopped at the first bad round";
        }
}

} // namespace unroll::kernels::test
