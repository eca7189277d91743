// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/layout/layout.h"

#include <algorithm>
#include <limits>

namespace unroll {

/// A rectangle on the canvas, in scene units; as it is made, none.
struct Box {
    double left = std::numeric_limits<double>::infinity();
    double top = std::numeric_limits<double>::infinity();
    double right = -std::numeric_limits<double>::infinity();
    double bottom = -std::numeric_limits<double>::infinity();

    Place middle() const { return {(left + right) / 2, (top + bottom) / 2}; }
    bool holds(const Place& point) const
    {
        return point.x > left && point.x < right && point.y > top && point.y < bottom;
    }
    /// More than an edge in common.
    bool meets(const Box& other) const
    {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    Box with(const Box& other) const
    {
        return {std::min(left, other.left), std::min(top, other.top), std::max(right, other.right),
                std::max(bottom, other.bottom)};
    }
    Box movedRight(double by) const { return {left + by, top, right + by, bottom}; }
};

inline Box boxOf(const Place& place, const NodeExtent& extent)
{
    return {place.x, place.y, place.x + extent.width, place.y + extent.height};
}

/// One without size for a node that is not listed.
inline const NodeExtent& extentOf(const NodeExtents& extents, NodeId id)
{
    static const NodeExtent none;
    const auto found = extents.find(id);
    return found == extents.end() ? none : found->second;
}

} // namespace unroll
