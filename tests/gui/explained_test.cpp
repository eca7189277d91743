// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector and the training panel explain: choices, refused input, how weights begin and are trained.
#include "app/studio/inspector/help_text.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/inspector/weight_text.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/forms.h"
#include "tests/gui/parts.h"

#include <QComboBox>
#include <QTextDocument>
#include <algorithm>

namespace unroll::test {

namespace {

ParamForm& trainingForm(Studio& studio)
{
    studio.window.panels().dock("training").raise();
    return studio.window.panel<TrainingPanel>().form();
}

QComboBox* choiceIn(const ParamForm& form, const std::string& param)
{
    return form.editor(param)->findChild<QComboBox*>();
}

QString weightsOn(const NodePage& page)
{
    return partNamed<QLabel>(page, "weights").text();
}

/// A label that is seen and says just this; nullptr where there is none.
const QLabel* labelWith(const QWidget& place, const QString& words)
{
    const auto labels = place.findChildren<QLabel*>();
    const auto found = std::find_if(labels.begin(), labels.end(),
                                    [&](const QLabel* label) { return label->isVisible() && label->text() == words; });
    return found == labels.end() ? nullptr : *found;
}

bool warns(const QWidget& place, const QString& words)
{
    const QLabel* label = labelWith(place, words);
    return label != nullptr && label->property("tone").toString() == "error";
}

void typeIn(QWidget* field, const QString& text)
{
    field->setFocus();
    auto* line = field->findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClick(field, Qt::Key_Backspace);
    QTest::keyClicks(field, text);
}

/// By keys: as many steps down or up as it takes.
void choose(QComboBox* box, const QString& value)
{
    box->setFocus();
    const int wanted = box->findText(value);
    while (box->currentIndex() != wanted)
        QTest::keyClick(box, box->currentIndex() < wanted ? Qt::Key_Down : Qt::Key_Up);
}

QString plainTextOf(const QString& rich)
{
    QTextDocument document;
    document.setHtml(rich);
    return document.toPlainText().replace(QChar::Nbsp, ' ');
}

QString explanationOf(const ParamSpec& spec, const std::string& value)
{
    return QString::fromStdString(spec.choice(value)->explanation);
}

bool helpSays(const QWidget& place, const QString& words)
{
    const auto pages = place.findChildren<HelpText*>();
    return std::any_of(pages.begin(), pages.end(),
                       [&](const HelpText* page) { return page->toPlainText().contains(words); });
}

} // namespace

class ExplainedTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyItemOfAChoiceHasItsSentence()
    {
        Studio studio;
        const ParamForm& form = formOf(studio, "lstm");
        const ParamSpec& spec = *studio.registry.find("lstm")->param("weights_initializer");
        const QComboBox* box = choiceIn(form, spec.name);
        QCOMPARE(box->count(), static_cast<int>(spec.choices.size()));
        for (int i = 0; i < box->count(); ++i)
            QCOMPARE(box->itemData(i, Qt::ToolTipRole).toString(), explanationOf(spec, box->itemText(i).toStdString()));
    }

    void theChosenOneIsExplainedUnderTheField()
    {
        Studio studio;
        const ParamForm& form = formOf(studio, "lstm");
        const ParamSpec& spec = *studio.registry.find("lstm")->param("weights_initializer");
        QVERIFY(labelWith(form, explanationOf(spec, "torch")) != nullptr);
        choose(choiceIn(form, spec.name), "glorot_uniform");
        QCOMPARE(studio.graph().findByName("lstm")->params.at(spec.name), ParamValue(std::string("glorot_uniform")));
        QVERIFY(labelWith(form, explanationOf(spec, "glorot_uniform")) != nullptr);
        QVERIFY(!warns(form, explanationOf(spec, "glorot_uniform")));
        studio.window.document().undo();
        QCOMPARE(choiceIn(form, spec.name)->currentText(),
                 QString::fromStdString(std::get<std::string>(spec.defaultValue)));
    }

