// SPDX-License-Identifier: GPL-3.0-or-later
// The views of lenses in a window: the general one, the cursor that all share, further views, what is asked of the run.
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/lenses/figure_lens_view.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/window/lens_panel.h"
#include "app/studio/window/lens_panels.h"
#include "core/export/place.h"
#include "core/figure/figure_csv.h"
#include "core/figure/write_figure.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QAbstractSpinBox>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <algorithm>

namespace unroll::test {

namespace {

LensPanel& panelOf(Studio& studio, const QString& id)
{
    return *qobject_cast<LensPanel*>(studio.window.panels().at(id).widget);
}

/// A general view of a lens, in a window of its own. The state's figure has cells over steps with units.
struct General : Studio {
    FigureLensView view{"state", {window.document(), window.controller(), appearance, window.cursor()}};

    General()
    {
        view.resize(600, 500);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
    }
    void train() { window.controller().step(window.document().experiment(), SessionOptions{}, 1); }
    bool isDrawn() const { return !view.isEmpty() && !view.view().panels().empty(); }
    FigurePanelView& panel() const { return *view.view().panels().front(); }
    qsizetype asked(const std::string& lens) const
    {
        return std::count_if(script->open.begin(), script->open.end(),
                             [&](const LensQuery& query) { return query.lens == lens; });
    }
};

/// The bytes that inspect --out X.npz writes of what is shown.
QByteArray asTheCommandLine(General& general)
{
    const auto frame = general.window.controller().snapshot()->frameOf(*general.view.query());
    const ShownFigure shown = shownFigure(frame);
    const QString path = general.folder.filePath("cli.npz");
    if (!shown.figure ||
        !writeFigure(path.toStdString(), *shown.figure, shown.source, FigureTheme::Light, own::kSignals))
        return {};
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class LensViewsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLensWithoutAViewHasTheGeneralOne()
    {
        General general;
        QVERIFY(general.view.isEmpty());
        general.train();
        QTRY_VERIFY(general.isDrawn());
        QVERIFY(!general.view.view().shows().isEmpty());
        QVERIFY(!general.view.grab().isNull());
        general.window.controller().forget();
        QVERIFY(general.view.isEmpty());
    }

    /// Every lens there is, with whatever the scripted run can answer.
    void everyLensHasAPanelThatShowsItOrSaysWhyNot()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        for (const LensViewEntry& entry : lensViews()) {
            if (entry.id == "state")
                continue;
            const QString id = lensPanelId(entry.id, 1);
            studio.window.showPanel(studio.window.panels().dock(id));
            LensPanel& panel = panelOf(studio, id);
            QTRY_VERIFY2(panel.isMade(), qPrintable(id));
            QCOMPARE(panel.view().lens().id, entry.id);
            QCoreApplication::processEvents();
            QVERIFY2(!panel.grab().isNull(), qPrintable(id));
        }
    }

    void aViewIsMadeWhenItIsSeenAndAsksThenAlone()
    {
        Studio studio;
        const auto asks = [&] {
            return std::any_of(studio.script->open.begin(), studio.script->open.end(),
                               [](const LensQuery& query) { return query.lens == "unit_stats"; });
        };
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Paused);
        LensPanel& panel = panelOf(studio, "lens.unit_stats");
        QVERIFY(!panel.isMade() && !asks());
        Dock& dock = studio.window.panels().dock("lens.unit_stats");
        studio.window.showPanel(dock);
        QTRY_VERIFY(panel.isMade() && asks());
        studio.window.showPanel(studio.window.panels().dock("state")); // in front of it
        QTRY_VERIFY(!asks());
        studio.window.showPanel(dock);
        QTRY_VERIFY(asks());
        dock.close();
        QTRY_VERIFY(!asks());
    }

