// SPDX-License-Identifier: GPL-3.0-or-later
// Going back in training time: the bar of the window, kept frames in its lens views, the strip.
#include "app/studio/compare/comparing.h"
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/lenses/answers/answers_view.h"
#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/signal_lens_view.h"
#include "app/studio/window/help_window.h"
#include "app/studio/window/lens_panel.h"
#include "core/session/run_record.h"
#include "tests/gui/area.h"
#include "tests/gui/kept_run.h"
#include "tests/gui/parts.h"
#include "tests/gui/waiting.h"

#include <QSignalSpy>

namespace unroll::test {

namespace {

/// A window whose run keeps frames, with a view of unit statistics beside State.
struct Past : Studio {
    bool ready = showKept(*this);
    TrainingTime& time = timeOf(window);
    TimeLine& line = timeLineOf(window);
    StatePanel& state = window.panel<StatePanel>();

    SignalLensView& open(const std::string& lens)
    {
        Dock& dock = window.panels().dock(lensPanelId(lens, 1));
        dock.setFloating(true); // State stays seen
        dock.show();
        auto& panel = *qobject_cast<LensPanel*>(window.panels().at(lensPanelId(lens, 1)).widget);
        auto& view = dynamic_cast<SignalLensView&>(panel.view());
        if (view.lens().takesSignal) {
            view.picker().showNode("lstm");
            view.picker().showSignal("h");
        }
        return view;
    }
    /// -1: State shows nothing.
    std::int64_t shownUpdate() const { return state.map().isEmpty() ? -1 : state.map().data().frame().step; }
    KeptPage& pageOf(QWidget& view) const { return *view.findChild<KeptPage*>(); }
};

} // namespace

class KeptTimeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBarIsSeenWhereSomethingIsKept()
    {
        Studio studio;
        QVERIFY(!timeLineOf(studio.window).isVisible());
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        QVERIFY(!timeLineOf(studio.window).isVisible()); // this run keeps none
        Past past;
        QVERIFY(past.ready);
        QCOMPARE(past.line.slider().maximum(), 8); // eight updates, and live
        QCOMPARE(past.line.slider().value(), 8);
        QVERIFY(partNamed<QToolButton>(past.line, "toggle").isChecked());
        QVERIFY(past.time.isLive());
    }

    /// The values are those that were kept, in half precision; order, scale and drawing are State's own.
    void stateShowsWhatWasKept()
    {
        Past past;
        QVERIFY(past.ready);
        past.line.slider().setValue(2);
        QTRY_COMPARE(past.shownUpdate(), 200);
        QCOMPARE(past.line.shownText(), QString("update 200"));
        QVERIFY(says(past.state, "Update 200"));
        const HeatCells& cells = past.state.map().data().cells();
        for (const auto& [t, unit] : {std::pair(0, 0), {39, 23}, {17, 5}})
            QVERIFY(std::fabs(cells.at(t, unit) - scriptedSignal(200, t, unit)) <= 1.0 / 2048);
        past.window.controller().look(); // the newest changes nothing of what is shown
        QVERIFY(staysFor(80, [&] { return past.shownUpdate() == 200; }));
        past.state.showSignal("c"); // nothing of it was kept
        QTRY_VERIFY(past.state.isEmpty());
        past.state.showSignal("h");
        QTRY_COMPARE(past.shownUpdate(), 200);
        past.line.slider().setValue(8);
        QTRY_COMPARE(past.shownUpdate(), past.window.controller().snapshot()->step);
        QVERIFY(past.time.isLive());
        QCOMPARE(past.state.map().data().cells().at(5, 3), scriptedSignal(past.shownUpdate(), 5, 3));
    }

    /// It is of the newest, which is not what the bar shows then.
    void aComparisonSaysThatItIsOfTheNewest()
    {
        Past past;
        QVERIFY(past.ready);
        Comparing& sides = *Comparing::of(past.state);
        sides.choose({.kind = SecondSide::Kind::Touched, .edit = "lstm.h[3] = 0"});
        QTRY_VERIFY(!sides.page()->isEmpty());
        past.line.slider().setValue(2);
        QTRY_VERIFY(sides.page()->isEmpty());
        QVERIFY(sides.page()->sentence().contains("update 200"));
        past.time.setStrip(true);
        QTRY_VERIFY(sides.page()->sentence().contains("several updates"));
        past.time.goLive();
        QTRY_VERIFY(!sides.page()->isEmpty());
    }

    void theKeyboardGoesThrough()
    {
        Past past;
        QVERIFY(past.ready);
        QSlider& slider = past.line.slider();
        slider.setFocus();
        QTest::keyClick(&slider, Qt::Key_Left);
        QTRY_COMPARE(past.shownUpdate(), 1000);
        QTest::keyClick(&slider, Qt::Key_Left);
        QTRY_COMPARE(past.shownUpdate(), 800);
        QTest::keyClick(&slider, Qt::Key_Home);
        QTRY_COMPARE(past.shownUpdate(), 0);
        QTest::keyClick(&slider, Qt::Key_Space);
        QVERIFY(past.time.isPlaying());
        QTRY_VERIFY(past.time.update() >= 200);
        QTest::keyClick(&slider, Qt::Key_Space);
        QVERIFY(!past.time.isPlaying());
        QTest::keyClick(&slider, Qt::Key_Escape);
        QVERIFY(past.time.isLive());
        QTest::keyClick(&slider, Qt::Key_Left);
        QTest::keyClick(&slider, Qt::Key_End);
        QVERIFY(past.time.isLive());
    }

