// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <utility>

namespace unroll {

/// One axis of a chart: from where to where, and how values lie between. A share is the way along the axis, 0 at low
/// and 1 at high, evenly in what is seen: in log10 of the value where the axis is logarithmic.
struct AxisRange {
    double low = 0;
    double high = 1;  ///< > low
    bool log = false; ///< low > 0
    QString title;
    bool isTime = false; ///< seconds, written as durations

    bool operator==(const AxisRange&) const = default;

    double mapped(double value) const; ///< log10(value) on a logarithmic axis (value > 0), else the value itself
    double shareOf(double value) const;
    double valueAt(double share) const;

    /// The same axis from share to share. One that no numbers can be distinguished on any more, or that leaves them,
    /// stays as it is.
    AxisRange between(double fromShare, double toShare) const;
    AxisRange moved(double share) const { return between(share, 1 + share); }
    /// `factor` times nearer (> 1) or farther about a place that stays where it is.
    AxisRange zoomed(double aboutShare, double factor) const;
};

/// Ends of a linear axis that leave a little room around what lies between; a quantity that is never negative keeps its
/// axis from 0 up.
std::pair<double, double> padded(double low, double high);

} // namespace unroll
