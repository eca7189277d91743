// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/lesson_step_button.h"
#include "app/studio/start/lesson_strip.h"
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

using State = LessonStepButton::State;

namespace {

std::vector<State> statesOf(const LessonStrip& strip)
{
    std::vector<State> states;
    for (const LessonStepButton* step : strip.steps())
        states.push_back(step->state());
    return states;
}

void moveInto(QWidget& widget)
{
    QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
    QApplication::sendEvent(&widget, &enter);
}

} // namespace

class LessonsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsAreTickedOff()
    {
        Studio studio; // on Fable
        LessonStrip& strip = studio.window.lesson();
        QVERIFY(strip.isVisible());
        QCOMPARE(statesOf(strip), (std::vector<State>{State::Next, State::Later, State::Later, State::Later}));
        QCOMPARE(strip.steps()[0]->text(), QStringLiteral("Press Run (F5)."));
        moveInto(studio.window.panel<CurvesPanel>()); // there is nothing to be seen there yet
        QCOMPARE(statesOf(strip)[1], State::Later);
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(statesOf(strip)[0], State::Done);
        QCOMPARE(statesOf(strip)[1], State::Next);
        QTRY_VERIFY(!studio.window.panel<CurvesPanel>().isEmpty());
        moveInto(studio.window.panel<CurvesPanel>());
        QCOMPARE(statesOf(strip), (std::vector<State>{State::Done, State::Done, State::Next, State::Later}));
        QVERIFY(strip.more().isHidden());
        studio.window.panels().dock("state").hide();
        studio.window.panel<StatePanel>().showNode("lstm");
        QTest::mouseClick(strip.steps()[2], Qt::LeftButton); // it is shown, with what the step is about
        QVERIFY(studio.window.panels().dock("state").isVisible());
        QCOMPARE(studio.window.panel<StatePanel>().node(), std::string("lstm_2"));
        QCOMPARE(studio.window.panel<StatePanel>().signal(), std::string("c"));
        QTRY_COMPARE(statesOf(strip)[2], State::Done);
        QVERIFY(strip.more().isHidden());
        QTest::mouseClick(strip.steps()[3], Qt::LeftButton); // a lens, whose panel was never open
        QVERIFY(studio.window.panels().dock("lens.tracks").isVisible());
    }

    void whereAllIsDoneMoreIsOffered()
    {
        Studio studio;
        QVERIFY(studio.window.files().open(QString::fromStdString(findExperiment("adding-gru")->string())));
        LessonStrip& strip = studio.window.lesson();
        QTRY_VERIFY(!studio.window.document().checked()->order.empty());
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(!studio.window.panel<CurvesPanel>().isEmpty());
        for (LessonStepButton* step : strip.steps())
            QTest::mouseClick(step, Qt::LeftButton);
        QTRY_VERIFY(strip.more().isVisible());
        QTest::mouseClick(&strip.more(), Qt::LeftButton);
        QVERIFY(studio.window.startMode().isShown() && !strip.isVisible());
        studio.window.startMode().leave();
        QVERIFY(strip.isVisible());
    }

    void aLessonIsClosedAndOpenedAgain()
    {
        Studio studio;
        LessonStrip& strip = studio.window.lesson();
        const int before = studio.window.canvas().height();
        QTest::mouseClick(strip.findChild<QToolButton*>(), Qt::LeftButton);
        QVERIFY(!strip.isVisible());
        QTRY_VERIFY(studio.window.canvas().height() > before);
        QVERIFY(!studio.window.actions().lesson->isChecked());
        studio.window.actions().lesson->trigger();
        QVERIFY(strip.isVisible());
    }

    void onlyTheGalleryHasThem()
    {
        Desk desk;
        QVERIFY(desk.window.files().open(desk.file));
        QVERIFY(!desk.window.lesson().isVisible());
        QVERIFY(!desk.window.actions().lesson->isEnabled());
        desk.window.files().openDefault();
        QVERIFY(desk.window.lesson().isVisible() && desk.window.actions().lesson->isEnabled());
        setUnits(desk.window, 33); // what was done stays done while the graph changes
        QVERIFY(desk.window.lesson().isVisible());
    }

    void keysReachEveryStep()
    {
        Studio studio;
        LessonStrip& strip = studio.window.lesson();
        strip.steps()[2]->setFocus();
        studio.window.panels().dock("samples").raise();
        studio.window.panels().dock("state").hide();
        QTest::keyClick(strip.steps()[2], Qt::Key_Return);
        QVERIFY(studio.window.panels().dock("state").isVisible());
        QCOMPARE(statesOf(strip)[2], State::Later); // it holds nothing yet
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(statesOf(strip)[2], State::Done); // as soon as it does
        for (const LessonStepButton* step : strip.steps())
            QVERIFY(step->accessibleName().size() > 5 && step->focusPolicy() == Qt::StrongFocus);
    }

    void stepsWrapWhereThereIsNoRoom()
    {
        Studio studio;
        for (const int width : {900, 1440, 2000}) {
            studio.window.resize(width, 900);
            QVERIFY(comeToRest(studio.window));
            for (const LessonStepButton* step : studio.window.lesson().steps()) {
                QVERIFY2(step->height() >= step->heightForWidth(step->width()), qPrintable(step->text()));
                QVERIFY2(step->width() >= step->minimumSizeHint().width(), qPrintable(step->text()));
            }
        }
        QVERIFY(studio.window.lesson().height() < 60);
    }
};

static const AreaOf<LessonsTest> lessonsTestArea("lessons");

} // namespace unroll::test

#include "lessons_test.moc"
