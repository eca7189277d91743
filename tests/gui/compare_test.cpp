// SPDX-License-Identifier: GPL-3.0-or-later
// A lens on two sides: another run, a checkpoint, another copy, the reading under edits.
#include "app/studio/compare/comparing.h"
#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/lenses/figure_lens_view.h"
#include "app/studio/window/lens_panel.h"
#include "core/experiment/gallery.h"
#include "core/figure/figure_csv.h"
#include "core/lens/weights/weights.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/made_runs.h"

#include <QSignalSpy>

namespace unroll::test {

namespace {

using SideKind = SecondSide::Kind;

/// A window whose run rests, and what its State is compared with.
struct Compared : Studio {
    QString place = folder.filePath("runs");
    StatePanel& state = window.panel<StatePanel>();
    Comparing& sides = *Comparing::of(state);

    Compared()
    {
        (void)window.document().save(folder.filePath("mine.unroll"));
        window.showPanel(window.panels().dock("state"));
    }
    void train()
    {
        window.controller().step(window.document().experiment(), SessionOptions{}, 30);
        QTRY_VERIFY(!state.isEmpty());
    }
    void touch(const std::string& edit = "lstm_1.h[3] = 0")
    {
        sides.choose({.kind = SideKind::Touched, .edit = edit});
        QTRY_VERIFY(isDrawn());
    }
    bool isDrawn() const { return sides.page() != nullptr && !sides.page()->isEmpty(); }
    const Figure& figure() const { return *sides.page()->view().figure(); }
    const std::vector<float>& cells(std::size_t panel) const { return figure().panels.at(panel).cells->values; }
    bool asksUnderEdits() const
    {
        return std::any_of(script->open.begin(), script->open.end(),
                           [](const LensQuery& query) { return !query.edit.empty(); });
    }
    template <class Widget>
    Widget& part(const char* name)
    {
        return *sides.page()->findChild<Widget*>(name);
    }
};

QStringList wordsOf(QMenu& menu)
{
    QStringList words;
    for (const QAction* action : menu.actions())
        words << action->text();
    return words;
}

/// Of the weights of a node: two tensors, those of a later copy larger.
std::shared_ptr<const LensFrame> weightsOf(const LensQuery& query)
{
    const std::string node = nodeOf(query);
    auto data = std::make_shared<WeightsData>();
    for (const char* name : {".matrices_up", ".matrices_down"}) {
        TensorNumbers tensor = numbersOf(std::vector<double>{-0.5, 1, node.starts_with("layer.2") ? 4.0 : 2.0});
        tensor.node = node;
        tensor.name = node + name;
        tensor.shape = {3};
        fillHistogram(tensor, {-0.5, 1}, 4);
        data->tensors.push_back(std::move(tensor));
    }
    return std::make_shared<const LensFrame>(LensFrame{query, 1, {}, std::move(data)});
}

/// Names of those that can be seen.
QStringList savingButtons(QWidget& view)
{
    QStringList names;
    for (const QToolButton* button : view.findChildren<QToolButton*>())
        if (button->property(kSavesViewProperty).toBool() && button->isVisibleTo(&view))
            names << button->objectName();
    return names;
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theReadingUnderEditsIsASide()
    {
        Compared studio;
        studio.train();
        studio.touch();
        QVERIFY(studio.state.hasInstead());
        QCOMPARE(studio.figure().panels.size(), std::size_t{2});
        QCOMPARE(studio.cells(1)[5], studio.cells(0)[5] / 2); // as the script answers under any edit
        QVERIFY(studio.asksUnderEdits());
        QTest::mouseClick(&studio.part<QToolButton>("compareDifference"), Qt::LeftButton);
        QTRY_COMPARE(studio.figure().panels.size(), std::size_t{1});
        QVERIFY(!studio.sides.page()->grab().isNull());
        QVERIFY(QString::fromStdString(studio.figure().shows).contains("with lstm_1.h[3] = 0 less untouched"));
        QTest::mouseClick(&studio.part<QToolButton>("compareBeside"), Qt::LeftButton);
        QTRY_COMPARE(studio.figure().panels.size(), std::size_t{2});
    }

    /// What the page shows is what the function of both frames makes, and nothing else.
    void whatIsDrawnIsWhatTheCommandLineWrites()
    {
        Compared studio;
        studio.train();
        studio.touch();
        const auto& snapshot = *studio.window.controller().snapshot();
        LensQuery query = *studio.state.query();
        const auto first = snapshot.frameOf(query);
        query.edit = "lstm_1.h[3] = 0";
        const auto second = snapshot.frameOf(query);
        QVERIFY(first && second);
        const auto made =
            compared(ComparedFrame{first, "untouched"}, ComparedFrame{second, "with lstm_1.h[3] = 0"}, {});
        QVERIFY(made.has_value());
        QCOMPARE(studio.cells(0), made->panels[0].cells->values);
        QCOMPARE(studio.cells(1), made->panels[1].cells->values);
        QCOMPARE(studio.figure().shows, made->shows);
        QCOMPARE(studio.figure().findings, made->findings);
    }

    /// Its own order and scale, not those of the settings' defaults.
    void theViewsOrderAndScaleAreCompared()
    {
        Compared studio;
        studio.train();
        studio.touch();
        const std::vector<float> plain = studio.cells(0);
        auto& order = *studio.state.findChild<QComboBox*>("order");
        order.setCurrentIndex(order.findText("by mean |value|"));
        QTRY_VERIFY(studio.cells(0) != plain);
        const std::vector<std::int64_t> rows = studio.state.map().data().rows();
        QCOMPARE(studio.figure().panels[0].cells->units, rows);
        QCOMPARE(studio.figure().panels[1].cells->units, rows);
        QCOMPARE(studio.cells(1)[7], studio.cells(0)[7] / 2); // the same unit beside itself
        auto& scale = *studio.state.findChild<QComboBox*>("scale");
        scale.setCurrentIndex(1); // each unit by its own largest
        QTRY_COMPARE(studio.cells(1)[7], studio.cells(0)[7]);
        QVERIFY(QString::fromStdString(studio.figure().shows).contains("divided by its own largest"));
    }

    void whatIsShownIsSaved()
    {
        Compared studio;
        studio.train();
        studio.touch();
        QSignalSpy told(&studio.state, &LensView::noted);
        const QString path = studio.folder.filePath("both.csv");
        studio.sides.page()->saving().save(FigureFormat::Csv, path);
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(savingButtons(studio.state), QStringList{"saveFigure"}); // that of both sides
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toStdString(), figureCsv(studio.figure()));
    }

