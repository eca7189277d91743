// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/runs_place.h"
#include "app/studio/window/studio_options.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"
#include "tests/support/tiny_experiment.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QMessageBox>
#include <QProcess>
#include <QRegularExpression>
#include <set>

namespace unroll::test {

class WindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPanelSaysWhatItWillShow()
    {
        Studio studio;
        QVERIFY(studio.window.panel<CurvesPanel>().isEmpty());
        QVERIFY(studio.window.panel<StatePanel>().isEmpty());
        QVERIFY(studio.window.panel<SamplesPanel>().isEmpty());
        QVERIFY(studio.window.panel<ProblemsPanel>().isEmpty());
        const auto states = studio.window.findChildren<EmptyState*>();
        QCOMPARE(states.size(), 9); // the runs have two; views of lenses are made when they are first shown
        for (const EmptyState* state : states) {
            QVERIFY(state->title().size() > 5);
            QVERIFY(state->accessibleDescription().size() > 20);
        }
        QVERIFY(studio.window.panel<InspectorPanel>().page() == nullptr); // the experiment as a whole
        QVERIFY(says(studio.window.panel<InspectorPanel>(), "parameters\n"));
    }

    void themesSwitch()
    {
        Studio studio;
        const auto background = [&] { return studio.window.canvas().grab().toImage().pixelColor(3, 3); };
        QCOMPARE(background(), studio.appearance.theme()[Theme::Role::Canvas]);
        studio.window.actions().themeDark->trigger();
        QVERIFY(studio.appearance.theme().isDark());
        QCOMPARE(background(), studio.appearance.theme()[Theme::Role::Canvas]);
        QCOMPARE(studio.window.palette().color(QPalette::Window), studio.appearance.theme()[Theme::Role::Window]);
        QCOMPARE(studio.settings.value("theme").toInt(), static_cast<int>(ThemeChoice::Dark));
        studio.window.actions().themeLight->trigger();
        QVERIFY(!studio.appearance.theme().isDark());
    }

    void layoutsShowTheirPanels()
    {
        Studio studio;
        const PanelSet& panels = studio.window.panels();
        QVERIFY(studio.window.arrange("edit"));
        QVERIFY(panels.dock("inspector").isVisible() && panels.dock("problems").isVisible() &&
                !panels.dock("curves").isVisible() && panels.dock("palette").isVisible() &&
                !panels.dock("state").isVisible());
        QVERIFY(studio.window.arrange("watch"));
        QVERIFY(panels.dock("state").isVisible() && panels.dock("curves").isVisible() &&
                !panels.dock("problems").isVisible());
        QVERIFY(studio.window.arrange("train"));
        QVERIFY(panels.dock("palette").isHidden());
        for (const char* shown : {"inspector", "training", "curves", "state", "samples", "runs", "problems"})
            QVERIFY2(!panels.dock(shown).isHidden(), shown);
        QVERIFY(!studio.window.arrange("nonsense"));
    }

