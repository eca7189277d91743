// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_view.h"
#include "app/studio/palette/palette_panel.h"
#include "app/studio/palette/palette_popup.h"

namespace unroll {

/// Between the palettes and the canvas: what is chosen there stands here, wired where a wire asked for it.
class BlockPlacer : public QObject {
    Q_OBJECT
public:
    BlockPlacer(GraphView& view, PalettePopup& popup, PalettePanel& panel, RecentBlocks recent,
                QObject* parent = nullptr);

private:
    void ask(const QPoint& at, const std::optional<WireEnd>& end);
    void askForWire(const QPoint& at, const Wire& wire);
    void placeChosen(const QString& block);
    void placeInView(const QString& block);
    void placeDropped(const QString& block, const QPointF& at, bool intoWires);

    GraphView& m_view;
    PalettePopup& m_popup;
    RecentBlocks m_recent;
    QPointF m_at;                 ///< scene coordinates
    std::optional<WireEnd> m_end; ///< that the block is for,
    std::optional<Wire> m_wire;   ///< or this
};

} // namespace unroll