    void bothSidesAreLive()
    {
        Compared studio;
        studio.train();
        studio.touch();
        const std::vector<float> before = studio.cells(1);
        studio.window.controller().step(studio.window.document().experiment(), SessionOptions{}, 40);
        QTRY_VERIFY(studio.cells(1) != before);
        QCOMPARE(studio.cells(1)[7], studio.cells(0)[7] / 2);
    }

    void escapeEndsIt()
    {
        Compared studio;
        studio.train();
        studio.touch();
        studio.sides.page()->view().panels().front()->setFocus();
        QTest::keyClick(&studio.part<QToolButton>("compareBeside"), Qt::Key_Escape);
        QVERIFY(studio.sides.page() == nullptr);
        QVERIFY(!studio.state.hasInstead());
        QVERIFY(!studio.state.isEmpty());
        QCOMPARE(savingButtons(studio.state), QStringList{"more"});
        QTRY_VERIFY(!studio.asksUnderEdits());
        QVERIFY(studio.sides.side() == SecondSide{});
    }

    void anEditIsTypedAndWhatIsWrongIsSaid()
    {
        Compared studio;
        studio.train();
        studio.sides.choose({.kind = SideKind::Touched});
        QVERIFY(studio.sides.page()->sentence().contains("lstm.h[3] = 0 from 40"));
        QVERIFY(!studio.asksUnderEdits());
        QLineEdit& edit = studio.sides.page()->edit();
        edit.setText("lstm_1.h[3 = 0");
        QTest::keyClick(&edit, Qt::Key_Return);
        QVERIFY(edit.property("wrong").toBool());
        QVERIFY(studio.sides.page()->sentence().startsWith("The edit is not understood"));
        QVERIFY(!studio.asksUnderEdits());
        edit.setText("lstm_1.h [3]=0");
        QTest::keyClick(&edit, Qt::Key_Return);
        QVERIFY(!edit.property("wrong").toBool());
        QTRY_VERIFY(studio.isDrawn());
        QCOMPARE(studio.sides.side().edit, std::string("lstm_1.h[3] = 0"));
    }

