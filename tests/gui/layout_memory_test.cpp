// SPDX-License-Identifier: GPL-3.0-or-later
// How panels are left in a layout comes back: in the next window, and when the layout is chosen again.
#include "app/studio/lenses/signal_lens_view.h"
#include "app/studio/window/lens_panel.h"
#include "app/studio/window/lens_panels.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QComboBox>
#include <QJsonObject>

namespace unroll::test {

namespace {

SignalLensView& viewOf(MainWindow& window, const QString& id)
{
    return dynamic_cast<SignalLensView&>(qobject_cast<LensPanel*>(window.panels().at(id).widget)->view());
}

QStringList shownLenses(const MainWindow& window)
{
    QStringList ids;
    for (const PanelSet::Panel& panel : window.panels().all())
        if (isLensPanel(panel.spec.id) && !panel.dock->isHidden())
            ids << panel.spec.id;
    ids.sort();
    return ids;
}

std::string orderOf(const SignalLensView& view)
{
    return view.choices().value("settings").toObject().value("order").toString().toStdString();
}

/// Another window of the same program, as at the next start.
std::unique_ptr<MainWindow> nextWindow(Studio& studio)
{
    auto next = std::make_unique<MainWindow>(studio.context);
    next->show();
    (void)QTest::qWaitForWindowExposed(next.get());
    next->files().openDefault();
    QCoreApplication::processEvents();
    return next;
}

} // namespace

class LayoutMemoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inspectOpensWithAFewLenses()
    {
        Studio studio;
        QVERIFY(studio.window.arrange("inspect"));
        QCOMPARE(shownLenses(studio.window),
                 QStringList({"lens.answers", "lens.memory", "lens.spectrum", "lens.touch", "lens.tracks"}));
        QVERIFY(!studio.window.panels().dock("state").isHidden());
        studio.window.actions().layoutInspect->trigger();
        studio.window.panels().dock("lens.gates").toggleViewAction()->trigger();
        QVERIFY(shownLenses(studio.window).contains("lens.gates"));
    }

    void aLensOpenedTwiceComesBackWithItsChoices()
    {
        Studio studio;
        studio.window.actions().layoutInspect->trigger();
        studio.window.panels().dock("lens.tracks").close();
        studio.window.showPanel(studio.window.panels().dock("lens.unit_stats"));
        viewOf(studio.window, "lens.unit_stats").set("order", std::string("mean"));
        studio.window.lenses().addView("unit_stats");
        SignalLensView& second = viewOf(studio.window, "lens.unit_stats.2");
        second.set("order", std::string("deviation"));
        auto& signal = *second.picker().findChild<QComboBox*>("signals");
        signal.setCurrentIndex(signal.findText("f"));
        QCOMPARE(second.picker().signal(), std::string("f"));
        studio.window.lenses().addView("unit_stats").close(); // a third one, which is not opened again
        QVERIFY(studio.window.close());

        const auto next = nextWindow(studio);
        QCOMPARE(next->arrangement().name(), QStringLiteral("inspect"));
        QCOMPARE(shownLenses(*next), QStringList({"lens.answers", "lens.memory", "lens.spectrum", "lens.touch",
                                                  "lens.unit_stats", "lens.unit_stats.2"}));
        QVERIFY(!next->panels().has("lens.unit_stats.3"));
        next->showPanel(next->panels().dock("lens.unit_stats"));
        next->showPanel(next->panels().dock("lens.unit_stats.2"));
        QCOMPARE(orderOf(viewOf(*next, "lens.unit_stats")), std::string("mean"));
        QCOMPARE(orderOf(viewOf(*next, "lens.unit_stats.2")), std::string("deviation"));
        QCOMPARE(viewOf(*next, "lens.unit_stats.2").picker().signal(), std::string("f"));
        QVERIFY(viewOf(*next, "lens.unit_stats").picker().signal() != "f");
        QVERIFY(next->close());
    }

    /// What nobody looks at in a session is not forgotten.
    void choicesOfViewsThatWereNotSeenAreKept()
    {
        Studio studio;
        studio.window.actions().layoutInspect->trigger();
        studio.window.showPanel(studio.window.panels().dock("lens.unit_stats"));
        viewOf(studio.window, "lens.unit_stats").set("order", std::string("mean"));
        QVERIFY(studio.window.close());
        for (int start = 0; start < 2; ++start) {
            const auto next = nextWindow(studio);
            if (start == 1)
                QCOMPARE(orderOf(viewOf(*next, "lens.unit_stats")), std::string("mean"));
            QVERIFY(next->close());
        }
    }