    void trainingSettingsAreExplainedLikewise()
    {
        Studio studio;
        const ParamForm& form = trainingForm(studio);
        const auto& specs = trainSettingSpecs();
        const auto spec =
            std::find_if(specs.begin(), specs.end(), [](const auto& each) { return each.name == "schedule"; });
        QTRY_VERIFY(labelWith(form, explanationOf(*spec, "cosine")) != nullptr);
        choose(choiceIn(form, "schedule"), "constant");
        QVERIFY(labelWith(form, explanationOf(*spec, "constant")) != nullptr);
        QVERIFY(labelWith(form, "Optimiser") != nullptr); // headings come from the schema too
    }

    void helpListsEveryChoice()
    {
        Studio studio;
        formOf(studio, "lstm");
        const ParamSpec& spec = *studio.registry.find("lstm")->param("recurrent_initializer");
        for (const ChoiceSpec& choice : spec.choices)
            QVERIFY2(
                helpSays(*studio.window.panel<InspectorPanel>().page(), QString::fromStdString(choice.explanation)),
                choice.value.c_str());
        for (const ParamSpec& setting : trainSettingSpecs())
            for (const ChoiceSpec& choice : setting.choices)
                QVERIFY2(helpSays(studio.window.panel<TrainingPanel>(), QString::fromStdString(choice.explanation)),
                         choice.value.c_str());
    }

    void aWrongValueIsSaidUnderItsField()
    {
        Studio studio;
        const ParamForm& form = formOf(studio, "lstm");
        NumberField* units = numberIn(form, "units");
        typeIn(units, "0");
        QTRY_VERIFY(warns(form, "units must be at least 1; it is 0"));
        units->stepBy(1);
        QTRY_VERIFY(labelWith(form, "units must be at least 1; it is 0") == nullptr);
    }

