// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_placer.h"

#include "app/studio/canvas/block_adder.h"

namespace unroll {

BlockPlacer::BlockPlacer(GraphView& view, PalettePopup& popup, PalettePanel& panel, RecentBlocks recent,
                         QObject* parent)
    : QObject(parent), m_view(view), m_popup(popup), m_recent(recent)
{
    connect(&view, &GraphView::blockAsked, this, &BlockPlacer::ask);
    connect(&view, &GraphView::blockForWireAsked, this, &BlockPlacer::askForWire);
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
    m_wire.reset();
    const auto type = end ? typeOf(scene.shown(), scene.registry(), *end) : std::nullopt;
    m_popup.openAt(m_view.viewport()->mapToGlobal(at), type ? fitting({*type, end->isOutput}) : BlockFilter());
}

/// Lists the blocks that both halves of the wire fit.
void BlockPlacer::askForWire(const QPoint& at, const Wire& wire)
{
    const WireItem* item = m_view.graphScene().wire(wire);
    if (item == nullptr)
        return;
    m_at = m_view.mapToScene(at);
    m_end.reset();
    m_wire = wire;
    const BlockFilter takes = fitting({item->carries(), true}), gives = fitting({item->carries(), false});
    m_popup.openAt(m_view.viewport()->mapToGlobal(at),
                   [takes, gives](const BlockSpec& spec) { return takes(spec) && gives(spec); });
}

void BlockPlacer::placeChosen(const QString& block)
{
    m_recent.note(block);
    BlockAdder blocks(m_view.graphScene());
    const std::string id = block.toStdString();
    if (const auto into = m_wire ? blocks.insertionInto(id, *m_wire) : std::nullopt)
        blocks.add(id, m_at - blocks.bodyOf(id, {}).center(), *into);
    else if (m_end)
        blocks.add(id, m_at, *m_end);
    else
        blocks.add(id, blocks.freePlace(id, m_at));
    m_view.revealPicked();
}

void BlockPlacer::placeInView(const QString& block)
{
    m_recent.note(block);
    BlockAdder blocks(m_view.graphScene());
    const QPointF middle = m_view.mapToScene(m_view.viewport()->rect().center());
    const QPointF corner = middle - blocks.bodyOf(block.toStdString(), {}).center();
    blocks.add(block.toStdString(), blocks.freePlace(block.toStdString(), corner));
    m_view.revealPicked();
}

void BlockPlacer::placeDropped(const QString& block, const QPointF& at, bool intoWires)
{
    m_recent.note(block);
    BlockAdder blocks(m_view.graphScene());
    const auto into = intoWires ? blocks.insertionOf(block.toStdString(), at) : std::nullopt;
    if (into)
        blocks.add(block.toStdString(), at, *into);
    else
        blocks.add(block.toStdString(), at);
}

} // namespace unroll