    void anotherRunIsOpenedBesideThisOne()
    {
        Compared studio;
        makeRun(studio.place, "fable-1", 90, RunState::Finished, 1.3);
        makeRun(studio.place, "fable-2", 5, RunState::Stopped); // without a checkpoint
        studio.train();
        Q_EMIT studio.sides.menu().aboutToShow();
        auto* runs = studio.sides.menu().findChild<QMenu*>("compareRuns");
        QVERIFY(runs != nullptr);
        QTRY_COMPARE(wordsOf(*runs), QStringList{"fable-1  (step 90)"});
        const RunState before = studio.window.controller().state();
        runs->actions().front()->trigger();
        QVERIFY(studio.sides.page()->sentence().contains("fable-1"));
        QTRY_VERIFY(studio.isDrawn());
        QVERIFY(studio.script->options.back().ended != nullptr);
        QCOMPARE(studio.window.controller().state(), before); // the window's run is as it was
        QCOMPARE(studio.figure().panels.at(1).title.substr(studio.figure().panels.at(1).title.find(": ")),
                 std::string(": fable-1, step 90"));
        Q_EMIT studio.sides.menu().aboutToShow();
        auto* again = studio.sides.menu().findChildren<QMenu*>("compareRuns").constLast();
        QTRY_VERIFY(!again->actions().isEmpty() && again->actions().front()->isChecked());
    }

    void aRunThatCannotBeOpenedSaysWhy()
    {
        Compared studio;
        studio.train();
        studio.sides.choose({.kind = SideKind::Run, .folder = (studio.place + "/nowhere").toStdString()});
        QTRY_VERIFY(studio.sides.page()->sentence().contains("nowhere cannot be shown"));
        makeRun(studio.place, "fable-1", 90, RunState::Finished, 1.3);
        studio.script->notOpened = "data/verses.txt: the file is not there";
        studio.sides.choose({.kind = SideKind::Run, .folder = (studio.place + "/fable-1").toStdString()});
        QTRY_VERIFY(studio.sides.page()->sentence().contains("the file is not there"));
    }

    void aCheckpointIsOpenedByItsStep()
    {
        Compared studio;
        makeRun(studio.place, "own", 30, RunState::Finished, 1.3);
        studio.script->runFolder = (studio.place + "/own").toStdString();
        studio.train();
        Q_EMIT studio.sides.menu().aboutToShow();
        auto* checkpoints = studio.sides.menu().findChild<QMenu*>("compareCheckpoints");
        QTRY_COMPARE(wordsOf(*checkpoints), QStringList{"Step 30"});
        checkpoints->actions().front()->trigger();
        QTRY_VERIFY(studio.isDrawn());
        QCOMPARE(studio.script->options.back().checkpoint, std::string("30"));
    }

    void unitsAreMatchedOnRequest()
    {
        Compared studio;
        studio.train();
        studio.touch();
        studio.part<QCheckBox>("compareMatch").click();
        QTRY_VERIFY(!studio.figure().tables.empty());
        QCOMPARE(studio.figure().tables.back().id, std::string("pairs"));
        QVERIFY(QString::fromStdString(studio.figure().findings.front()).contains("by chance"));
    }

    /// Before there is a run, and for what another lens cannot do.
    void thereIsAlwaysASentence()
    {
        Compared studio;
        studio.sides.choose({.kind = SideKind::Touched, .edit = "lstm_1.h = 0"});
        QVERIFY(studio.sides.page()->sentence().contains("Press Run"));
        studio.sides.choose({});
        Q_EMIT studio.sides.menu().aboutToShow();
        QVERIFY(studio.sides.menu()
                    .findChild<QMenu*>("compareCheckpoints")
                    ->actions()
                    .front()
                    ->text()
                    .contains("not on disk"));
        QTRY_VERIFY(
            studio.sides.menu().findChild<QMenu*>("compareRuns")->actions().front()->text().contains("no other run"));
    }

