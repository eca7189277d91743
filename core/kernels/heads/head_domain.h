// SPDX-License-Identifier: GPL-3.0-or-later
// What the scans walk whose states are matrices of heads: outer_scan, delta_scan. T = steps, B = batch. Of one step of
// one sequence the heads lie one behind the other: heads * n keys, heads * m values, states row by row.
#pragma once

#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// The backward pass stores the state before every so many steps and makes those between them again; outer_scan makes
/// the products of as many steps together. A chunk of it costs half its length times n + m for what its steps are to
/// each other, and saves all but one of its walks over the n * m numbers of the state.
inline constexpr std::int64_t kHeadChunk = 16;

/// Keys or values of a head that a GPU's threads keep, at most.
inline constexpr std::int64_t kMaxHeadColumn = 256;

/// `width` counts what CUDA threads walk: columns of the states, or rows. The CPU takes heads.
struct HeadDomain : ScanDomain {
    std::int64_t heads = 0, keys = 1, values = 1;
    std::int64_t decays = 1; ///< numbers of a factor: n, or 1 for all keys of a head

    std::int64_t cpuColumns() const { return heads; }
    std::int64_t elementsAColumn() const { return keys * values; }

    UNROLL_HOST_DEVICE std::int64_t firstKey(std::int64_t head) const { return head * keys; }
    UNROLL_HOST_DEVICE std::int64_t firstValue(std::int64_t head) const { return head * values; }
    UNROLL_HOST_DEVICE std::int64_t firstDecay(std::int64_t head) const { return head * decays; }
    UNROLL_HOST_DEVICE std::int64_t firstState(std::int64_t head) const { return head * keys * values; }

    /// ScanDomain's, with heads that can be.
    bool holds(bool states, bool sequences) const
    {
        return heads >= 0 && keys >= 1 && values >= 1 && (decays == 1 || decays == keys) &&
               ScanDomain::holds(states, sequences);
    }
};

} // namespace unroll::kernels
