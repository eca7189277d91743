// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/dock_tabs.h"
#include "app/studio/window/layouts.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/states.h"

#include <QContextMenuEvent>
#include <QDialog>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>

namespace unroll::test {

/// Panels are taken by their titles, out of the window and back, and layouts are chosen meanwhile.
class DocksTest : public QObject {
    Q_OBJECT

    /// Presses on the panel's title and pulls; the hand stays down.
    static void pull(Studio& studio, Dock* dock)
    {
        const QPoint title = dock->titleBarWidget()->mapTo(&studio.window, QPoint(20, 10));
        QTest::mousePress(studio.window.windowHandle(), Qt::LeftButton, {}, title);
        for (int step = 1; step <= 6; ++step)
            QTest::mouseMove(studio.window.windowHandle(), title + QPoint(-30, 25) * step);
        QTRY_VERIFY(dock->isFloating());
    }

    static void release(Studio& studio)
    {
        QTest::mouseRelease(studio.window.windowHandle(), Qt::LeftButton, {}, QPoint(400, 300));
    }

    /// As the layout has it: all it shows in the window, none without.
    static void isLaidOut(Studio& studio, const QString& layout)
    {
        for (const Dock* dock : studio.window.panels().docks())
            QVERIFY2(!dock->isFloating() &&
                         studio.window.dockWidgetArea(const_cast<Dock*>(dock)) != Qt::NoDockWidgetArea,
                     qPrintable(dock->objectName()));
        const PanelSet& panels = studio.window.panels();
        QCOMPARE(panels.dock("curves").isVisible(), layout != "edit");
        QCOMPARE(panels.dock("palette").isVisible(), layout == "edit");
    }

    static void everyLayout()
    {
        QTest::addColumn<QString>("layout");
        for (const QString& name : layoutNames())
            QTest::addRow("%s", qPrintable(name)) << name;
    }