    /// Every lens takes a second side, or says why not.
    void everyLensHasASecondSide()
    {
        Studio studio;
        makeRun(studio.folder.filePath("runs"), "fable-1", 90, RunState::Finished, 1.3);
        studio.key(Qt::Key_F10);
        for (const LensViewEntry& entry : lensViews()) {
            if (entry.id == "state")
                continue;
            const QString id = lensPanelId(entry.id, 1);
            studio.window.showPanel(studio.window.panels().dock(id));
            auto& panel = *qobject_cast<LensPanel*>(studio.window.panels().at(id).widget);
            QTRY_VERIFY2(panel.isMade(), qPrintable(id));
            Comparing* sides = Comparing::of(panel.view());
            QVERIFY2(sides != nullptr, qPrintable(id));
            sides->choose({.kind = SideKind::Run, .folder = studio.folder.filePath("runs/fable-1").toStdString()});
            QTRY_VERIFY2(!sides->page()->isEmpty() || sides->page()->sentence().startsWith("There is no comparison") ||
                             sides->page()->sentence().startsWith("Choose what"),
                         qPrintable(id + ": " + sides->page()->sentence()));
            QVERIFY(!sides->page()->grab().isNull());
            Q_EMIT sides->menu().aboutToShow();
            auto* touched = sides->menu().findChild<QAction*>("compareTouched");
            QCOMPARE(touched->isEnabled(), entry.id != "weights");
            QCOMPARE(touched->toolTip().contains("the same under edits"), entry.id == "weights");
            QCOMPARE(savingButtons(panel.view()), QStringList{"saveFigure"});
            QVERIFY2(sides->page()->saving().isVisibleTo(&panel.view()), qPrintable(id));
            sides->choose({});
            QVERIFY(savingButtons(panel.view()).size() <= 1);
        }
    }

    /// A lens of the whole network, of one node: copies are offered, and what has one name within them is paired.
    void weightsStandBesideAnotherCopyOfAGroup()
    {
        Studio studio;
        QVERIFY(studio.window.files().open(QString::fromStdString(findExperiment("char-mru")->string())));
        studio.script->answers = [](const std::vector<LensQuery>& open) {
            std::vector<std::shared_ptr<const LensFrame>> frames;
            for (const LensQuery& query : open)
                if (query.lens == "weights")
                    frames.push_back(weightsOf(query));
            return frames;
        };
        studio.key(Qt::Key_F10);
        const QString id = lensPanelId("weights", 1);
        studio.window.showPanel(studio.window.panels().dock(id));
        auto& panel = *qobject_cast<LensPanel*>(studio.window.panels().at(id).widget);
        QTRY_VERIFY(panel.isMade());
        auto& weights = *qobject_cast<SignalLensView*>(&panel.view());
        Comparing& sides = *Comparing::of(weights);
        const auto copies = [&] {
            Q_EMIT sides.menu().aboutToShow();
            return sides.menu().findChild<QMenu*>("compareCopies");
        };
        QVERIFY(copies() != nullptr);
        QCOMPARE(wordsOf(*copies()), QStringList{"All nodes are shown: choose one in the settings"});
        QVERIFY(!copies()->actions().front()->isEnabled());
        weights.set("node", std::string("layer.1.mru"));
        QTRY_COMPARE(wordsOf(*copies()), QStringList{"layer.2.mru"});
        copies()->actions().front()->trigger();
        QTRY_VERIFY(sides.page() != nullptr && !sides.page()->isEmpty());
        const Figure& figure = *sides.page()->view().figure();
        QCOMPARE(figure.shows.substr(0, figure.shows.find(" on one scale")),
                 std::string("layer.1.mru and layer.2.mru"));
        QCOMPARE(figure.panels.size(), std::size_t{2}); // sizes and one histogram: none stands alone
        for (const std::string& label : figure.panels[0].x.labels)
            QVERIFY2(label.starts_with("mru."), label.c_str());
        QCOMPARE(figure.panels[0].series.size(), std::size_t{2});
        QVERIFY(figure.panels[0].series[1].y[0] > figure.panels[0].series[0].y[0]);
        weights.set("node", std::string("norm")); // outside of the group
        QTRY_COMPARE(wordsOf(*copies()), QStringList{"norm is in no repeated group"});
    }

    /// The cursor of the window is that of the page.
    void theCursorIsShared()
    {
        Compared studio;
        studio.train();
        studio.touch();
        FigurePanelView& panel = *studio.sides.page()->view().panels().front();
        panel.setFocus();
        studio.window.cursor().hold(4);
        QTest::keyClick(&panel, Qt::Key_Right);
        QCOMPARE(studio.window.cursor().step(), 5);
    }

    /// A window that goes while the other run is opened.
    void itGoesWithItsWindow()
    {
        for (int turn = 0; turn < 3; ++turn) {
            Compared studio;
            makeRun(studio.place, "fable-1", 90, RunState::Finished, 1.3);
            studio.train();
            studio.sides.choose({.kind = SideKind::Run, .folder = (studio.place + "/fable-1").toStdString()});
            if (turn == 1)
                studio.sides.choose({});
            if (turn == 2)
                QTRY_VERIFY(studio.isDrawn());
        }
    }
};

static const AreaOf<CompareTest> compareTestArea("compare");

} // namespace unroll::test

#include "compare_test.moc"
