// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_command.h"
#include "core/format/safetensors.h"
#include "core/runs/run_folder.h"
#include "core/session/session.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/python_with_torch.h"
#include "tests/gui/stand_in_program.h"
#include "tests/support/tiny_experiment.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QProcess>
#include <algorithm>
#include <memory>
#include <set>

namespace unroll::test {

namespace {

QString writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() ? path : QString();
}

std::set<std::string> namesOf(const std::vector<format::OwnedTensor>& tensors)
{
    std::set<std::string> names;
    for (const format::OwnedTensor& tensor : tensors)
        names.insert(tensor.name);
    return names;
}

/// A studio whose window has a run, and its export dialog, opened by keys and driven by them.
struct ExportDesk : Studio {
    QString out = folder.filePath("fünf/out");

    explicit ExportDesk(const QString& run)
    {
        script->runFolder = run.toStdString();
        key(Qt::Key_F10);
        (void)comes([this] { return window.actions().exportRun->isEnabled(); });
        key(Qt::Key_E, Qt::ControlModifier);
        (void)comes([this] { return dialog() != nullptr && dialog()->isActiveWindow(); });
    }

    ExportDialog* dialog() { return window.findChild<ExportDialog*>(); }

    /// Tab, until the widget has the keyboard. False: it cannot be come to.
    bool tabTo(const QWidget* goal)
    {
        for (int i = 0; i < 30 && goal != nullptr && !goal->hasFocus(); ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        return goal != nullptr && goal->hasFocus();
    }
    bool type(const QString& path)
    {
        auto* target = dialog()->form().findChild<QLineEdit*>();
        if (!tabTo(target))
            return false;
        target->selectAll();
        QInputMethodEvent typed; // keys know no letters outside ASCII
        typed.setCommitString(path);
        QApplication::sendEvent(target, &typed);
        return target->text() == path;
    }
    void press(Qt::Key which) { QTest::keyClick(QApplication::focusWidget(), which); }
    QPushButton* button(const QString& label)
    {
        for (QPushButton* each : dialog()->findChildren<QPushButton*>())
            if (each->isVisible() && QString(each->text()).remove('&') == label)
                return each;
        return nullptr;
    }
    bool becomesDone()
    {
        return comes([this] { return dialog()->isDone(); });
    }
    /// Exports as pt2 with a program in Python's place that never ends; its number, or 0 where it does not begin.
    qint64 beginsEndlessly(const QString& told)
    {
        dialog()->findChild<QRadioButton*>("pt2")->click();
        if (!type(out))
            return 0;
        press(Qt::Key_Return);
        (void)QTest::qWaitFor([&] { return contentOf(told).endsWith('\n'); }, 60000);
        return contentOf(told).trimmed().toLongLong();
    }
};

/// A Python that writes its number down and then computes for ever, whatever it is asked.
QByteArray endless(const QString& told)
{
    return "trap '' TERM INT\necho $$ > '" + told.toUtf8() + "'\nwhile true; do sleep 0.1; done\n";
}

} // namespace

class ExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_run = m_folder.filePath("runs/tiny-1");
        Experiment tiny = testing::tinyExperiment();
        tiny.training.steps = 8;
        tiny.training.checkpointEvery = 4;
        tiny.training.threads = 1;
        QVERIFY(QDir().mkpath(m_folder.filePath("runs")));
        const auto session = startSession(tiny, m_registry, allBuilders(), {.runFolder = m_run.toStdString()});
        session->run();
        QVERIFY(session->finish(60));
        QVERIFY2(session->snapshot()->state == RunState::Finished, session->snapshot()->failure.c_str());
    }

    void itIsOfferedWhereThereIsARun()
    {
        Studio studio;
        const QString file = m_folder.filePath("tiny.unroll"), other = m_folder.filePath("tiny-2.unroll");
        QVERIFY(saveExperiment(testing::tinyExperiment(), file.toStdString()).has_value());
        QVERIFY(saveExperiment(testing::tinyExperiment(), other.toStdString()).has_value());
        const QAction& action = *studio.window.actions().exportRun;
        QVERIFY(studio.window.files().open(other));
        QVERIFY(!action.isEnabled());
        QVERIFY(studio.window.files().open(file)); // a run of it lies on the disk
        QVERIFY(action.isEnabled());
        studio.key(Qt::Key_E, Qt::ControlModifier);
        auto* dialog = studio.window.findChild<ExportDialog*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->form().run(), m_run);
        QVERIFY(dialog->form().isReady());
        QVERIFY(!dialog->isModal());
    }

    void everyFormatIsDescribed()
    {
        ExportDesk desk(m_run);
        QVERIFY(says(desk.dialog()->form(), m_run));
        QCOMPARE(desk.dialog()->findChildren<QRadioButton*>().size(), static_cast<qsizetype>(exportFormats().size()));
        for (const ExportFormat& format : exportFormats()) {
            QVERIFY(desk.dialog()->findChild<QRadioButton*>(QString::fromStdString(format.id)) != nullptr);
            QVERIFY2(says(*desk.dialog(), QString::fromStdString(format.holds)), format.id.c_str());
            QVERIFY2(says(*desk.dialog(), QString::fromStdString(format.readBy)), format.id.c_str());
        }
    }

    void checkpointsAreAChoice()
    {
        ExportDesk desk(m_run);
        auto* choice = desk.dialog()->findChild<QComboBox*>();
        QCOMPARE(choice->itemText(0), QStringLiteral("Newest, step 8"));
        const int earlier = choice->findText("Step 4");
        QVERIFY(earlier > 0);
        QVERIFY(desk.tabTo(choice));
        for (int i = 0; i < earlier; ++i)
            desk.press(Qt::Key_Down);
        QCOMPARE(desk.dialog()->form().request().checkpoint, std::string("4"));
        QVERIFY(desk.type(desk.out));
        desk.press(Qt::Key_Return);
        QVERIFY(desk.becomesDone());
        QVERIFY(says(desk.dialog()->result(), "after 4 updates"));
    }

    void everyFormatIsWrittenByKeys_data()
    {
        QTest::addColumn<int>("downs");
        int place = 0;
        for (const ExportFormat& format : exportFormats())
            QTest::newRow(format.id.c_str()) << place++;
    }
    void everyFormatIsWrittenByKeys()
    {
        QFETCH(int, downs);
        const ExportFormat& format = exportFormats()[static_cast<std::size_t>(downs)];
        if (format.id == "pt2" && pythonHasTorch().isEmpty())
            QSKIP("no Python with torch");
        ExportDesk desk(m_run);
        for (int i = 0; i < downs; ++i)
            desk.press(Qt::Key_Down);
        QVERIFY(desk.type(desk.out));
        const ExportRequest request = desk.dialog()->form().request();
        QVERIFY(request.format == &format);
        desk.press(Qt::Key_Return);
        QVERIFY(desk.becomesDone());
        const ExportResult& result = desk.dialog()->result();
        for (const std::string& file : exportedFiles(format, request.out)) {
            const QFileInfo written(QString::fromStdString(file));
            QVERIFY2(written.size() > 0, file.c_str());
            QVERIFY2(result.shownText().contains(written.fileName()), qPrintable(result.shownText()));
        }
        const auto trained = format::readSafetensors(m_run.toStdString() + "/checkpoints/step-8/weights.safetensors");
        QVERIFY(trained.has_value());
        if (format.id == "npz") {
            const QByteArray archive = contentOf(QString::fromStdString(request.out));
            QCOMPARE(archive.count("PK\1\2"), qsizetype(trained->size()));
            for (const std::string& name : namesOf(*trained))
                QVERIFY2(archive.contains((name + ".npy").c_str()), name.c_str());
        } else if (format.id == "safetensors" || format.id == "python") { // others are read by tests/python/export
            const auto read = format::readSafetensors(request.out + (format.isFolder() ? "/weights.safetensors" : ""));
            QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
            QCOMPARE(namesOf(*read), namesOf(*trained));
        }
        QCOMPARE(result.snippet().toStdString(), loadingSnippet(format, request.out));
        QVERIFY(desk.tabTo(desk.button("Copy")));
        desk.press(Qt::Key_Space);
        QCOMPARE(QGuiApplication::clipboard()->text(), result.snippet());
        desk.press(Qt::Key_Escape);
        QTRY_VERIFY(desk.dialog() == nullptr);
    }

    void whatIsThereIsAskedAbout()
    {
        ExportDesk desk(m_run);
        QVERIFY(QDir().mkpath(desk.out));
        const QString older = writeFile(desk.out + "/model.py", "older");
        QVERIFY(desk.type(desk.out));
        desk.press(Qt::Key_Return);
        QVERIFY2(desk.dialog()->messages().shownText().contains("model.py"),
                 qPrintable(desk.dialog()->messages().shownText()));
        QTRY_VERIFY(desk.button("Keep") != nullptr && desk.button("Keep")->hasFocus());
        desk.press(Qt::Key_Return);
        QCOMPARE(desk.dialog()->messages().shownText(), QString());
        QCOMPARE(QDir(desk.out).entryList(QDir::Files), QStringList{"model.py"});
        QCOMPARE(contentOf(older), QByteArray("older"));
        QVERIFY(desk.tabTo(desk.button("Export")));
        desk.press(Qt::Key_Return);
        QTRY_VERIFY(desk.button("Overwrite") != nullptr);
        QVERIFY(desk.tabTo(desk.button("Overwrite")));
        desk.press(Qt::Key_Return);
        QVERIFY(desk.becomesDone());
        QVERIFY(contentOf(older).contains("def verify"));
    }

    void aPlaceThatCannotBeWrittenIsNamed()
    {
        ExportDesk desk(m_run);
        QVERIFY(desk.type("/proc/out"));
        desk.press(Qt::Key_Return);
        QTRY_VERIFY(desk.dialog()->messages().shownText().contains("/proc/out"));
        QVERIFY2(desk.dialog()->messages().shownText().startsWith("Not exported."),
                 qPrintable(desk.dialog()->messages().shownText()));
        QVERIFY(!desk.dialog()->isDone());
        QVERIFY(desk.type(desk.out)); // all is as it was, for another try
        QCOMPARE(desk.dialog()->messages().shownText(), QString());
        desk.press(Qt::Key_Return);
        QVERIFY(desk.becomesDone());
    }

    void escapeEndsTheExportFirst()
    {
        ExportDesk desk(m_run);
        QVERIFY(desk.type(desk.out));
        desk.press(Qt::Key_Return);
        QVERIFY(desk.button("Cancel") != nullptr);
        QTest::keyClick(desk.dialog(), Qt::Key_Escape);
        QTRY_VERIFY(desk.dialog()->messages().shownText().startsWith("Cancelled."));
        QVERIFY(!QFile::exists(desk.out + "/model.py")); // the last one
        QVERIFY(desk.button("Export")->isEnabled());
    }

    void itGoesWithItsWindowThoughItExports()
    {
        ExportDesk desk(m_run);
        QVERIFY(desk.type(desk.out));
        desk.press(Qt::Key_Return);
        QVERIFY(desk.button("Cancel") != nullptr);
        const QPointer<ExportDialog> dialog = desk.dialog();
        desk.window.close();
        QTRY_VERIFY(!desk.window.isVisible());
        QVERIFY(dialog.isNull() || !dialog->isVisible());
        QTRY_VERIFY(dialog.isNull());
    }

    void escapeEndsThePythonThatWrites()
    {
        ExportDesk desk(m_run);
        const QString told = desk.folder.filePath("told");
        const StandIn python("UNROLL_PYTHON", desk.folder.filePath("python"), endless(told));
        const qint64 process = desk.beginsEndlessly(told);
        QVERIFY(process > 0 && isAlive(process));
        QTest::keyClick(desk.dialog(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(desk.dialog()->messages().shownText().startsWith("Cancelled."), 30000);
        QVERIFY(!isAlive(process));
        QVERIFY(!QFile::exists(QString::fromStdString(desk.dialog()->form().request().out)));
    }

    void thePythonThatWritesGoesWithTheWindow_data()
    {
        QTest::addColumn<bool>("programEnds");
        QTest::newRow("the window is closed") << false;
        QTest::newRow("the program ends") << true;
    }
    void thePythonThatWritesGoesWithTheWindow()
    {
        QFETCH(bool, programEnds);
        auto desk = std::make_unique<ExportDesk>(m_run);
        const QTemporaryDir place;
        const QString told = place.filePath("told");
        const StandIn python("UNROLL_PYTHON", place.filePath("python"), endless(told));
        const qint64 process = desk->beginsEndlessly(told);
        QVERIFY(process > 0 && isAlive(process));
        if (programEnds)
            desk.reset(); // all that is open, with nothing that goes on afterwards
        else
            desk->window.close();
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(process), 30000);
    }

    void aRunUnderWayIsFollowed()
    {
        ExportDesk desk(m_run);
        ExportForm& form = desk.dialog()->form();
        QVERIFY2(form.shownText().contains("at step 1."), qPrintable(form.shownText()));
        desk.window.actions().step->trigger();
        QTRY_VERIFY2(form.shownText().contains("at step 2."), qPrintable(form.shownText()));
        QVERIFY(desk.tabTo(desk.button("Checkpoint Now")));
        auto* choice = form.findChild<QComboBox*>();
        choice->clear(); // so that reading it again is seen
        QVERIFY(!form.isReady());
        desk.press(Qt::Key_Space);
        QVERIFY(desk.script->wasTold("checkpoint"));
        QTRY_VERIFY(form.isReady());
        QCOMPARE(choice->itemText(0), QStringLiteral("Newest, step 8"));
        desk.window.actions().stop->trigger();
        QTRY_VERIFY(desk.button("Checkpoint Now") == nullptr);
        QCOMPARE(form.shownText(), QString());
    }

    void whatCannotBeExportedSaysWhy()
    {
        Studio studio;
        ExportDialog dialog(studio.context, studio.window.controller());
        QVERIFY2(dialog.form().shownText().contains("Train first"), qPrintable(dialog.form().shownText()));
        QVERIFY(!dialog.form().isReady());
        dialog.showRun(studio.folder.path());
        QVERIFY2(dialog.form().shownText().contains(studio.folder.path()), qPrintable(dialog.form().shownText()));
        const QString empty = studio.folder.filePath("empty");
        QVERIFY(RunFolder::create(empty.toStdString(), testing::tinyExperiment(), RunEnvironment{}).has_value());
        dialog.showRun(empty);
        QVERIFY2(dialog.form().shownText().contains("no checkpoint"), qPrintable(dialog.form().shownText()));
        QVERIFY(!dialog.form().isReady());
        dialog.showRun(m_run);
        QVERIFY(dialog.form().isReady());
        QCOMPARE(dialog.form().shownText(), QString());
    }

    void anotherRunCanBeChosen()
    {
        Studio studio;
        ExportDialog dialog(studio.context, studio.window.controller());
        dialog.show();
        for (QPushButton* button : dialog.form().findChildren<QPushButton*>())
            if (button->text().contains("Another"))
                QTest::mouseClick(button, Qt::LeftButton);
        auto* files = dialog.findChild<QFileDialog*>();
        QVERIFY(files != nullptr);
        Q_EMIT files->fileSelected(m_run);
        QCOMPARE(dialog.form().run(), m_run);
        QVERIFY(QString::fromStdString(dialog.form().request().out).endsWith("/tiny-1"));
    }

    void itIsVerifiedAndLoaded()
    {
        if (pythonHasTorch().isEmpty())
            QSKIP("no Python with torch was found");
        ExportDesk desk(m_run);
        QVERIFY(desk.type(desk.out));
        desk.press(Qt::Key_Return);
        QVERIFY(desk.becomesDone());
        QVERIFY(desk.button("Verify")->hasFocus());
        desk.press(Qt::Key_Space);
        QVERIFY(desk.button("Stop Verifying") != nullptr);
        const ExportResult& result = desk.dialog()->result();
        QTRY_VERIFY2_WITH_TIMEOUT(result.verdict().startsWith("Verified"), qPrintable(result.verdict()), 120000);
        for (const char* figures : {"fp64: ", "fp32: "})
            QVERIFY2(result.verdict().contains(figures), qPrintable(result.verdict()));
        QProcess python;
        python.start(pythonHasTorch(), {"-c", result.snippet()});
        QVERIFY(python.waitForFinished(120000));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
        QVERIFY(python.readAllStandardOutput().contains("torch.Size([16, 1, "));
    }

private:
    QTemporaryDir m_folder;
    QString m_run;
    const BlockRegistry m_registry = allSpecs();
};

static const AreaOf<ExportTest> exportTestArea("export");

} // namespace unroll::test

#include "export_test.moc"
