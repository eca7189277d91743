// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMimeData>
#include <QPoint>

namespace unroll {

/// A block on its way from the palette to the canvas: its id, in UTF-8.
inline constexpr const char* kBlockMimeType = "application/x-unroll-block";

/// Where the pointer holds a dragged node, from the node's top left corner.
inline constexpr QPoint kBlockGrip{30, 15};

/// The caller owns it.
inline QMimeData* blockMime(const QString& id)
{
    auto* data = new QMimeData;
    data->setData(kBlockMimeType, id.toUtf8());
    return data;
}

/// The id of the block that is carried; empty: none is. Whether there is such a block, the registry knows.
inline QString blockOf(const QMimeData& data)
{
    return QString::fromUtf8(data.data(kBlockMimeType));
}

} // namespace unroll
