// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of other packages, taken into an experiment by the dialog.
#include "app/studio/window/import_command.h"
#include "core/experiment/experiment.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/made_weights.h"
#include "tests/gui/parts.h"
#include "tests/gui/python_with_torch.h"
#include "tests/gui/stand_in_program.h"
#include "tests/support/tiny_experiment.h"

#include <QCheckBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QMenuBar>
#include <QTreeWidget>

namespace unroll::test {

namespace {

constexpr int kImportMilliseconds = 120000; ///< of a Python that loads torch on a busy machine

/// A window on an experiment of the user's, and the dialog over it.
struct ImportDesk : Studio {
    QString file = folder.filePath("mine.unroll"), weights = folder.filePath("theirs.safetensors"),
            out = folder.filePath("mine-weights.safetensors");

    ImportDesk()
    {
        (void)saveExperiment(testing::tinyExperiment(), file.toStdString());
        (void)window.files().open(file);
        (void)comes([this] { return window.document().checked()->runnable(); });
        window.findChild<QAction*>("importWeights")->trigger();
    }

    ImportDialog* dialog() { return window.findChild<ImportCommand*>()->dialog(); }
    bool isShown()
    {
        return QTest::qWaitFor([this] { return dialog()->isShown(); }, kImportMilliseconds);
    }
    bool says(const QString& words)
    {
        return QTest::qWaitFor([&] { return dialog()->note().contains(words); }, kImportMilliseconds);
    }
    QTreeWidgetItem* row(int top) { return dialog()->table().topLevelItem(top); }
    QPushButton& take() { return partNamed<QPushButton>(*dialog(), "importTake"); }
    /// What a made program says that it has written, as weights that a run has begun with.
    bool hasTaken(const QString& written)
    {
        const StandInCli cli(folder.filePath("cli"),
                             "echo '{\"kind\":\"end\",\"tensors\":1,\"out\":\"" + written.toUtf8() + "\"}'\n");
        dialog()->setWeights(weights);
        if (!isShown())
            return false;
        take().click();
        return comes([this] { return dialog() == nullptr; }) && beganWith(written);
    }
    /// A run of this moment, ended again.
    bool beganWith(const QString& initial)
    {
        const std::string weightsOfRun = begun().initialWeights;
        window.controller().stop();
        return comes([this] { return !window.controller().isUnderWay(); }) && weightsOfRun == initial.toStdString();
    }
    const SessionOptions& begun()
    {
        const std::size_t before = script->options.size();
        window.actions().run->trigger();
        (void)comes([&] { return script->options.size() > before; });
        return script->options.back();
    }
};

} // namespace

class ImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theMappingIsShownBeforeAnythingIsTaken()
    {
        if (pythonHasTorch().isEmpty())
            QSKIP("no Python with torch");
        ImportDesk desk;
        QVERIFY(desk.dialog() != nullptr && desk.dialog()->isVisible() && !desk.dialog()->isModal());
        QVERIFY(!desk.take().isEnabled());
        QVERIFY(writeForeignLstm(desk.weights, "encoder.lstm.", 0.25F));
        desk.dialog()->setWeights(desk.weights);
        QVERIFY2(desk.isShown(), qPrintable(desk.dialog()->note()));
        QCOMPARE(desk.row(0)->text(0), QStringLiteral("lstm"));
        QCOMPARE(desk.row(0)->text(2), QStringLiteral("torch.nn.LSTM"));
        QCOMPARE(desk.row(0)->childCount(), 4);
        QTreeWidgetItem* last = desk.row(0)->child(3); // in the order of the file
        QCOMPARE(last->text(0), QStringLiteral("lstm.weight_ih_l0"));
        QCOMPARE(last->text(1), QString::fromUtf8("96 × 12"));
        QCOMPARE(last->text(2), QStringLiteral("encoder.lstm.weight_ih_l0"));
        QCOMPARE(desk.row(1)->text(0), QStringLiteral("Left at their initial values: 2"));
        QCOMPARE(desk.row(2)->child(0)->text(0), QStringLiteral("scale"));
        QCOMPARE(desk.dialog()->note(), QStringLiteral("4 tensors for 1 node. 2 nodes keep their initial values. 1 "
                                                       "tensor of the file is not used."));
        QVERIFY(!QFile::exists(desk.out)); // nothing is taken yet
        desk.take().click();
        QVERIFY(QTest::qWaitFor([&] { return desk.dialog() == nullptr; }, kImportMilliseconds));
        QVERIFY2(desk.window.messages().shownText().contains("start from the 4 tensors in " + desk.out),
                 qPrintable(desk.window.messages().shownText()));
        const auto written = format::readSafetensors(desk.out.toStdString());
        QVERIFY(written.has_value());
        QCOMPARE(written->size(), std::size_t{4});
        QCOMPARE(desk.begun().initialWeights, desk.out.toStdString());
    }

