// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_picture.h"

#include "app/studio/canvas/node_item.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace unroll {

BlockPicture blockPicture(const BlockSpec& spec, const BlockRegistry& registry, const Appearance& appearance,
                          double ratio)
{
    Node node;
    node.id = 1;
    node.block = node.name = spec.id;
    NodeItem item(node.id, appearance);
    item.setFace(nodeFace(node, Graph(), nullptr, registry, nullptr, {}));
    const QRectF area = item.boundingRect();
    QPixmap pixmap((area.size() * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-area.topLeft());
    const QStyleOptionGraphicsItem option;
    item.paint(&painter, &option, nullptr);
    return {pixmap, (-area.topLeft()).toPoint()};
}

} // namespace unroll
