// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/series_store.h"
#include "app/studio/curves/smoothing.h"

namespace unroll {

/// The smoothed form of a series that grows: point for point at the same x.
class SmoothedSeries {
public:
    /// Restarts with this weight (see Smoothing) and smooths what is there.
    void restart(double weight, const SeriesStore* raw)
    {
        m_smoothing = Smoothing(weight);
        m_store.clear();
        follow(raw);
    }

    /// Smooths what is new in the series it was started with; nullptr: nothing is there yet.
    void follow(const SeriesStore* raw)
    {
        for (std::size_t i = m_store.size(); raw != nullptr && i < raw->size(); ++i)
            m_store.append(raw->x(i), m_smoothing.add(raw->y(i)));
    }

    const SeriesStore& store() const { return m_store; }

private:
    Smoothing m_smoothing{0};
    SeriesStore m_store;
};

} // namespace unroll