    void textThatIsNoNumberIsSaidAndWhatStaysToo()
    {
        Studio studio;
        const ParamForm& form = formOf(studio, "lstm");
        NumberField* units = numberIn(form, "units");
        const QString before = units->text();
        typeIn(units, "1.5");
        QVERIFY(warns(form, "“1.5” is not a whole number."));
        QTest::keyClick(units, Qt::Key_Return);
        QCOMPARE(units->text(), before);
        QVERIFY(warns(form, QString("“1.5” is not a whole number. It stays %1.").arg(before)));
        typeIn(units, "");
        QVERIFY(warns(form, "Enter a number."));
        QTest::keyClicks(units, "48");
        QVERIFY(labelWith(form, "Enter a number.") == nullptr);
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), ParamValue(std::int64_t{48}));
        NumberField* bias = numberIn(form, "forget_bias");
        typeIn(bias, "1e");
        QVERIFY(warns(form, "“1e” is not a number."));
    }

    void aRefusedSettingSaysWhatStays()
    {
        Studio studio;
        const ParamForm& form = trainingForm(studio);
        NumberField* batch = numberIn(form, "batch");
        QTRY_VERIFY(batch->isVisible());
        const QString before = batch->text();
        typeIn(batch, "0");
        QVERIFY(warns(form, "batch must be at least 1; it is 0"));
        QTest::keyClick(batch, Qt::Key_Return);
        QCOMPARE(batch->text(), before);
        QVERIFY(warns(form, QString("batch must be at least 1; it is 0. It stays %1.").arg(before)));
        typeIn(batch, "7");
        QVERIFY(labelWith(form, QString("batch must be at least 1; it is 0. It stays %1.").arg(before)) == nullptr);
        QCOMPARE(studio.window.document().training().batch, 7);
    }

    /// F5 comes while the cursor is in the field.
    void aNumberHalfTypedIsNotTrained()
    {
        Studio studio;
        const ParamForm& form = trainingForm(studio);
        NumberField* rate = numberIn(form, "learning_rate");
        QTRY_VERIFY(rate->isVisible());
        const double before = studio.window.document().training().learningRate;
        typeIn(rate, "5e-");
        QVERIFY(rate->hasFocus());
        studio.key(Qt::Key_F5);
        QCOMPARE(studio.window.document().training().learningRate, before);
        QTRY_VERIFY(!studio.script->started.empty());
        QCOMPARE(studio.script->started.back().training.learningRate, before);
    }

    void aLongNumberShowsItsBeginning()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(6.283185307179586);
        QCOMPARE(field.findChild<QLineEdit*>()->cursorPosition(), 0);
    }

    void weightsSayHowTheyBeginAndAreTrained()
    {
        Studio studio;
        formOf(studio, "lstm");
        const NodePage& page = *studio.window.panel<InspectorPanel>().page();
        const auto units = std::get<std::int64_t>(studio.graph().findByName("lstm")->params.at("units"));
        QTRY_VERIFY2(plainTextOf(weightsOn(page))
                         .contains(QString("weight_hh_l0 [4 units, units] = [%1, %2]").arg(4 * units).arg(units)),
                     qPrintable(plainTextOf(weightsOn(page))));
        QVERIFY(plainTextOf(weightsOn(page))
                    .contains(QString("±1/√units = ±%1").arg(1 / std::sqrt(double(units)), 0, 'g', 3)));
        QVERIFY(plainTextOf(weightsOn(page)).contains("torch.nn.LSTM"));
        QVERIFY(plainTextOf(weightsOn(page)).contains("No weight decay.")); // of the biases
        ParamForm& form = formOf(studio, "lstm");
        choose(choiceIn(form, "recurrent_initializer"), "orthogonal");
        QTRY_VERIFY(plainTextOf(weightsOn(page)).contains("Initial value: orthogonal (Saxe"));
        typeIn(numberIn(form, "learning_rate_scale"), "0");
        QTRY_VERIFY(plainTextOf(weightsOn(page)).contains("Weight decay, frozen: learning rate × 0."));
    }

    void weightsAreSymbolsWhileAnInputIsFree()
    {
        Studio studio;
        const Wire* wire = nullptr;
        for (const Wire& each : studio.graph().wires)
            if (each.to == PortRef{studio.id("lstm"), "x"})
                wire = &each;
        QVERIFY(wire != nullptr);
        formOf(studio, "lstm");
        QVERIFY(studio.window.document().apply(edits::disconnect(*wire)));
        const NodePage& page = *studio.window.panel<InspectorPanel>().page();
        QTRY_VERIFY(plainTextOf(weightsOn(page)).contains("weight_ih_l0 [4 units, in]\n"));
        QVERIFY(!plainTextOf(weightsOn(page)).contains("inf"));
        QVERIFY(!plainTextOf(weightsOn(page)).contains("[4 units, in] ="));
    }

    void blocksWithoutWeightsSayNothingOfThem()
    {
        Studio studio;
        formOf(studio, "text");
        const NodePage& page = *studio.window.panel<InspectorPanel>().page();
        QVERIFY(weightsOn(page).isEmpty());
        QVERIFY(labelWith(page, "Weights") == nullptr);
    }

    /// A frozen block trains at no rate: the edit makes the run stale like any other.
    void theScaleIsAParameterLikeOthers()
    {
        Studio studio;
        const ParamForm& form = formOf(studio, "embedding");
        typeIn(numberIn(form, "learning_rate_scale"), "0.5");
        QCOMPARE(studio.graph().findByName("embedding")->params.at("learning_rate_scale"), ParamValue(0.5));
        typeIn(numberIn(form, "learning_rate_scale"), "-1");
        QTRY_VERIFY(warns(form, "learning_rate_scale must be at least 0; it is -1"));
    }
};

static const AreaOf<ExplainedTest> explainedTestArea("explained");

} // namespace unroll::test

#include "explained_test.moc"
