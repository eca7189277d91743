// SPDX-License-Identifier: GPL-3.0-or-later
// One user, one network, from the empty canvas to the verified export.
#include "app/studio/export/export_dialog.h"
#include "app/studio/lenses/state/heat_map_view.h"
#include "tests/gui/area.h"
#include "tests/gui/building.h"
#include "tests/gui/python_with_torch.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QTimer>

namespace unroll::test {

namespace {

/// Answers the next file dialog with this path.
void answerFiles(const QString& path)
{
    QTimer::singleShot(30, qApp, [path] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr)
            return answerFiles(path);
        dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
        static_cast<QDialog*>(dialog)->accept();
    });
}

struct Story : EmptyCanvas {
    QString file = studio.folder.filePath("story.unroll");
    MainWindow& window = studio.window;

    Story() { studio.context.keepsRuns = true; }

    RunController& run() { return window.controller(); }
    ParamEditor* setting(const std::string& name) { return window.panel<TrainingPanel>().form().editor(name); }
    void typeSteps(const QString& digits)
    {
        window.panels().dock("training").raise();
        typeInto(setting("steps"), digits);
    }
    void build()
    {
        buildByMouse();
        QVERIFY(isWhole());
        typeUnits("24");
        typeSteps("50");
        QTRY_VERIFY(isRunnable());
    }
    void saveByKeys()
    {
        answerFiles(file);
        studio.key(Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(window.document().path(), file);
        QVERIFY(!window.isWindowModified());
        window.activateWindow(); // after a dialog no window is active on this platform
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    void trainFiftySteps()
    {
        QTest::mouseClick(window.runBar().findChild<QToolButton*>("primary"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(run().state(), RunState::Finished, 120000);
        QCOMPARE(run().snapshot()->step, std::int64_t{50});
        QTRY_COMPARE(window.panel<CurvesPanel>().series("train/loss").size(), std::size_t{50});
        QVERIFY(QFile::exists(studio.folder.filePath("runs/story/environment.json")));
    }
    void watchTheState()
    {
        studio.key(Qt::Key_1, Qt::ControlModifier);
        window.canvas().fitAll();
        QTRY_VERIFY(!window.panel<StatePanel>().isEmpty());
        auto* map = window.panel<StatePanel>().findChild<HeatMapView*>();
        QTest::mouseClick(map, Qt::LeftButton, {}, map->places().map().center().toPoint());
        QVERIFY(map->marked().has_value());
        const auto before = *map->marked();
        QTest::keyClick(map, Qt::Key_Right);
        QTest::keyClick(map, Qt::Key_Down);
        QCOMPARE(map->marked()->step, before.step + 1);
        QVERIFY(map->marked()->unit != before.unit);
        QVERIFY(!map->data().describe(*map->marked()).isEmpty());
    }
    void editDuringTheRun()
    {
        typeSteps("100000");
        studio.key(Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(run().snapshot()->step > 0 && run().isTraining(), 120000);
        typeUnits("32");
        QTRY_VERIFY(studio.item("lstm").face().isStale);
        QVERIFY(!studio.item("embedding").face().isStale);
        QTRY_VERIFY(isRunnable());
        studio.key(Qt::Key_F5);
        QVERIFY(buttonIn(window.messages(), "Restart from Scratch") != nullptr);
        QVERIFY(clickOn(window.messages(), "Reuse Matching Weights"));
        QTRY_VERIFY_WITH_TIMEOUT(run().snapshot()->initialWeights != nullptr, 120000);
        QVERIFY2(window.messages().shownText().contains("lstm"), qPrintable(window.messages().shownText()));
        QVERIFY(!studio.item("lstm").face().isStale);
        QTRY_VERIFY_WITH_TIMEOUT(run().snapshot()->step > 2, 120000);
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(run().state(), RunState::Stopped, 120000);
    }
    void undoAndRedoEverything()
    {
        const Graph built = studio.graph();
        window.canvas().setFocus();
        for (int i = 0; i < 100 && window.document().history().canUndo(); ++i)
            studio.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.graph().nodes.empty());
        QVERIFY(window.isWindowModified());
        for (int i = 0; i < 100 && window.document().history().canRedo(); ++i)
            studio.key(Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(studio.graph() == built);
        QVERIFY(window.isWindowModified()); // 32 units, 100,000 steps
    }
};

/// Writes the run as Python and has PyTorch compute it again, where there is one.
void exportAndVerify(MainWindow& window, const QString& out)
{
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY(window.actions().exportRun->isEnabled());
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    auto* dialog = window.findChild<ExportDialog*>();
    QVERIFY(dialog != nullptr);
    QVERIFY2(dialog->form().run().endsWith("runs/story-3"), qPrintable(dialog->form().run()));
    auto* target = dialog->form().findChild<QLineEdit*>();
    target->selectAll();
    QTest::keyClicks(target, out);
    QTest::keyClick(target, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->isDone(), 120000);
    QVERIFY(QFile::exists(out + "/model.py"));
    if (pythonHasTorch().isEmpty())
        QSKIP("no Python with torch was found: the export is not verified");
    QVERIFY(clickOn(*dialog, "&Verify"));
    QTRY_VERIFY2_WITH_TIMEOUT(dialog->result().verdict().startsWith("Verified"), qPrintable(dialog->result().verdict()),
                              120000);
}

} // namespace

class StoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fromTheEmptyCanvasToTheExport()
    {
        Story story;
        MainWindow& window = story.window;
        for (const auto chapter : {&Story::build, &Story::saveByKeys, &Story::trainFiftySteps, &Story::watchTheState,
                                   &Story::editDuringTheRun, &Story::undoAndRedoEverything}) {
            (story.*chapter)();
            if (QTest::currentTestFailed())
                return;
        }
        story.studio.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!window.isWindowModified());
        const Experiment saved = window.document().experiment();
        QVERIFY(window.close());

        MainWindow again(story.studio.context);
        again.show();
        QVERIFY(again.files().open(story.file));
        QVERIFY(again.document().graph() == saved.graph);
        QVERIFY(again.document().training() == saved.training);
        QCOMPARE(again.document().training().steps, std::int64_t{100000});
        exportAndVerify(again, story.studio.folder.filePath("out"));
    }
};

static const AreaOf<StoryTest> storyTestArea("story");

} // namespace unroll::test

#include "story_test.moc"
