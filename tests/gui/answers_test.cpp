// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/answers/answers_view.h"
#include "app/studio/plot/colour_map.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <cmath>

namespace unroll::test {

namespace {

constexpr std::int64_t kAnswerSteps = 40; ///< of a scripted snapshot

/// A view of its own beside the window, on the window's run and cursor.
struct AnswersBench : Studio {
    AnswersBench()
    {
        view.resize(500, 320);
        view.show();
    }

    LensDesk desk{window.document(), window.controller(), appearance, window.cursor()};
    AnswersView view{desk};
    QComboBox& from = *view.findChild<QComboBox*>("readingFrom");
    QLineEdit& field = *view.findChild<QLineEdit*>("readingField");
    QSpinBox& length = *view.findChild<QSpinBox*>("readingLength");

    void train(std::int64_t count = 1)
    {
        window.controller().step(window.document().experiment(), SessionOptions{}, count);
    }
    void choose(const QString& words)
    {
        from.setCurrentText(words);
        Q_EMIT from.activated(from.currentIndex());
    }
};

} // namespace

class AnswersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tokensAreColouredBySurprise()
    {
        AnswersBench bench;
        QVERIFY(bench.view.isEmpty());
        QVERIFY(bench.view.emptyState().accessibleDescription().contains("Press Run"));
        bench.train();
        QTRY_VERIFY(!bench.view.isEmpty());
        const auto& tokens = bench.view.text().tokens();
        QCOMPARE(std::ssize(tokens), kAnswerSteps);
        QCOMPARE(tokens[3].text, QStringLiteral("d"));
        QVERIFY(bench.view.findChild<QWidget*>("lookRate") != nullptr);
        QVERIFY(!tokens[0].ground.isValid()); // nothing said what comes first
        const ColourMap colours = ColourMap::diverging(bench.appearance.theme().divergingMap());
        for (std::int64_t step = 1; step < kAnswerSteps; ++step) { // the step before told it
            const double bits = -std::log2(scriptedProbability(step - 1));
            QCOMPARE(tokens[static_cast<std::size_t>(step)].ground.rgb(),
                     colours[128 + static_cast<int>(std::min(bits / 8, 1.0) * 127)]);
        }
        QVERIFY(says(bench.view, "the scripted text"));
        QVERIFY(says(bench.view, "40 steps of the scripted text"));
        QVERIFY(says(bench.view, "mean loss"));
        QVERIFY(says(bench.view, "a stronger background means a less likely token"));
        QVERIFY(!says(bench.view, "not finite"));
    }

    void aStepIsHeldAndTold()
    {
        AnswersBench bench;
        bench.train();
        QTRY_VERIFY(!bench.view.isEmpty());
        TokenText& text = bench.view.text();
        QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.placeOf(8).center().toPoint());
        QCOMPARE(bench.window.cursor().step(), std::int64_t{8});
        QVERIFY2(bench.view.shownText().contains("after “i”: actual “j”, probability 0.001"),
                 qPrintable(bench.view.shownText()));
        QVERIFY2(bench.view.shownText().contains("loss 6.908 nats/token"), qPrintable(bench.view.shownText()));
        auto* bars = bench.view.findChild<LikelyBars*>();
        QCOMPARE(bars->accessibleDescription(), QStringLiteral("#: 0.999, j: 0.001"));
        QTest::keyClick(&text, Qt::Key_Right);
        QCOMPARE(bars->accessibleDescription(), QStringLiteral("k: 0.75, #: 0.25"));
        bench.window.cursor().hold(kAnswerSteps - 1); // by another view
        QVERIFY2(bench.view.shownText().contains("no target"), qPrintable(bench.view.shownText()));
        QTest::keyClick(&text, Qt::Key_Escape);
        QCOMPARE(bench.window.cursor().step(), std::int64_t{-1});
        QVERIFY(!bench.view.shownText().contains("actual"));
    }

    void aBrushIsShared()
    {
        AnswersBench bench;
        bench.train();
        QTRY_VERIFY(!bench.view.isEmpty());
        TokenText& text = bench.view.text();
        QTest::mousePress(text.viewport(), Qt::LeftButton, Qt::ShiftModifier, text.placeOf(9).center().toPoint());
        const QPoint to = text.placeOf(5).center().toPoint();
        QMouseEvent move(QEvent::MouseMove, to, text.viewport()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                         Qt::ShiftModifier);
        QApplication::sendEvent(text.viewport(), &move);
        QTest::mouseRelease(text.viewport(), Qt::LeftButton, Qt::ShiftModifier, to);
        QCOMPARE(bench.window.cursor().from(), std::int64_t{5});
        QCOMPARE(bench.window.cursor().to(), std::int64_t{10});
    }

    void whatIsReadIsChosen()
    {
        AnswersBench bench;
        bench.train();
        QVERIFY(bench.field.isHidden());
        bench.choose("text");
        QVERIFY(bench.field.isVisible());
        QTest::keyClicks(&bench.field, "The fox");
        QTest::keyClick(&bench.field, Qt::Key_Return);
        QCOMPARE(bench.script->reading.from, ReadingRequest::From::Text);
        QCOMPARE(bench.script->reading.text, std::string("The fox"));
        bench.field.clear();
        bench.choose("place");
        bench.field.setText("1200");
        QTest::keyClick(&bench.field, Qt::Key_Return);
        QCOMPARE(bench.script->reading.from, ReadingRequest::From::Place);
        QCOMPARE(bench.script->reading.at, std::int64_t{1200});
        QVERIFY(bench.script->reading.text.empty());
        bench.field.setText("the crow"); // to be found
        QTest::keyClick(&bench.field, Qt::Key_Return);
        QCOMPARE(bench.script->reading.from, ReadingRequest::From::Place);
        QCOMPARE(bench.script->reading.text, std::string("the crow"));
        QCOMPARE(bench.script->reading.further, std::int64_t{0});
        QTest::keyClick(&bench.field, Qt::Key_Return); // and the next place that has it
        QCOMPARE(bench.script->reading.text, std::string("the crow"));
        QCOMPARE(bench.script->reading.further, std::int64_t{1});
        bench.field.setText("\"0110\""); // words, and no step
        QTest::keyClick(&bench.field, Qt::Key_Return);
        QCOMPARE(bench.script->reading.text, std::string("0110"));
        QCOMPARE(bench.script->reading.further, std::int64_t{0});
        QCOMPARE(bench.field.text(), QStringLiteral("\"0110\""));
        QCOMPARE(bench.script->reading.length, std::int64_t{0}); // nothing is asked for
        bench.length.setValue(512);
        QCOMPARE(bench.script->reading.length, std::int64_t{512});
        bench.choose("sample");
        QCOMPARE(bench.script->reading.from, ReadingRequest::From::Sample);
        bench.choose("start of validation");
        QCOMPARE(bench.script->reading.from, ReadingRequest::From::Start);
    }

    void whatIsNotSeenAsksNothing()
    {
        AnswersBench bench;
        bench.train();
        const auto isAsked = [&] {
            const auto& open = bench.script->open;
            return std::any_of(open.begin(), open.end(),
                               [](const LensQuery& query) { return query.lens == "answers"; });
        };
        QTRY_VERIFY(isAsked());
        bench.view.hide();
        QTRY_VERIFY(!isAsked());
    }
};

static const AreaOf<AnswersTest> answersTestArea("answers");

} // namespace unroll::test

#include "answers_test.moc"
