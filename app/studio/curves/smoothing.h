// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace unroll {

/// Exponential moving average with the bias of its zero start taken out: after one value it is that value, so the curve
/// starts where the data starts. mean_n = (1 - w) sum w^(n-k) y_k / (1 - w^n). Values that are not numbers are passed
/// over.
class Smoothing {
public:
    explicit Smoothing(double weight) : m_weight(weight) {}

    double add(double value)
    {
        if (std::isfinite(value)) {
            m_sum = m_weight * m_sum + (1 - m_weight) * value;
            m_mass = m_weight * m_mass + (1 - m_weight);
        }
        return m_mass > 0 ? m_sum / m_mass : value;
    }

private:
    double m_weight;
    double m_sum = 0;
    double m_mass = 0;
};

} // namespace unroll
