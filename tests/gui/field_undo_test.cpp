// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo by keys while a field has the keyboard: of the text while it is typed, of the document once it is
// finished.
#include "app/studio/inspector/number_field.h"
#include "app/studio/inspector/path_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/forms.h"

#include <QComboBox>
#include <QLineEdit>

namespace unroll::test {

namespace {

/// In the place of what stands there; nothing ends the edit.
void type(QWidget& field, const QString& text)
{
    field.setFocus();
    QTRY_VERIFY(field.hasFocus());
    auto* line = qobject_cast<QLineEdit*>(&field);
    (line != nullptr ? line : field.findChild<QLineEdit*>())->selectAll();
    QTest::keyClicks(&field, text);
}

void enter(QWidget& field, const QString& text)
{
    type(field, text);
    QTest::keyClick(&field, Qt::Key_Return);
}

void undo(QWidget& field)
{
    QVERIFY(field.hasFocus());
    QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier);
}

void redo(QWidget& field, bool byY = false)
{
    QVERIFY(field.hasFocus());
    if (byY)
        QTest::keyClick(&field, Qt::Key_Y, Qt::ControlModifier);
    else
        QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
}

ParamValue unitsOf(Studio& studio)
{
    return studio.graph().findByName("lstm")->params.at("units");
}

} // namespace

class FieldUndoTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keysUndoWhatReturnFinished()
    {
        Studio studio;
        NumberField& units = *numberIn(formOf(studio, "lstm"), "units");
        const ParamValue before = unitsOf(studio);
        const QString text = units.text();
        enter(units, "64");
        enter(units, "96");
        undo(units);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{64}));
        QCOMPARE(units.text(), QStringLiteral("64"));
        undo(units);
        QCOMPARE(unitsOf(studio), before);
        QCOMPARE(units.text(), text);
        redo(units);
        QCOMPARE(units.text(), QStringLiteral("64"));
        redo(units, true);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{96}));
        QVERIFY(units.hasFocus());
    }

    void whileItIsTypedTheTextIsUndone()
    {
        Studio studio;
        BlockAdder(studio.window.scene()).add("add", {500, 500});
        const Graph added = studio.graph();
        NumberField& units = *numberIn(formOf(studio, "lstm"), "units");
        const QString text = units.text();
        type(units, "64");
        undo(units);
        QCOMPARE(units.text(), text);
        QVERIFY(studio.graph() == added); // the document follows the text
        redo(units);
        QCOMPARE(units.text(), QStringLiteral("64"));
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{64}));
        undo(units);
        QTest::keyClick(&units, Qt::Key_Return); // as it was: nothing to undo
        undo(units);
        QVERIFY(studio.graph().findByName("add") == nullptr);
    }

    void aFixAndTypingAreTwoSteps()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "lstm");
        NumberField& units = *numberIn(form, "units");
        enter(units, "0");
        QPushButton* fix = nullptr;
        QTRY_VERIFY((fix = buttonIn(form, "Set units to 128")) != nullptr);
        QTest::mouseClick(fix, Qt::LeftButton);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{128}));
        enter(units, "64");
        undo(units);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{128}));
        undo(units);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{0}));
    }

    /// Typed, not finished, then the button: three steps back, in their order.
    void aFixInTheMiddleOfTypingIsItsOwnStep()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "lstm");
        NumberField& units = *numberIn(form, "units");
        const ParamValue before = unitsOf(studio);
        type(units, "0");
        QPushButton* fix = nullptr;
        QTRY_VERIFY((fix = buttonIn(form, "Set units to 128")) != nullptr);
        fix->click();
        QCOMPARE(units.text(), QStringLiteral("128"));
        type(units, "64");
        QTest::keyClick(&units, Qt::Key_Return);
        for (const ParamValue& value : {ParamValue(std::int64_t{128}), ParamValue(std::int64_t{0}), before}) {
            undo(units);
            QCOMPARE(unitsOf(studio), value);
        }
    }

    void resetAndStepsAreStepsOfTheirOwn()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "lstm");
        NumberField& units = *numberIn(form, "units");
        enter(units, "64");
        QTest::keyClick(&units, Qt::Key_Up);
        QTest::keyClick(&units, Qt::Key_Up);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{66}));
        undo(units); // steps that follow each other are one
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{64}));
        Q_EMIT form.resetAsked("units");
        QVERIFY(!studio.graph().findByName("lstm")->params.contains("units"));
        undo(units);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{64}));
    }

    void settingsAndSeedAreUndoneInTheirOrder()
    {
        Studio studio;
        Document& document = studio.window.document();
        studio.window.panels().dock("training").raise();
        ParamForm& form = studio.window.panel<TrainingPanel>().form();
        NumberField& batch = *numberIn(form, "batch");
        QTRY_VERIFY(batch.isVisible());
        auto& seed = *studio.window.runBar().findChild<NumberField*>();
        const std::int64_t batchBefore = document.training().batch;
        const std::uint64_t seedBefore = document.seed();
        enter(batch, "7");
        enter(seed, "77");
        QVERIFY(document.apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{40})));
        enter(batch, "9");
        undo(batch);
        QCOMPARE(document.training().batch, 7);
        QCOMPARE(batch.text(), QStringLiteral("7"));
        undo(batch); // of the graph
        QVERIFY(unitsOf(studio) != ParamValue(std::int64_t{40}));
        QCOMPARE(document.seed(), std::uint64_t{77});
        undo(batch);
        QCOMPARE(document.seed(), seedBefore);
        QCOMPARE(seed.text(), QString::number(seedBefore));
        undo(batch);
        QCOMPARE(document.training().batch, batchBefore);
        QVERIFY(!document.canUndo());
        QVERIFY(!document.isModified());
        for (int i = 0; i < 4; ++i)
            redo(batch);
        QCOMPARE(document.training().batch, 9);
        QCOMPARE(document.seed(), std::uint64_t{77});
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{40}));
        QVERIFY(!document.canRedo());
    }

    void aNewEditDropsWhatWasUndone()
    {
        Studio studio;
        Document& document = studio.window.document();
        QVERIFY(document.apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{40})));
        document.undo();
        document.setSeed(9);
        QVERIFY(!document.canRedo());
        document.undo();
        QVERIFY(document.apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{41})));
        document.redo();
        QVERIFY(document.seed() != 9);
        document.undo();
        QVERIFY(!document.canUndo());
    }

    void theLearningRateThatIsUndoneGoesToTheRunToo()
    {
        Studio studio;
        studio.window.panels().dock("training").raise();
        NumberField& rate = *numberIn(studio.window.panel<TrainingPanel>().form(), "learning_rate");
        QTRY_VERIFY(rate.isVisible());
        studio.key(Qt::Key_F10);
        const double before = studio.window.document().training().learningRate;
        enter(rate, "0,02");
        undo(rate);
        QCOMPARE(studio.script->learningRates, (std::vector<double>{0.02, before}));
    }

    void namesTextsAndPathsTakePart()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "text");
        auto& path = *form.editor("file")->findChild<PathField*>();
        enter(path, "/none.txt");
        undo(path);
        QCOMPARE(path.text(), QString());
        redo(path);
        QCOMPARE(path.text(), QStringLiteral("/none.txt"));
        undo(path);
        QLineEdit& name = studio.window.panel<InspectorPanel>().page()->nameField();
        enter(name, "words");
        QVERIFY(studio.graph().findByName("words") != nullptr);
        undo(name);
        QVERIFY(studio.graph().findByName("text") != nullptr);
        QCOMPARE(name.text(), QStringLiteral("text"));
        auto& device = *studio.window.runBar().findChild<QComboBox*>();
        device.setFocus();
        device.lineEdit()->selectAll();
        QTest::keyClicks(&device, "cpu");
        QTest::keyClick(&device, Qt::Key_Return);
        QCOMPARE(studio.window.document().training().device, std::string("cpu"));
        undo(device);
        QCOMPARE(device.currentText(), QStringLiteral("auto"));
    }

    /// What is asked of a run is not an edit: its keys stay in the field.
    void promptAndProbeKeepTheirKeys()
    {
        Studio studio;
        QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{40})));
        studio.window.panels().dock("samples").raise();
        auto& prompt = *studio.window.panel<SamplesPanel>().findChild<QLineEdit*>();
        QTRY_VERIFY(prompt.isVisible());
        type(prompt, "abc");
        for (int i = 0; i < 5; ++i)
            undo(prompt);
        QCOMPARE(unitsOf(studio), ParamValue(std::int64_t{40}));
    }
};

static const AreaOf<FieldUndoTest> fieldUndoTestArea("fieldUndo");

} // namespace unroll::test

#include "field_undo_test.moc"