    void playingEndsLive()
    {
        Past past;
        QVERIFY(past.ready);
        QSignalSpy changed(&past.time, &TrainingTime::changed);
        QTest::mouseClick(&partNamed<QToolButton>(past.line, "play"), Qt::LeftButton);
        QVERIFY(past.time.isPlaying());
        QCOMPARE(past.time.update(), 0); // from the beginning
        QTRY_VERIFY(past.time.isLive());
        QVERIFY(!past.time.isPlaying());
        QCOMPARE(changed.size(), 9);
    }

    void allViewsGoBack()
    {
        Past past;
        QVERIFY(past.ready);
        SignalLensView& stats = past.open("unit_stats");
        SignalLensView& gates = past.open("gates");
        QTRY_VERIFY(!stats.isEmpty());
        past.time.goTo(310);
        KeptPage& kept = past.pageOf(stats);
        QTRY_VERIFY(kept.isVisible() && !kept.isEmpty());
        QVERIFY(says(kept, "Update 300"));
        const Figure then = scriptedFigure(300, keptOf("unit_stats"));
        QCOMPARE(kept.view().figure()->shows, then.shows);
        const auto &shown = kept.view().figure()->panels[0].series[0].y, &was = then.panels[0].series[0].y;
        QCOMPARE(shown.size(), was.size());
        for (std::size_t i = 0; i < was.size(); ++i)
            QVERIFY(std::fabs(shown[i] - was[i]) <= std::fabs(was[i]) / 2048 + 1e-9);
        QVERIFY(stats.picker().isVisible()); // what is chosen stays to be chosen
        QTRY_VERIFY(past.pageOf(gates).isVisible());
        QVERIFY(past.pageOf(gates).isEmpty()); // never kept: a sentence
        past.time.goLive();
        QTRY_VERIFY(!kept.isVisible());
        QVERIFY(!stats.isEmpty());
    }

    void theStripStandsOnOneScale()
    {
        Past past;
        QVERIFY(past.ready);
        SignalLensView& stats = past.open("unit_stats");
        past.open("spectrum");
        QTRY_VERIFY(!stats.isEmpty());
        QTest::mouseClick(&partNamed<QToolButton>(past.line, "strip"), Qt::LeftButton);
        KeptPage& state = past.pageOf(past.state);
        QTRY_VERIFY(state.isVisible() && !state.isEmpty());
        const FigurePanel& cells = state.view().figure()->panels[0];
        QCOMPARE(cells.cells->columns, std::int64_t{8 * 40});
        QCOMPARE(cells.rules.size(), std::size_t{8});
        QCOMPARE(cells.rules[5].label, std::string("600"));
        QVERIFY(std::fabs(cells.cells->values[40 * 5 + 7] - scriptedSignal(600, 7, 0)) <= 1.0 / 2048);
        QTRY_VERIFY(!past.pageOf(stats).isEmpty());
        QVERIFY(partNamed<QToolButton>(past.line, "strip").isChecked() &&
                !partNamed<QToolButton>(past.line, "toggle").isChecked());
        QVERIFY(!past.state.grab().isNull());
        QTest::mouseClick(&partNamed<QToolButton>(past.line, "toggle"), Qt::LeftButton);
        QVERIFY(past.time.isLive() && !state.isVisible());
        QVERIFY(!past.state.isEmpty());
    }

    /// A frame that comes later is found; one that is damaged gives a sentence, and the others are there.
    void theFolderIsReadAgainAndWhatIsDamagedIsSaid()
    {
        Past past;
        QVERIFY(past.ready);
        keepFrames(past.script->runFolder, {1200});
        const auto folder = framesFolder(past.script->runFolder) / seriesName(keptOf("state"));
        QFile damaged(QString::fromStdString((folder / frameName(400)).string()));
        QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write("none") == 4);
        damaged.close();
        past.key(Qt::Key_F5, Qt::ShiftModifier); // the end of a run
        QTRY_COMPARE(past.window.controller().state(), RunState::Stopped);
        past.time.rescan();
        QTRY_COMPARE(past.time.updates().back(), 1200);
        past.time.goTo(400);
        QTRY_VERIFY(past.state.isEmpty());
        past.time.goTo(1200);
        QTRY_COMPARE(past.shownUpdate(), 1200);
    }

    void theBarHasItsPage()
    {
        Past past;
        QVERIFY(past.ready);
        past.line.slider().setFocus();
        QTest::keyClick(&past.line.slider(), Qt::Key_F1);
        auto* help = past.window.findChild<HelpWindow*>();
        QVERIFY(help != nullptr && help->markdown().startsWith("# Training time"));
    }

    void anEndedRunGoesBackToo()
    {
        Past past;
        QVERIFY(past.ready);
        past.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(past.window.controller().state(), RunState::Stopped);
        past.time.goTo(300);
        RunRecord record;
        record.experiment = past.window.document().experiment();
        record.snapshot.state = RunState::Finished;
        record.snapshot.step = 1000;
        record.snapshot.device = "cpu";
        record.snapshot.runFolder = past.folder.filePath("ended").toStdString();
        keepFrames(record.snapshot.runFolder, {10, 20, 30});
        past.script->notOpened = "its checkpoint is gone"; // no model is needed
        past.window.controller().show(record.experiment, record);
        QVERIFY(past.time.isLive()); // another run
        QTRY_COMPARE(past.time.updates(), (std::vector<std::int64_t>{10, 20, 30}));
        past.time.goTo(20);
        QTRY_COMPARE(past.shownUpdate(), 20);
        past.window.controller().forget();
        QVERIFY(past.time.isLive());
        QVERIFY(!past.line.isVisible());
    }
};

static const AreaOf<KeptTimeTest> keptTimeTestArea("keptTime");

} // namespace unroll::test

#include "kept_time_test.moc"