    /// Nobody has to know that -1 is all heads, and 0 nothing.
    void numbersThatStandForSomethingAreInWords()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        const std::vector<std::tuple<const char*, const char*, const char*>> all{
            {"attention", "head", "all heads"},
            {"memory", "context", "usual"},
            {"alike", "threshold", "75 % quantile"}};
        for (const auto& [lens, setting, words] : all) {
            const QString id = lensPanelId(lens, 1);
            studio.window.showPanel(studio.window.panels().dock(id));
            QTRY_VERIFY(panelOf(studio, id).isMade());
            auto* field = panelOf(studio, id).view().findChild<QWidget*>(setting)->findChild<QAbstractSpinBox*>();
            QVERIFY2(field != nullptr, lens);
            QCOMPARE(field->text(), QString(words));
            QVERIFY2(field->width() >= field->fontMetrics().horizontalAdvance(words), lens);
        }
    }

    void theCursorMovesInAllViews()
    {
        General one;
        FigureLensView two("state",
                           {one.window.document(), one.window.controller(), one.appearance, one.window.cursor()});
        two.resize(600, 500);
        two.show();
        QVERIFY(QTest::qWaitForWindowExposed(&two));
        one.train();
        QTRY_VERIFY(one.isDrawn() && !two.isEmpty());
        FigurePanelView &here = one.panel(), &there = *two.view().panels().front();
        const QImage before = there.grab().toImage();
        const QPointF at = here.plot().cell(2, 9).center();
        QMouseEvent move(QEvent::MouseMove, at, here.mapToGlobal(at), Qt::NoButton, {}, {});
        QApplication::sendEvent(&here, &move);
        QCOMPARE(one.window.cursor().step(), 9);
        QVERIFY(!one.window.cursor().isHeld());
        QVERIFY(there.grab().toImage() != before);
        here.setFocus();
        QTest::keyClick(&here, Qt::Key_Right);
        QCOMPARE(one.window.cursor().step(), 10);
        QVERIFY(one.window.cursor().isHeld());
        QApplication::sendEvent(&here, &move); // a held step stays under the pointer's way
        QCOMPARE(one.window.cursor().step(), 10);
        QTest::keyClick(&there, Qt::Key_Left);
        QCOMPARE(one.window.cursor().step(), 9);
        QTest::keyClick(&there, Qt::Key_Escape);
        QCOMPARE(one.window.cursor().step(), -1);
    }

    void aDragBrushesASpanAndAClickChoosesAUnit()
    {
        General general;
        general.train();
        QTRY_VERIFY(general.isDrawn());
        FigurePanelView& panel = general.panel();
        const auto at = [&](int row, int step) { return panel.plot().cell(row, step).center().toPoint(); };
        QTest::mousePress(&panel, Qt::LeftButton, {}, at(1, 12));
        QMouseEvent drag(QEvent::MouseMove, at(1, 5), panel.mapToGlobal(QPointF(at(1, 5))), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(&panel, &drag);
        QTest::mouseRelease(&panel, Qt::LeftButton, {}, at(1, 5));
        ReadingCursor& cursor = general.window.cursor();
        QCOMPARE(cursor.from(), 5);
        QCOMPARE(cursor.to(), 13);
        QCOMPARE(cursor.step(), -1); // a drag holds nothing
        QTest::mouseClick(&panel, Qt::LeftButton, {}, at(3, 8));
        QCOMPARE(cursor.step(), 8);
        QVERIFY(cursor.isHeld());
        if (const auto& units = panel.plot().panel().cells->units; !units.empty()) {
            QCOMPARE(cursor.selection().units, std::vector<std::int64_t>{units[3]});
            QCOMPARE(cursor.selection().node, general.view.picker().node());
        }
        cursor.clear();
        QCOMPARE(cursor.from(), -1);
        QVERIFY(cursor.selection().units.empty());
    }

    void twoViewsOfOneLensHaveChoicesOfTheirOwn()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        studio.window.showPanel(studio.window.panels().dock("lens.unit_stats"));
        LensPanel& first = panelOf(studio, "lens.unit_stats");
        QTRY_VERIFY(first.isMade());
        first.view();
        studio.window.panels().dock("lens.unit_stats").setFloating(true); // both are seen
        Dock& second = studio.window.lenses().addView("unit_stats");
        QCOMPARE(second.objectName(), QStringLiteral("lens.unit_stats.2"));
        QVERIFY(second.windowTitle() != studio.window.panels().dock("lens.unit_stats").windowTitle());
        LensPanel& other = panelOf(studio, "lens.unit_stats.2");
        QTRY_VERIFY(other.isMade());
        dynamic_cast<SignalLensView&>(other.view()).set("order", std::string("mean"));
        const auto asked = [&] {
            return std::count_if(studio.script->open.begin(), studio.script->open.end(),
                                 [](const LensQuery& query) { return query.lens == "unit_stats"; });
        };
        QTRY_COMPARE(asked(), 2);
        QVERIFY(studio.window.lenses().addView("unit_stats").objectName() == "lens.unit_stats.3");
        QTRY_COMPARE(asked(), 1); // the third has the choices of the first, and stands before the second
        for (const QString& layout : layoutNames())
            QVERIFY(studio.window.arrange(layout));
    }

    void stateIsOpenedTwiceWithChoicesOfItsOwn()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        studio.window.panels().dock("state").setFloating(true); // both are seen
        auto& first = studio.window.panels().get<StatePanel>();
        Dock& second = studio.window.lenses().addView("state");
        QCOMPARE(second.objectName(), QStringLiteral("lens.state.2"));
        LensPanel& panel = panelOf(studio, "lens.state.2");
        QTRY_VERIFY(panel.isMade());
        auto& other = dynamic_cast<StatePanel&>(panel.view());
        other.takeChoices({{"scale", 1}});
        QCOMPARE(other.choices().value("scale").toInt(), 1);
        QVERIFY(!first.choices().contains("scale"));
        QCOMPARE(panel.choices(), other.choices()); // which the layout remembers
        const std::string watched = first.signal();
        other.showSignal(watched == "h" ? "c" : "h");
        QVERIFY(other.signal() != watched);
        QCOMPARE(first.signal(), watched);
        for (const QString& layout : layoutNames())
            QVERIFY(studio.window.arrange(layout));
    }

    void itsSettingsFollowTheCursor()
    {
        for (const auto& lens : allLenses()) {
            const auto& settings = lens->spec().settings;
            if (std::none_of(settings.begin(), settings.end(), [](const ParamSpec& s) { return s.name == "step"; }))
                continue;
            Studio studio;
            FigureLensView view(lens->spec().id, {studio.window.document(), studio.window.controller(),
                                                  studio.appearance, studio.window.cursor()});
            view.resize(600, 500);
            view.show();
            QVERIFY(QTest::qWaitForWindowExposed(&view));
            studio.key(Qt::Key_F10);
            QTRY_VERIFY(view.query().has_value());
            QVERIFY(view.findChild<QWidget*>("step") == nullptr); // it has no editor
            studio.window.cursor().hold(7);
            QTRY_COMPARE(std::get<std::int64_t>(view.query()->settings.at("step")), std::int64_t{7});
            const auto before = std::count(studio.script->commands.begin(), studio.script->commands.end(), "ask");
            for (std::int64_t step = 8; step < 38; ++step)
                studio.window.cursor().hold(step); // thirty moves at once
            QTRY_COMPARE(std::get<std::int64_t>(view.query()->settings.at("step")), std::int64_t{37});
            QVERIFY(std::count(studio.script->commands.begin(), studio.script->commands.end(), "ask") <= before + 2);
        }
    }

    /// The numbers that the command line writes, and a picture.
    void whatIsShownIsSaved()
    {
        General general;
        general.train();
        QTRY_VERIFY(general.isDrawn());
        QSignalSpy told(&general.view, &LensView::noted);
        for (const FigureFormat format : {FigureFormat::Csv, FigureFormat::Npz, FigureFormat::Svg, FigureFormat::Png}) {
            const QString path = general.folder.filePath("view." + suffixOf(format));
            const auto before = told.size();
            general.view.saving().save(format, path);
            QTRY_COMPARE(told.size(), before + 1);
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray written = file.readAll();
            QVERIFY(written.size() > 1000);
            if (format == FigureFormat::Csv)
                QCOMPARE(written.toStdString(), figureCsv(*general.view.view().figure()));
            if (format == FigureFormat::Npz)
                QCOMPARE(written, asTheCommandLine(general));
        }
    }

    void theMenuHasThemAll()
    {
        Studio studio;
        QStringList names;
        for (QMenu* each : studio.window.menuBar()->findChildren<QMenu*>())
            if (each->title() == "Le&nses")
                for (const QAction* action : each->actions())
                    names << action->objectName();
        for (const LensViewEntry& entry : lensViews()) {
            const QString id = QString::fromStdString(entry.id);
            QVERIFY2(names.contains("new-lens-" + id), qPrintable(id));
            QVERIFY2(entry.id == "state" || names.contains("panel-lens." + id), qPrintable(id));
        }
    }
};

static const AreaOf<LensViewsTest> lensViewsTestArea("lens_views");

} // namespace unroll::test

#include "lens_views_test.moc"