    /// The bar with the panel's tab, and which one that is.
    static std::pair<QTabBar*, int> tabOf(Studio& studio, const Dock* dock)
    {
        for (auto* bar : studio.window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            for (int i = 0; bar->isVisible() && bar->count() > 1 && i < bar->count(); ++i)
                if (bar->tabText(i) == dock->windowTitle())
                    return {bar, i};
        return {nullptr, -1};
    }

    static QToolButton* tabButton(Studio& studio, const Dock* dock, const QString& name)
    {
        const auto [bar, tab] = tabOf(studio, dock);
        QWidget* buttons = bar != nullptr ? bar->tabButton(tab, QTabBar::RightSide) : nullptr;
        for (auto* button : buttons != nullptr ? buttons->findChildren<QToolButton*>() : QList<QToolButton*>())
            if (button->accessibleName().startsWith(name))
                return button;
        return nullptr;
    }

    static void comesBackByTheMenu(Dock* dock)
    {
        QTRY_VERIFY(dock->isHidden() && !dock->toggleViewAction()->isChecked());
        dock->toggleViewAction()->trigger();
        QVERIFY(!dock->isHidden() && !dock->isFloating() && dock->toggleViewAction()->isChecked());
    }

private Q_SLOTS:
    void everyTabbedPanelClosesAndFloatsByItsTab()
    {
        Studio studio;
        for (const QString& layout : layoutNames()) {
            QVERIFY(studio.window.arrange(layout));
            QCoreApplication::processEvents();
            for (Dock* dock : studio.window.panels().docks()) {
                if (dock->isHidden() || studio.window.tabifiedDockWidgets(dock).isEmpty() ||
                    tabOf(studio, dock).first == nullptr)
                    continue;
                const QByteArray where = (layout + ' ' + dock->objectName()).toLatin1();
                dock->raise();
                QTRY_VERIFY2(tabButton(studio, dock, "Close") != nullptr, where);
                QTest::mouseClick(tabButton(studio, dock, "Close"), Qt::LeftButton);
                comesBackByTheMenu(dock);
                dock->raise();
                QTRY_VERIFY2(tabButton(studio, dock, "Detach") != nullptr, where);
                QTest::mouseClick(tabButton(studio, dock, "Detach"), Qt::LeftButton);
                QTRY_VERIFY2(dock->isFloating(), where);
                dock->setFloating(false);
                QTRY_VERIFY2(tabOf(studio, dock).first != nullptr, where);
            }
        }
    }

    void panelsAreWholeInAWindowOfUsualSize_data() { everyLayout(); }
    void panelsAreWholeInAWindowOfUsualSize()
    {
        QFETCH(QString, layout);
        Studio studio;
        for (const StudioState& state : runStates())
            if (state.name == "paused")
                state.reach(studio); // with data in Curves, State, Samples
        QVERIFY(studio.window.arrange(layout));
        for (Dock* dock : studio.window.panels().docks()) {
            if (dock->isHidden())
                continue;
            dock->raise();
            settle(studio.window);
            const auto* body = dock->findChild<QScrollArea*>("dockScroll");
            QVERIFY(body != nullptr);
            QVERIFY2(body->verticalScrollBar()->maximum() == 0, qPrintable(dock->objectName()));
        }
    }

    void onlyTheTabInFrontHasButtons()
    {
        Studio studio;
        QCoreApplication::processEvents();
        const PanelSet& panels = studio.window.panels();
        QTRY_VERIFY(tabButton(studio, &panels.dock("state"), "Close") != nullptr);
        QVERIFY(tabButton(studio, &panels.dock("runs"), "Close") == nullptr);
        const auto [bar, tab] = tabOf(studio, &panels.dock("runs"));
        bar->setCurrentIndex(tab);
        QTRY_VERIFY(tabButton(studio, &panels.dock("runs"), "Close") != nullptr);
        QTRY_VERIFY(tabButton(studio, &panels.dock("state"), "Close") == nullptr);
    }

    void aMiddleClickClosesAPanel()
    {
        Studio studio;
        QCoreApplication::processEvents();
        for (Dock* dock : {&studio.window.panels().dock("runs"),
                           &studio.window.panels().dock("inspector")}) { // behind another, and in front
            QTRY_VERIFY(tabOf(studio, dock).first != nullptr);
            const auto [bar, tab] = tabOf(studio, dock);
            QTest::mouseClick(bar, Qt::MiddleButton, {}, bar->tabRect(tab).center());
            comesBackByTheMenu(dock);
        }
    }

    void aTabHasAMenu()
    {
        Studio studio;
        QCoreApplication::processEvents();
        Dock* runs = &studio.window.panels().dock("runs");
        const auto choose = [&](const QString& entry) {
            QTRY_VERIFY(tabOf(studio, runs).first != nullptr);
            const auto [bar, tab] = tabOf(studio, runs);
            const QPoint at = bar->tabRect(tab).center();
            QContextMenuEvent asked(QContextMenuEvent::Mouse, at, bar->mapToGlobal(at));
            QApplication::sendEvent(bar, &asked);
            auto* menu = studio.window.findChild<QMenu*>("tabMenu");
            QVERIFY(menu != nullptr);
            for (QAction* action : menu->actions())
                if (QString(action->text()).remove('&').startsWith(entry))
                    action->trigger();
            menu->close();
        };
        choose("Close");
        comesBackByTheMenu(runs);
        QTRY_VERIFY(studio.window.findChild<QMenu*>("tabMenu") == nullptr);
        choose("Detach");
        QTRY_VERIFY(runs->isFloating());
        const auto buttons = [runs] { return runs->titleBarWidget()->findChildren<QToolButton*>(); };
        QTRY_VERIFY(!buttons().empty());                      // it stands in no tab any more, so it has a title
        QTest::mouseClick(buttons().front(), Qt::LeftButton); // and back
        QTRY_VERIFY(!runs->isFloating());
    }

    void initTestCase() { QTest::failOnWarning(QRegularExpression("layout|QMain|QDock")); }

    void layoutsTakeBackWhatFloats_data() { everyLayout(); }
    void layoutsTakeBackWhatFloats()
    {
        QFETCH(QString, layout);
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        for (Dock* dock : {&studio.window.panels().dock("curves"), &studio.window.panels().dock("samples")}) {
            dock->setFloating(true);
            QVERIFY(dock->isFloating());
        }
        QVERIFY(studio.window.arrange(layout));
        isLaidOut(studio, layout);
    }

    void layoutsTakeBackWhatIsHeld_data() { everyLayout(); }
    void layoutsTakeBackWhatIsHeld()
    {
        QFETCH(QString, layout);
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        pull(studio, &studio.window.panels().dock("curves"));
        QVERIFY(studio.window.arrange(layout));
        isLaidOut(studio, layout);
        release(studio);
        isLaidOut(studio, layout);
    }

    void aDialogLetsGoOfAPanel()
    {
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        pull(studio, &studio.window.panels().dock("curves"));
        QDialog dialog(&studio.window);
        dialog.setModal(true);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        dialog.reject();
        const QPoint there = studio.window.panels().dock("curves").pos();
        QTest::mouseMove(studio.window.windowHandle(), QPoint(200, 200));
        QCOMPARE(studio.window.panels().dock("curves").pos(), there); // no hand holds it any more
        release(studio);
    }

    void aWindowClosesWithAPanelInHand()
    {
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        pull(studio, &studio.window.panels().dock("curves"));
        QVERIFY(studio.window.close());
        release(studio);
    }
};

static const AreaOf<DocksTest> docksTestArea("docks");

} // namespace unroll::test

#include "docks_test.moc"
