// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_placer.h"

namespace unroll {

BlockPlacer::BlockPlacer(GraphView& view, PalettePopup& popup, PalettePanel& panel, RecentBlocks recent,
                         QObject* parent)
    : QObject(parent), m_view(view), m_popup(popup), m_recent(recent)
{
    connect(&view, &GraphView::blockAsked, this, &BlockPlacer::ask);
    connect(&view, &GraphView::blockDropped, this, &BlockPlacer::placeDropped);
    connect(&view.graphScene(), &GraphScene::changing, &popup, &PalettePopup::dismiss); // it was asked for that graph
    connect(&popup, &PalettePopup::chosen, this, &BlockPlacer::placeChosen);
    connect(&panel, &PalettePanel::placeAsked, this, &BlockPlacer::placeInView);
}

void BlockPlacer::ask(const QPoint& at, const std::optional<WireEnd>& end)
{
    const GraphScene& scene = m_view.graphScene();
    m_at = m_view.mapToScene(at);
    m_end = end;
    const auto type = end ? typeOf(scene.shown(), scene.registry(), *end) : std::nullopt;
    m_popup.openAt(m_view.viewport()->mapToGlobal(at), type ? fitting({*type, end->isOutput}) : BlockFilter());
}

void BlockPlacer::placeChosen(const QString& block)
{
    m_recent.note(block);
    GraphScene& scene = m_view.graphScene();
    if (m_end)
        scene.addBlock(block.toStdString(), m_at, *m_end);
    else
        scene.addBlock(block.toStdString(), scene.freePlace(block.toStdString(), m_at));
}

void BlockPlacer::placeInView(const QString& block)
{
    m_recent.note(block);
    GraphScene& scene = m_view.graphScene();
    const QPointF middle = m_view.mapToScene(m_view.viewport()->rect().center());
    const QPointF corner = middle - scene.bodyOf(block.toStdString(), {}).center();
    scene.addBlock(block.toStdString(), scene.freePlace(block.toStdString(), corner));
}

void BlockPlacer::placeDropped(const QString& block, const QPointF& at, bool intoWires)
{
    m_recent.note(block);
    GraphScene& scene = m_view.graphScene();
    const auto into = intoWires ? scene.insertionOf(block.toStdString(), at) : std::nullopt;
    if (into)
        scene.addBlock(block.toStdString(), at, *into);
    else
        scene.addBlock(block.toStdString(), at);
}

} // namespace unroll
