// SPDX-License-Identifier: GPL-3.0-or-later
// A number field in use: what is dropped on it, written by an input method and stepped, and the words it has for its
// range.
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/typing.h"

#include <QDropEvent>
#include <QInputMethodEvent>
#include <QLineEdit>
#include <QMimeData>

namespace unroll::test {

namespace {

void dropText(QWidget& target, const QString& text)
{
    QMimeData data;
    data.setText(text);
    const QPoint at = target.rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &event);
    QCOMPARE(event.dropAction(), Qt::CopyAction);
}

} // namespace

class NumberFieldTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsDroppedIsTheWholeNumber()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(64.0);
        field.show();
        for (QWidget* target : {static_cast<QWidget*>(&field), static_cast<QWidget*>(field.findChild<QLineEdit*>())}) {
            dropText(*target, "0,02");
            QCOMPARE(field.text(), QStringLiteral("0.02")); // not within "64"
            dropText(*target, " 5\n");
            QCOMPARE(field.text(), QStringLiteral("5"));
            dropText(*target, "1,000");
            QCOMPARE(field.text(), QStringLiteral("5"));
            QVERIFY(!wordsAt(field, "is ambiguous (1000 or 1)").isEmpty());
        }
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile("/some/5.csv")});
        QDragEnterEvent enter({3, 3}, Qt::CopyAction, &files, Qt::LeftButton, {});
        QApplication::sendEvent(&field, &enter);
        QVERIFY(!enter.isAccepted()); // the window opens files
        QCOMPARE(field.text(), QStringLiteral("5"));
    }

    void whatAnInputMethodGivesIsRead()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(1.0);
        field.show();
        field.setFocus();
        field.selectAll();
        QInputMethodEvent writing("０，０", {});
        QApplication::sendEvent(field.findChild<QLineEdit*>(), &writing);
        QInputMethodEvent done;
        done.setCommitString("０，０２");
        QApplication::sendEvent(field.findChild<QLineEdit*>(), &done);
        QCOMPARE(*field.number(), Number(0.02));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(field.text(), QStringLiteral("0.02"));
    }

    void stepsKeepEveryDigitAndTheRange()
    {
        NumberField real(NumberKind::Real);
        for (const auto& [from, to] :
             {std::pair{0.0236, 0.0246}, {0.02, 0.021}, {0.25, 0.26}, {-0.5, -0.49}, {0.0, 0.1}}) {
            real.setNumber(from);
            real.stepBy(1);
            QCOMPARE(numberText(*real.number()), numberText(to));
        }
        NumberField whole(NumberKind::Whole);
        whole.setRange(1, 10, false);
        whole.setNumber(std::int64_t{10});
        whole.stepBy(1);
        QCOMPARE(*whole.number(), Number(std::int64_t{10}));
        whole.setNumber(std::int64_t{1});
        whole.stepBy(-1);
        QCOMPARE(*whole.number(), Number(std::int64_t{1}));
        whole.setNumber(std::int64_t{0}); // out of range, said by others: the way in is open
        whole.stepBy(1);
        QCOMPARE(*whole.number(), Number(std::int64_t{1}));
        NumberField text(NumberKind::Real);
        text.setNumber(2.0);
        text.selectAll();
        QTest::keyClicks(&text, "1,000");
        text.stepBy(1); // of which number?
        QCOMPARE(text.text(), QStringLiteral("1,000"));
    }

    /// A number that stands for something is shown as that, by whichever way it comes.
    void aNumberWithAMeaningStandsThereInWords()
    {
        NumberField field(NumberKind::Whole);
        field.setRange(-1, 7, false);
        field.setWordsFor(std::int64_t{-1}, "all heads");
        field.setNumber(std::int64_t{-1});
        field.show();
        QCOMPARE(field.text(), QStringLiteral("all heads"));
        QCOMPARE(*field.number(), Number(std::int64_t{-1}));
        field.finish();
        QCOMPARE(field.text(), QStringLiteral("all heads"));
        field.stepBy(1);
        QCOMPARE(field.text(), QStringLiteral("0"));
        field.stepBy(-1);
        QCOMPARE(field.text(), QStringLiteral("all heads"));
        field.selectAll();
        QTest::keyClicks(&field, "3");
        field.finish();
        QCOMPARE(*field.number(), Number(std::int64_t{3}));
        field.selectAll();
        QTest::keyClicks(&field, "-1");
        field.finish();
        QCOMPARE(field.text(), QStringLiteral("all heads"));
    }

    void aTemperatureBelowZeroIsRefusedWithTheRange()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        studio.window.panels().dock("samples").raise();
        auto* temperature = studio.window.panel<SamplesPanel>().findChild<NumberField*>();
        QTRY_VERIFY(temperature->isVisible());
        const QString before = temperature->text();
        paste(*temperature, "-1");
        const QString words = wordsAt(*temperature, "out of range");
        QCOMPARE(words, QStringLiteral("“-1” is out of range: 0 to 100."));
        QTest::mouseClick(studio.window.panel<SamplesPanel>().findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(temperature->text(), before);
        QVERIFY(wordsAt(*temperature, "It stays").endsWith(QString("It stays %1.").arg(before)));
        paste(*temperature, "0,5");
        QVERIFY(wordsAt(*temperature, "It stays").isEmpty());
        QTest::mouseClick(studio.window.panel<SamplesPanel>().findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(temperature->text(), QStringLiteral("0.5"));
        QVERIFY(studio.script->wasTold("sample"));
    }

    void aRepeatBelowOneSaysWhatStays()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        studio.window.scene().select({studio.id("body")});
        auto* repeat = studio.window.panel<InspectorPanel>()
                           .page()
                           ->findChild<GroupForm*>()
                           ->form()
                           .editor("repeat")
                           ->findChild<NumberField*>();
        paste(*repeat, "0");
        QTest::keyClick(repeat, Qt::Key_Return);
        QCOMPARE(repeat->text(), QStringLiteral("1"));
        QCOMPARE(wordsAt(*repeat, "It stays"), QStringLiteral("The number of copies must be at least 1. It stays 1."));
    }

    void moreDigitsThanAreKeptAreToldOf()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        auto* bias =
            studio.window.panel<InspectorPanel>().page()->form().editor("forget_bias")->findChild<NumberField*>();
        paste(*bias, "3.14159265358979323846");
        QTest::keyClick(bias, Qt::Key_Return);
        QCOMPARE(bias->text(), QStringLiteral("3.141592653589793"));
        QCOMPARE(wordsAt(*bias, "Stored"),
                 QStringLiteral("Stored as 3.141592653589793: numbers have at most 17 digits."));
    }
};

static const AreaOf<NumberFieldTest> numberFieldTestArea("numberField");

} // namespace unroll::test

#include "number_field_test.moc"
