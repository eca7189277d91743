// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <QCursor>

namespace unroll::test {

// What the tests of editing commands do and ask.

inline void press(Studio& studio, Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    GraphView& view = studio.window.canvas();
    if (!view.hasFocus()) {
        studio.window.activateWindow();
        view.setFocus();
        QTRY_VERIFY(view.hasFocus());
    }
    QTest::keyClick(&view, key, modifiers);
}

/// Every node and wire of the graph shown stands where the document has it, and no other.
inline void viewEqualsDocument(Studio& studio)
{
    const Graph& graph = studio.graph();
    QCOMPARE(static_cast<std::size_t>(studio.window.scene().nodeItems().size()), graph.nodes.size());
    for (const auto& [id, node] : graph.nodes) {
        const NodeItem* item = studio.window.scene().node(id);
        QVERIFY(item != nullptr);
        QCOMPARE(item->pos(), QPointF(node->place.x, node->place.y));
        QCOMPARE(item->face().name, QString::fromStdString(node->name));
    }
    for (const Wire& wire : graph.wires)
        QVERIFY(studio.window.scene().wire(wire) != nullptr);
}

/// By clicks, as a hand does.
inline void choose(Studio& studio, const std::vector<std::string>& names)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton,
                          i == 0 ? Qt::NoModifier : Qt::ShiftModifier, studio.headerOf(names[i]));
    QCOMPARE(studio.window.scene().selection().size(), names.size());
}

/// Puts the cursor over the canvas; the grid point under it.
inline QPointF aimAt(Studio& studio, const QPoint& at)
{
    QCursor::setPos(studio.window.canvas().viewport()->mapToGlobal(at));
    return snapped(studio.window.canvas().mapToScene(at));
}

inline QPointF placeOf(const Graph& graph, const std::string& name)
{
    const Place& place = graph.findByName(name)->place;
    return {place.x, place.y};
}

inline bool isWired(const Graph& graph, const std::string& from, const std::string& output, const std::string& to,
                    const std::string& input)
{
    const Node *source = graph.findByName(from), *target = graph.findByName(to);
    if (source == nullptr || target == nullptr)
        return false;
    const Wire* wire = graph.wireInto({target->id, input});
    return wire != nullptr && wire->from == PortRef{source->id, output};
}

inline std::set<std::string> namesOf(const Graph& graph, const std::set<NodeId>& ids)
{
    std::set<std::string> names;
    for (const NodeId id : ids)
        names.insert(graph.find(id)->name);
    return names;
}

/// Undone, the document is as before; redone, as now.
inline void isOneStep(Studio& studio, const Graph& before)
{
    Document& document = studio.window.document();
    const Graph after = document.graph();
    QVERIFY(!(after == before));
    document.undo();
    QVERIFY(document.graph() == before);
    document.redo();
    QVERIFY(document.graph() == after);
}

inline void makeGroup(Studio& studio, const std::vector<std::string>& names, const std::string& name)
{
    std::set<NodeId> ids;
    for (const std::string& node : names)
        ids.insert(studio.id(node));
    QVERIFY(studio.window.document().apply(edits::makeGroup(ids, name)));
}

} // namespace unroll::test
