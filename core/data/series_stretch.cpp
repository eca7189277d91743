// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_dataset.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace unroll {

/// The last rows of a file are read, and nothing is asked for there.
Batch SeriesDataset::stretch(Split split, int64_t at, int64_t length) const
{
    assert(at >= 0 && at < places(split) && length >= 1);
    const auto inputs = static_cast<int64_t>(m_scales.inputs.size());
    const auto targets = static_cast<int64_t>(m_scales.targets.size());
    const int64_t first = split == Split::All ? at : part(split).first + at;
    int64_t fileEnd = m_files.first;
    for (const int64_t rows : {m_files.validation, m_files.test})
        fileEnd += first >= fileEnd ? rows : 0;
    const int64_t end = std::min(first + length, split == Split::All ? fileEnd : part(split).first + part(split).count);
    Batch batch;
    batch.steps = end - first;
    batch.sequences = 1;
    batch.features.assign(m_features.begin() + first * inputs, m_features.begin() + end * inputs);
    batch.values.assign(static_cast<size_t>(batch.steps * targets), std::nanf(""));
    if (const int64_t asked = std::min(end + m_horizon, fileEnd); asked > first + m_horizon)
        std::copy(m_values.begin() + (first + m_horizon) * targets, m_values.begin() + asked * targets,
                  batch.values.begin());
    batch.fresh = {1};
    return batch;
}

} // namespace unroll