    void namesThatDifferAreGiven()
    {
        if (pythonHasTorch().isEmpty())
            QSKIP("no Python with torch");
        ImportDesk desk;
        QVERIFY(writeForeignLstm(desk.weights, "rnn.", 0.5F));
        desk.dialog()->setWeights(desk.weights);
        QVERIFY2(desk.says("No weights of the file stand behind the name of a node"),
                 qPrintable(desk.dialog()->note()));
        QVERIFY(!desk.take().isEnabled());
        partNamed<QLineEdit>(*desk.dialog(), "importNodes").setText("lstm=rnn");
        QVERIFY2(desk.isShown(), qPrintable(desk.dialog()->note()));
        QCOMPARE(desk.row(0)->child(3)->text(2), QStringLiteral("rnn.weight_ih_l0"));
        (void)desk.window.document().apply(edits::setParam(desk.id("lstm"), "units", std::int64_t{8}));
        QVERIFY2(desk.says("8"), qPrintable(desk.dialog()->note())); // the experiment is another now
        QVERIFY(!desk.take().isEnabled());
    }

    /// Weights are taken by the first answer alone, which names what is there.
    void whatIsThereIsAskedAbout()
    {
        ImportDesk desk;
        const StandInCli cli(desk.folder.filePath("cli"),
                             "while [ $# -gt 0 ]; do [ \"$1\" = --out ] && out=$2; shift; done\n"
                             "echo '{\"kind\":\"end\",\"tensors\":4,\"out\":\"'$out'\"}'\n");
        desk.dialog()->setWeights(desk.weights);
        QVERIFY(desk.isShown());
        QFile older(desk.out);
        QVERIFY(older.open(QIODevice::WriteOnly) && older.write("older") == 5);
        older.close();
        desk.take().click();
        QVERIFY(desk.dialog()->messages().shownText().contains("exists already"));
        QVERIFY(clickOn(*desk.dialog(), "&Keep"));
        QVERIFY(desk.dialog()->isShown());
        desk.take().click();
        QVERIFY(clickOn(*desk.dialog(), "Over&write"));
        QTRY_VERIFY(desk.dialog() == nullptr);
        QCOMPARE(desk.begun().initialWeights, desk.out.toStdString());
    }

    void weightsStayWithTheirExperiment()
    {
        ImportDesk desk;
        QVERIFY(desk.hasTaken("/w.safetensors"));
        const QString other = desk.folder.filePath("other.unroll");
        QVERIFY(desk.window.document().save(other));
        QVERIFY2(desk.beganWith("/w.safetensors"), "saved under another name");
        (void)desk.window.files().open(desk.file);
        QTRY_VERIFY(desk.window.document().path() == desk.file && desk.window.document().checked()->runnable());
        QVERIFY2(desk.beganWith({}), "another experiment");
    }

    void weightsInUseCanBeLetGo()
    {
        ImportDesk desk;
        QVERIFY(desk.hasTaken("/w.safetensors"));
        desk.window.findChild<QAction*>("importWeights")->trigger();
        QVERIFY(saying(*desk.dialog(), "/w.safetensors") > 0);
        partNamed<QPushButton>(*desk.dialog(), "importClear").click();
        desk.dialog()->close();
        QVERIFY(desk.begun().initialWeights.empty());
    }

    /// Nor does the window wait for a program that does not end when it is asked to.
    void closingEndsTheProgramAndWaitsForNothing()
    {
        ImportDesk desk;
        const QString told = desk.folder.filePath("told");
        const StandInCli cli(desk.folder.filePath("cli"),
                             "trap '' TERM\necho $$ > '" + told.toUtf8() + "'\nwhile true; do sleep 0.1; done\n");
        desk.dialog()->setWeights(desk.weights);
        QTRY_VERIFY(contentOf(told).endsWith('\n'));
        const qint64 process = contentOf(told).trimmed().toLongLong();
        QVERIFY(isAlive(process));
        QElapsedTimer sinceClosing;
        sinceClosing.start();
        desk.dialog()->close();
        QTRY_VERIFY(desk.dialog() == nullptr);
        QVERIFY2(sinceClosing.elapsed() < 1500, "it has waited");
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(process), 30000);
    }

    void anotherDocumentClosesIt()
    {
        ImportDesk desk;
        const QString other = desk.folder.filePath("other.unroll");
        QVERIFY(saveExperiment(testing::tinyExperiment(), other.toStdString()).has_value());
        QVERIFY(desk.window.files().open(other));
        QTRY_VERIFY(desk.dialog() == nullptr);
        desk.window.findChild<QAction*>("importWeights")->trigger();
        QVERIFY(desk.dialog() != nullptr);
        QVERIFY(desk.window.files().open(other)); // the same, read again
        QTRY_VERIFY(desk.dialog() == nullptr);
    }

    void whatWentWrongIsSaid()
    {
        ImportDesk desk;
        const StandInCli cli(desk.folder.filePath("cli"), "echo 'error: it is no file of weights' >&2; exit 1\n");
        desk.dialog()->setWeights(desk.weights);
        QVERIFY2(desk.says("It is no file of weights."), qPrintable(desk.dialog()->note()));
        qputenv("UNROLL_CLI", "/nowhere/unroll-cli");
        desk.dialog()->setWeights(desk.weights + '2');
        QVERIFY2(desk.says("cannot be started"), qPrintable(desk.dialog()->note()));
        desk.dialog()->setWeights({});
        QVERIFY(desk.says("Choose a file"));
    }
};

static const AreaOf<ImportTest> importTestArea("import");

} // namespace unroll::test

#include "import_test.moc"
