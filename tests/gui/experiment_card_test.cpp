// SPDX-License-Identifier: GPL-3.0-or-later
// Title and summary of an experiment: written in the inspector, undone, saved.
#include "core/experiment/experiment.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"

namespace unroll::test {

namespace {

ExperimentCard& cardOf(Studio& studio)
{
    studio.window.scene().select({});
    return *studio.window.panel<InspectorPanel>().card();
}

QPlainTextEdit& summaryOf(const ExperimentCard& card)
{
    return *card.findChild<QPlainTextEdit*>();
}

} // namespace

class ExperimentCardTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void titleAndSummaryAreWrittenAndSaved()
    {
        Studio studio;
        ExperimentCard& card = cardOf(studio);
        Document& document = studio.window.document();
        const QString before = document.givenTitle(), summary = document.summary();
        QCOMPARE(card.titleField().text(), before);
        QCOMPARE(summaryOf(card).toPlainText(), summary);
        QTest::mouseClick(&card.titleField(), Qt::LeftButton);
        card.titleField().selectAll();
        QTest::keyClicks(&card.titleField(), "Two gates");
        QTest::keyClick(&card.titleField(), Qt::Key_Return);
        QVERIFY(document.isModified());
        QVERIFY(studio.window.windowTitle().startsWith("Two gates"));
        QTest::mouseClick(summaryOf(card).viewport(), Qt::LeftButton);
        summaryOf(card).selectAll();
        QTest::keyClicks(&summaryOf(card), "Which of them is closed?");
        QTest::keyClick(&summaryOf(card), Qt::Key_Return);
        QTest::keyClicks(&summaryOf(card), "And when?");
        QCOMPARE(document.summary(), QString("Which of them is closed?\nAnd when?"));
        const QString path = studio.folder.filePath("gates.unroll");
        QVERIFY(document.save(path));
        const auto read = loadExperiment(path.toStdString());
        QVERIFY(read.has_value());
        QCOMPARE(read->title, std::string("Two gates"));
        QCOMPARE(read->summary, std::string("Which of them is closed?\nAnd when?"));
        document.undo();
        QCOMPARE(document.summary(), summary); // all that was typed, at once
        QCOMPARE(summaryOf(card).toPlainText(), summary);
        document.undo();
        QCOMPARE(document.givenTitle(), before);
        QCOMPARE(card.titleField().text(), before);
        document.redo();
        QCOMPARE(card.titleField().text(), QString("Two gates"));
    }

    void keysOfUndoAreTheDocuments()
    {
        Studio studio;
        ExperimentCard& card = cardOf(studio);
        Document& document = studio.window.document();
        const QString summary = document.summary();
        summaryOf(card).setFocus();
        summaryOf(card).moveCursor(QTextCursor::End);
        QTest::keyClicks(&summaryOf(card), " More.");
        QCOMPARE(document.summary(), summary + " More.");
        QTest::keyClick(&summaryOf(card), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document.summary(), summary);
        QCOMPARE(summaryOf(card).toPlainText(), summary);
        QTest::keyClick(&summaryOf(card), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(document.summary(), summary + " More.");
    }

    void theTitleIsReachedByF2()
    {
        Studio studio;
        const QString before = studio.window.document().givenTitle();
        ExperimentCard& card = cardOf(studio);
        press(studio, Qt::Key_F2, Qt::NoModifier);
        QVERIFY(card.titleField().hasFocus());
        QTest::keyClicks(&card.titleField(), "Anew");
        QTest::keyClick(&card.titleField(), Qt::Key_Tab);
        QVERIFY(summaryOf(card).hasFocus());
        QCOMPARE(studio.window.document().givenTitle(), QString("Anew"));
        studio.window.document().undo();
        QCOMPARE(studio.window.document().givenTitle(), before);
    }

    /// A node that is chosen while the summary is typed ends it.
    void whatIsTypedStaysWhenTheCardGoes()
    {
        Studio studio;
        ExperimentCard& card = cardOf(studio);
        summaryOf(card).setFocus();
        summaryOf(card).selectAll();
        QTest::keyClicks(&summaryOf(card), "Short.");
        choose(studio, {"lstm"});
        QVERIFY(studio.window.panel<InspectorPanel>().card() == nullptr);
        QCOMPARE(studio.window.document().summary(), QString("Short."));
        QCOMPARE(summaryOf(cardOf(studio)).toPlainText(), QString("Short."));
    }
};

static const AreaOf<ExperimentCardTest> experimentCardTestArea("experiment");

} // namespace unroll::test

#include "experiment_card_test.moc"
