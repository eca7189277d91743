// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/testing/trial_tensors.h"
#include "tests/numerics/accuracy.h"

#include <functional>

namespace unroll::kernels::test {

/// One call's outputs and gradients, in the same order each time.
struct Compared {
    using Kernel = std::vector<std::vector<Named>>;

    std::vector<Named> exact; ///< the definition in fp64
    std::vector<Named> plain; ///< the definition in fp32
    Kernel kernel;            ///< of these the worst counts
    double least = 1e-5;      ///< of the bound
};

/// What a kernel gives on each instruction set of the CPU.
Compared::Kernel onEveryTarget(const std::function<std::vector<Named>()>& kernel);

/// Calls as they come in; of every output the one that comes closest to its bound is kept.
class Collected {
public:
    void add(const std::string& kernel, const std::string& call, const Compared& compared);
    std::vector<Accuracy> take() { return std::move(m_results); }

private:
    Accuracy& called(const std::string& kernel);

    std::vector<Accuracy> m_results;
};

} // namespace unroll::kernels::test
