// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <QAbstractSpinBox>
#include <QMenu>

namespace unroll::test {

/// A real studio on an empty canvas, and the two ways to build on it.
struct EmptyCanvas {
    BlockRegistry registry = allSpecs();
    Studio studio{sessionRuns(registry, allBuilders())};

    EmptyCanvas()
    {
        Experiment empty;
        empty.training.evaluateEvery = 0;
        empty.training.evaluateBatches = 1;
        empty.training.evaluateWhole = false;
        empty.training.sampleEvery = 0;
        empty.training.threads = 1;
        studio.window.arrange("edit");
        studio.window.document().replace(std::move(empty), {});
        QApplication::processEvents();
        studio.window.canvas().zoomBy(0.6 / studio.window.canvas().zoom());
        studio.window.canvas().centerOn(0, 0);
    }

    bool isWired(const std::string& from, const std::string& output, const std::string& to, const std::string& input)
    {
        const Wire* wire = studio.graph().wireInto({studio.id(to), input});
        return wire != nullptr && wire->from == PortRef{studio.id(from), output};
    }
    bool isWhole()
    {
        return isWired("text", "tokens", "embedding", "tokens") && isWired("embedding", "y", "lstm", "x") &&
               isWired("lstm", "y", "head", "x") && isWired("text", "targets", "head", "targets");
    }
    bool isRunnable()
    {
        const auto& checked = studio.window.document().checked();
        return checked->order.size() == 4 && checked->runnable();
    }

    // The mouse
    void clickInPanel(const std::string& block)
    {
        BlockList& list = studio.window.panel<PalettePanel>().picker().list();
        const QModelIndex row = list.model()->index(list.blocks().rowOf(*studio.registry.find(block)), 0);
        list.scrollTo(row);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(row).center());
    }
    QPoint port(const std::string& node, const std::string& name, bool output)
    {
        return studio.window.canvas().mapFromScene(studio.window.scene().placeOf({{studio.id(node), name}, output}));
    }
    void dragTo(const std::string& node, const QPointF& corner)
    {
        const QPoint from = studio.headerOf(node);
        const QPointF way = corner - studio.item(node).pos();
        studio.drag(from, from + (way * studio.window.canvas().zoom()).toPoint());
    }
    void wire(const std::string& from, const std::string& output, const std::string& to, const std::string& input)
    {
        studio.drag(port(from, output, true), port(to, input, false));
    }

    /// Text, embedding, LSTM and head, put apart and wired.
    void buildByMouse()
    {
        for (const char* block : {"text", "embedding", "lstm", "head"})
            clickInPanel(block);
        QCOMPARE(studio.graph().nodes.size(), std::size_t{4});
        dragTo("text", {-480, 100});
        dragTo("embedding", {-220, -60});
        dragTo("lstm", {40, -60});
        dragTo("head", {300, 100});
        wire("text", "tokens", "embedding", "tokens");
        wire("embedding", "y", "lstm", "x");
        studio.drag(port("head", "x", false), port("lstm", "y", true)); // from the other end
        wire("text", "targets", "head", "targets");
    }

    void typeUnits(const QString& digits)
    {
        QTest::mouseClick(studio.window.canvas().viewport(), Qt::LeftButton, {}, studio.headerOf("lstm"));
        typeInto(studio.window.panel<InspectorPanel>().page()->form().editor("units"), digits);
    }
    static void typeInto(QWidget* editor, const QString& digits)
    {
        auto* field = editor->findChild<QAbstractSpinBox*>();
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, digits);
        QTest::keyClick(field, Qt::Key_Return);
    }

    // The keyboard
    void press(int key, Qt::KeyboardModifiers keys = {})
    {
        QWidget* target = QApplication::activePopupWidget();
        if (target == nullptr) {
            studio.window.activateWindow(); // after a menu no window is active on this platform
            (void)QTest::qWaitForWindowActive(&studio.window);
            target = studio.window.focusWidget();
        }
        QTest::keyClick(target, static_cast<Qt::Key>(key), keys);
    }
    void add(const QString& words)
    {
        press(Qt::Key_Tab);
        QTest::keyClicks(QApplication::focusWidget(), words);
        press(Qt::Key_Return);
    }
    /// Opens the wires of the selected node and goes down to the entry.
    bool choose(const QString& port, const QString& partner)
    {
        press(Qt::Key_W);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr || !goTo(menu, port))
            return false;
        press(Qt::Key_Right);
        auto* entries = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (entries == nullptr || entries == menu || !goTo(entries, partner))
            return false;
        press(Qt::Key_Return);
        return true;
    }
    bool goTo(QMenu* menu, const QString& words)
    {
        for (int i = 0; i < 20; ++i) {
            if (menu->activeAction() != nullptr && menu->activeAction()->text().startsWith(words))
                return true;
            press(Qt::Key_Down);
        }
        return false;
    }
};

} // namespace unroll::test
