// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/testing/steps_case.h"

#include <cmath>

namespace unroll::kernels::test {

ScanNumbers StepsCase::draw(Draw& draws) const
{
    const auto [steps, batch, width] = shape;
    ScanNumbers n;
    n.sequences = {draws.normal({steps, batch, m_gates * width})};
    n.constants = {draws.normal({m_gates * width, width}) * (spread() / std::sqrt(static_cast<double>(width)))};
    n.initial = draws.normal({batch, width});
    n.mask = draws.uniform({steps, batch}) < 0.7;
    return n;
}

} // namespace unroll::kernels::test