    void whatFloatsComesBackWhereItWas()
    {
        Studio studio;
        studio.window.actions().layoutInspect->trigger();
        Dock& memory = studio.window.panels().dock("lens.memory");
        memory.setFloating(true);
        memory.setGeometry(120, 140, 420, 330);
        QCoreApplication::processEvents();
        const QSize size = memory.size();
        studio.window.panels().dock("curves").close();
        QVERIFY(studio.window.close());
        const auto next = nextWindow(studio);
        const Dock& there = next->panels().dock("lens.memory");
        QVERIFY(there.isFloating() && !there.isHidden());
        QCOMPARE(there.size(), size);
        QVERIFY(next->panels().dock("curves").isHidden());
        QVERIFY(next->close());
    }

    void eachLayoutHasAMemoryOfItsOwnAndIsReset()
    {
        Studio studio;
        studio.window.actions().layoutInspect->trigger();
        studio.window.panels().dock("lens.answers").close();
        studio.window.lenses().addView("memory");
        studio.window.actions().layoutTrain->trigger();
        QVERIFY(!studio.window.panels().dock("curves").isHidden());
        QVERIFY(shownLenses(studio.window).isEmpty());
        studio.window.panels().dock("curves").close();
        studio.window.actions().layoutInspect->trigger();
        QVERIFY(studio.window.panels().dock("lens.answers").isHidden());
        QVERIFY(!studio.window.panels().dock("lens.memory.2").isHidden());
        studio.window.actions().layoutTrain->trigger();
        QVERIFY(studio.window.panels().dock("curves").isHidden());
        studio.window.actions().layoutReset->trigger();
        QCOMPARE(studio.window.arrangement().name(), QStringLiteral("train"));
        QVERIFY(!studio.window.panels().dock("curves").isHidden());
        studio.window.actions().layoutInspect->trigger();
        studio.window.actions().layoutReset->trigger();
        QVERIFY(!studio.window.panels().dock("lens.answers").isHidden());
        QVERIFY(studio.window.panels().dock("lens.memory.2").isHidden());
        studio.window.actions().layoutTrain->trigger();
        studio.window.actions().layoutInspect->trigger();
        QVERIFY(!studio.window.panels().dock("lens.answers").isHidden());
    }

    /// The start page puts all panels away: that is none of the layout.
    void theStartPageChangesNothing()
    {
        Studio studio;
        studio.window.actions().layoutWatch->trigger();
        studio.window.panels().dock("samples").close();
        studio.window.startMode().show();
        QVERIFY(studio.window.panels().dock("state").isHidden());
        QVERIFY(studio.window.close());
        const auto next = nextWindow(studio);
        QVERIFY(!next->panels().dock("state").isHidden());
        QVERIFY(next->panels().dock("samples").isHidden());
        next->startMode().show();
        next->startMode().leave();
        QVERIFY(!next->panels().dock("state").isHidden());
        QVERIFY(next->panels().dock("samples").isHidden());
        QVERIFY(next->close());
    }

    void settingsOfAnotherVersionAreIgnored()
    {
        Studio studio;
        studio.window.actions().layoutInspect->trigger();
        studio.window.panels().dock("lens.answers").close();
        QVERIFY(studio.window.close());
        studio.settings.setValue("window/layouts/inspect/panels", QStringList{"state", "of-old"});
        studio.settings.setValue("window/choices", "[broken");
        const auto next = nextWindow(studio);
        QVERIFY(!next->panels().dock("lens.answers").isHidden());
        next->actions().layoutTrain->trigger();
        next->panels().dock("curves").close();
        next->actions().layoutInspect->trigger();
        studio.settings.setValue("window/layouts/train/state", QByteArray("no state"));
        next->actions().layoutTrain->trigger();
        QVERIFY(!next->panels().dock("curves").isHidden());
        QVERIFY(next->close());
    }
};

static const AreaOf<LayoutMemoryTest> layoutMemoryTestArea("layout_memory");

} // namespace unroll::test

#include "layout_memory_test.moc"