    void savesOpensAndGuards()
    {
        Studio studio;
        const QString path = studio.folder.filePath("mine.unroll");
        QVERIFY(studio.window.document().save(path).has_value());
        QVERIFY(!studio.window.isWindowModified());
        QVERIFY(studio.window.windowTitle().startsWith("mine"));
        studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{33}));
        QVERIFY(studio.window.isWindowModified());
        studio.window.document().undo();
        QVERIFY(!studio.window.isWindowModified()); // the same document as on disk
        studio.window.document().redo();
        // Closing asks; Cancel keeps the window.
        const auto answer = [&](QMessageBox::StandardButton button) {
            QTimer::singleShot(50, &studio.window, [button] {
                auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
                if (box != nullptr)
                    box->button(button)->click();
            });
        };
        answer(QMessageBox::Cancel);
        QVERIFY(!studio.window.close());
        answer(QMessageBox::Save);
        QVERIFY(studio.window.close());
        MainWindow again(studio.context);
        QVERIFY(again.files().open(path));
        QCOMPARE(again.document().graph().findByName("lstm")->params.at("units"), ParamValue(std::int64_t{33}));
        QCOMPARE(studio.settings.value("recent").toStringList().front(), path);
    }

    void aSaveThatWorksTakesBackTheTrouble()
    {
        Studio studio;
        const QString place = studio.folder.filePath("place");
        QVERIFY(QDir().mkpath(place));
        QVERIFY(studio.window.document().save(place + "/mine.unroll").has_value());
        QVERIFY(QDir(place).removeRecursively());
        studio.window.actions().save->trigger();
        QVERIFY2(studio.window.messages().shownText().startsWith("Not saved."),
                 qPrintable(studio.window.messages().shownText()));
        QVERIFY(QDir().mkpath(place));
        studio.window.actions().save->trigger();
        QCOMPARE(studio.window.messages().shownText(), QString());
        studio.window.messages().showError("Something else.");
        studio.window.actions().save->trigger();
        QCOMPARE(studio.window.messages().shownText(), QStringLiteral("Something else."));
    }

    void filesThatCannotBeReadAreNamed()
    {
        Studio studio;
        const Graph before = studio.graph();
        QVERIFY(!studio.window.files().open(studio.folder.filePath("nowhere.unroll")));
        QVERIFY(studio.window.messages().shownText().contains("nowhere.unroll"));
        QFile broken(studio.folder.filePath("broken.unroll"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\"unroll\": 1, ");
        broken.close();
        QVERIFY(!studio.window.files().open(broken.fileName()));
        QVERIFY(studio.window.messages().shownText().contains("broken.unroll"));
        QCOMPARE(studio.graph(), before); // nothing was lost
    }

    void missingDataIsSaidAtTheNode()
    {
        Studio studio;
        QVERIFY(studio.window.document().apply(
            edits::setParam(studio.id("text"), "file", std::string("no-such-text.txt"))));
        QTRY_COMPARE(studio.item("text").face().severity, std::optional(Severity::Error));
        QVERIFY(studio.item("text").face().problem.contains("no-such-text.txt"));
        studio.key(Qt::Key_F5); // refused in words
        QVERIFY(!studio.window.controller().isUnderWay());
        QVERIFY(!studio.window.messages().shownText().isEmpty());
    }

    void problemsModelIsSound()
    {
        Studio studio;
        QAbstractItemModelTester tester(studio.window.panel<ProblemsPanel>().view().model(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        for (const std::int64_t units : {0, 5, -3, 128}) {
            studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", units));
            QTRY_COMPARE(studio.window.panel<ProblemsPanel>().isEmpty(), units > 0);
        }
    }

    void argumentsAreRead()
    {
        const auto options = readArguments({"--shot", "a.png", "--open", "fable", "--steps", "12", "--theme", "dark",
                                            "--layout", "watch", "--size", "800x600", "--scale", "1.25"});
        QVERIFY(options.has_value());
        QCOMPARE(options->steps, 12);
        QCOMPARE(options->size, QSize(800, 600));
        QCOMPARE(options->theme, std::optional(ThemeChoice::Dark));
        QCOMPARE(readArguments({"x.unroll"})->file, QStringLiteral("x.unroll"));
        for (const QStringList& wrong : {QStringList{"--shot"},
                                         {"--steps", "-1"},
                                         {"--steps", "many"},
                                         {"--size", "10x10"},
                                         {"--size", "wide"},
                                         {"--theme", "pink"},
                                         {"--layout", "x"},
                                         {"--scale", "9"},
                                         {"--nonsense"},
                                         {"a", "b"}}) {
            const auto result = readArguments(wrong);
            QVERIFY2(!result, qPrintable(wrong.join(' ')));
            QVERIFY(!result.error().message.empty());
        }
    }

    /// The program itself: the scale is settled before its application object is made.
    void drawsItsPicture()
    {
        const QString program = QCoreApplication::applicationDirPath() + "/../../app/studio/unroll";
        QVERIFY(QFile::exists(program));
        QTemporaryDir folder;
        const QString file = folder.filePath("tiny.unroll"), shot = folder.filePath("tiny.png");
        Experiment tiny = testing::tinyExperiment();
        tiny.training.threads = 1;
        QVERIFY(saveExperiment(tiny, file.toStdString()));
        QProcess process;
        process.start(program, {"--shot", shot, "--open", file, "--steps", "2", "--scale", "2", "--size", "1200x800"});
        QVERIFY(process.waitForFinished(kPatience));
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
                 process.readAllStandardError().constData());
        const QImage picture(shot);
        QCOMPARE(picture.size(), QSize(2400, 1600));
        std::set<QRgb> colours;
        for (int y = 0; y < picture.height(); y += 7)
            for (int x = 0; x < picture.width(); x += 7)
                colours.insert(picture.pixel(x, y));
        QVERIFY2(colours.size() > 50, qPrintable(QString::number(colours.size())));
    }

    void runFoldersAreNew()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath("My Net.unroll");
        const QString first = newRunFolder(file, "x");
        QCOMPARE(first, folder.filePath("runs/my-net"));
        QVERIFY(QDir().mkpath(first));
        QCOMPARE(newRunFolder(file, "x"), folder.filePath("runs/my-net-2"));
        QVERIFY(QRegularExpression("/runs/fable(-[0-9]+)?$").match(newRunFolder({}, "Fable!")).hasMatch());
        QVERIFY(QRegularExpression("/runs/run(-[0-9]+)?$").match(newRunFolder({}, "??")).hasMatch());
    }

    void nothingIsClipped_data()
    {
        QTest::addColumn<QString>("layout");
        for (const QString& name : layoutNames())
            QTest::newRow(qPrintable(name)) << name;
    }

    /// Every label and button has the room its words ask for.
    void nothingIsClipped()
    {
        QFETCH(QString, layout);
        Studio studio;
        studio.window.arrange(layout);
        studio.window.scene().select({studio.id("lstm")});
        QVERIFY(comeToRest(studio.window));
        for (const QWidget* widget : studio.window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->visibleRegion().isEmpty())
                continue;
            const auto* label = qobject_cast<const QLabel*>(widget);
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            if (label != nullptr && !label->text().isEmpty() && !label->wordWrap())
                QVERIFY2(label->width() >= label->sizeHint().width() - 1 || label->property("tone").isValid(),
                         qPrintable(label->text()));
            if (button != nullptr && !button->text().isEmpty())
                QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
        }
    }
};

static const AreaOf<WindowTest> windowTestArea("window");

} // namespace unroll::test

#include "window_test.moc"
