// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"

namespace unroll {

Dataset::~Dataset() = default;

std::optional<double> Dataset::entropyFloor(Split) const
{
    return std::nullopt;
}

std::optional<double> Dataset::entropyExpected() const
{
    return std::nullopt;
}

std::optional<double> Dataset::memorylessBaseline() const
{
    return std::nullopt;
}

std::vector<std::string> Dataset::notices() const
{
    return {};
}

} // namespace unroll
