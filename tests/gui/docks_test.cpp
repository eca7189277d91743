// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/layouts.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QDialog>
#include <QRegularExpression>

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

    static void letGo(Studio& studio)
    {
        QTest::mouseRelease(studio.window.windowHandle(), Qt::LeftButton, {}, QPoint(400, 300));
    }

    /// As the layout has it: all it shows in the window, none without.
    static void isLaidOut(Studio& studio, const QString& layout)
    {
        for (const Dock* dock : studio.window.docks().all())
            QVERIFY2(!dock->isFloating() &&
                         studio.window.dockWidgetArea(const_cast<Dock*>(dock)) != Qt::NoDockWidgetArea,
                     qPrintable(dock->objectName()));
        const Docks& docks = studio.window.docks();
        QCOMPARE(docks.curves->isVisible(), layout != "edit");
        QCOMPARE(docks.palette->isVisible(), layout == "edit");
    }

    static void everyLayout()
    {
        QTest::addColumn<QString>("layout");
        for (const QString& name : layoutNames())
            QTest::addRow("%s", qPrintable(name)) << name;
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression("layout|QMain|QDock")); }

    void layoutsTakeBackWhatFloats_data() { everyLayout(); }
    void layoutsTakeBackWhatFloats()
    {
        QFETCH(QString, layout);
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        for (Dock* dock : {studio.window.docks().curves, studio.window.docks().samples}) {
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
        pull(studio, studio.window.docks().curves);
        QVERIFY(studio.window.arrange(layout));
        isLaidOut(studio, layout);
        letGo(studio);
        isLaidOut(studio, layout);
    }

    void aDialogLetsGoOfAPanel()
    {
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        pull(studio, studio.window.docks().curves);
        QDialog dialog(&studio.window);
        dialog.setModal(true);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        dialog.reject();
        const QPoint there = studio.window.docks().curves->pos();
        QTest::mouseMove(studio.window.windowHandle(), QPoint(200, 200));
        QCOMPARE(studio.window.docks().curves->pos(), there); // no hand holds it any more
        letGo(studio);
    }

    void aWindowClosesWithAPanelInHand()
    {
        Studio studio;
        QVERIFY(studio.window.arrange("watch"));
        pull(studio, studio.window.docks().curves);
        QVERIFY(studio.window.close());
        letGo(studio);
    }
};

static const AreaOf<DocksTest> area("docks");

} // namespace unroll::test

#include "docks_test.moc"
