// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <QComboBox>
#include <cmath>
#include <limits>
#include <tuple>

namespace unroll::test {

namespace {

NumberField* numberOf(Studio& studio, const std::string& param)
{
    return studio.window.panel<InspectorPanel>().page()->form().editor(param)->findChild<NumberField*>();
}

void typeNumber(QAbstractSpinBox* field, const QString& text)
{
    field->setFocus();
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Backspace);
    QTest::keyClicks(field, text);
}

} // namespace

class InspectorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void editsAParameter()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        NumberField* units = numberOf(studio, "units");
        QVERIFY(units != nullptr);
        const auto before = std::get<std::int64_t>(studio.graph().findByName("lstm")->params.at("units"));
        QVERIFY(before != 96);
        typeNumber(units, "96");
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), ParamValue(std::int64_t{96}));
        const Wire* out = nullptr;
        for (const Wire& wire : studio.graph().wires)
            if (wire.from == PortRef{studio.id("lstm"), "y"})
                out = &wire;
        QTRY_COMPARE(studio.window.scene().wire(*out)->shapeText(), QStringLiteral("[T, B, 96]"));
        QCOMPARE(studio.item("lstm").face().summary, QStringLiteral("units 96"));
        QTest::keyClick(units, Qt::Key_Return);
        studio.window.canvas().setFocus();
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), ParamValue(before)); // two digits, one step
        QCOMPARE(*units->number(), Number(before));
    }

    void wrongValuesAreSaidAtTheField()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        NumberField* units = numberOf(studio, "units");
        typeNumber(units, "0");
        QTRY_VERIFY(units->property("wrong").toBool());
        QVERIFY(studio.window.panel<InspectorPanel>().page()->form().editor("units")->toolTip().contains("units"));
        units->stepBy(1);
        QTRY_VERIFY(!units->property("wrong").toBool());
        typeNumber(units, "12x");
        QVERIFY(!units->number().has_value());
    }

    /// The check comes after the edit: what it found of a node that was undone is not said of the next one with its id.
    void anIdThatComesAgainIsANewNode()
    {
        Studio studio;
        const CheckedGraph* seen = studio.window.document().checked().get();
        BlockAdder(studio.window.scene()).add("add", {500, 500});
        QTRY_VERIFY(studio.window.document().checked().get() != seen);
        const NodeId id = *studio.window.scene().selection().begin();
        studio.key(Qt::Key_Z, Qt::ControlModifier);
        BlockAdder(studio.window.scene()).add("gate", {500, 500});
        QCOMPARE(studio.window.scene().selection(), std::set<NodeId>{id});
        QVERIFY(studio.window.scene().level().checkedNode(*studio.graph().find(id)) == nullptr);
        QTRY_VERIFY(studio.window.scene().level().checkedNode(*studio.graph().find(id)) != nullptr);
    }

    /// Whatever was written, a field that is left says what the document holds.
    void fieldsEndWithWhatTheDocumentHolds()
    {
        Studio studio;
        Document& document = studio.window.document();
        studio.window.scene().select({studio.id("lstm")});
        NumberField* units = numberOf(studio, "units");
        for (const QString& text : {QString(), QStringLiteral("1e"), QStringLiteral("-"), QStringLiteral("64 ")}) {
            typeNumber(units, text);
            QVERIFY(units->hasFocus());
            // The check answers, and the form is shown again.
            QVERIFY(staysFor(60, [&] { return units->text() == text; }));
            units->clearFocus();
            const auto held = std::get<std::int64_t>(studio.graph().findByName("lstm")->params.at("units"));
            QCOMPARE(units->text(), QString::number(held));
        }
        auto* steps = studio.window.panel<TrainingPanel>().form().editor("steps")->findChild<NumberField*>();
        studio.window.panels().dock("training").raise();
        QTRY_VERIFY(steps->isVisible());
        typeNumber(steps, "0");
        QVERIFY(steps->property("wrong").toBool());
        QTest::keyClick(steps, Qt::Key_Return);
        QCOMPARE(steps->text(), QString::number(document.training().steps));
        QVERIFY(!steps->property("wrong").toBool());
    }

    void everySeedCanBeTyped()
    {
        Studio studio;
        Document& document = studio.window.document();
        auto* seed = studio.window.runBar().findChild<NumberField*>();
        document.setSeed(3);
        typeNumber(seed, "");
        QTest::keyClick(seed, Qt::Key_Return);
        QCOMPARE(seed->text(), QStringLiteral("3"));
        typeNumber(seed, "-5");
        QCOMPARE(document.seed(), std::uint64_t{3});
        QVERIFY(says(studio.window, "“-5” is below 0; enter 0 to 18446744073709551615."));
        typeNumber(seed, "5");
        QCOMPARE(document.seed(), std::uint64_t{5});
        QTest::keyClick(seed, Qt::Key_Down);
        QCOMPARE(document.seed(), std::uint64_t{4});
        typeNumber(seed, "18446744073709551615");
        QTest::keyClick(seed, Qt::Key_Up); // the end
        QCOMPARE(document.seed(), std::numeric_limits<std::uint64_t>::max());
        QTest::keyClick(seed, Qt::Key_Return);
        typeNumber(seed, "18446744073709551616");
        QTest::keyClick(seed, Qt::Key_Return);
        QCOMPARE(document.seed(), std::numeric_limits<std::uint64_t>::max()); // not its first 19 digits
        QVERIFY(says(studio.window, "too many digits"));
        document.setSeed(std::uint64_t{1} << 63);
        QCOMPARE(seed->text(), QStringLiteral("9223372036854775808"));
        document.setSeed(0);
        QTest::keyClick(seed, Qt::Key_Down);
        QCOMPARE(document.seed(), std::uint64_t{0});
    }

    void numbersAreWrittenPlainly()
    {
        NumberField real(NumberKind::Real);
        const std::pair<double, const char*> cases[] = {{0.0002, "0.0002"}, {1e-8, "1e-8"},     {0.1, "0.1"},
                                                        {0, "0"},           {1234.5, "1234.5"}, {-2.5e-7, "-2.5e-7"},
                                                        {3e12, "3e+12"}};
        for (const auto& [value, text] : cases) {
            real.setNumber(value);
            QCOMPARE(real.text(), QString::fromLatin1(text));
            QCOMPARE(std::get<double>(*real.number()), value);
        }
    }

    void numberFieldsStep()
    {
        NumberField real(NumberKind::Real);
        real.setNumber(0.001);
        real.stepBy(1);
        QCOMPARE(std::get<double>(*real.number()), 0.0011);
        for (int i = 0; i < 20; ++i)
            real.stepBy(-1);
        QVERIFY(std::get<double>(*real.number()) < 0.0011);
        QVERIFY(!QString::number(std::get<double>(*real.number())).contains("999"));
        real.setNumber(1.7e308);
        for (int i = 0; i < 3; ++i)
            real.stepBy(1);
        QVERIFY(std::isfinite(std::get<double>(*real.number())));
    }

    void wholeNumbersStepToTheirEnds()
    {
        using Limits = std::numeric_limits<std::int64_t>;
        NumberField whole(NumberKind::Whole);
        for (const auto& [from, steps, to] : {std::tuple<std::int64_t, int, std::int64_t>{5, 1, 6},
                                              {5, -10, -5},
                                              {Limits::max() - 3, 10, Limits::max()},
                                              {Limits::max(), 1, Limits::max()},
                                              {Limits::min() + 3, -10, Limits::min()},
                                              {Limits::min(), 1, Limits::min() + 1}}) {
            whole.setNumber(from);
            whole.stepBy(steps);
            QCOMPARE(*whole.number(), Number(to));
        }
    }

    void trainingSettingsComeFromTheTable()
    {
        Studio studio;
        ParamForm& form = studio.window.panel<TrainingPanel>().form();
        for (const ParamSpec& setting : trainSettingSpecs())
            QCOMPARE(form.editor(setting.name) != nullptr, setting.name != "device");
        auto* steps = form.editor("steps")->findChild<NumberField*>();
        studio.window.panels().dock("training").raise();
        typeNumber(steps, "77");
        QCOMPARE(studio.window.document().training().steps, 77);
        QVERIFY(studio.window.isWindowModified());
        typeNumber(steps, "0");
        QVERIFY(steps->property("wrong").toBool());
        QCOMPARE(studio.window.document().training().steps, 77);
        auto* optimizer = form.editor("optimizer")->findChild<QComboBox*>();
        optimizer->setCurrentText("sgd");
        Q_EMIT optimizer->textActivated("sgd");
        QCOMPARE(studio.window.document().training().optimizer, std::string("sgd"));
    }

    void whatDoesNotCountIsGreyedOut()
    {
        Studio studio;
        ParamForm& form = studio.window.panel<TrainingPanel>().form();
        const auto counting = [&] {
            QStringList names;
            for (const char* name : {"beta1", "beta2", "epsilon", "momentum", "weight_decay"})
                if (form.editor(name)->isEnabled())
                    names << name;
            return names;
        };
        QCOMPARE(counting(), (QStringList{"beta1", "beta2", "epsilon", "weight_decay"}));
        QVERIFY(studio.window.document().setTraining("beta1", 0.5).has_value());
        QVERIFY(studio.window.document().setTraining("optimizer", std::string("sgd")).has_value());
        QCOMPARE(counting(), (QStringList{"momentum", "weight_decay"}));
        QVERIFY(form.editor("beta1")->toolTip().contains("Applies with optimizer adamw, adam or radam"));
        QVERIFY(trainSetting(studio.window.document().training(), "beta1") ==
                ParamValue(0.5)); // it waits for its optimizer
        QVERIFY(studio.window.document().setTraining("optimizer", std::string("adam")).has_value());
        QCOMPARE(counting(), (QStringList{"beta1", "beta2", "epsilon", "weight_decay"}));
    }

    /// A run never trains with half a number: only what Enter, Tab or a rest after steps has finished goes to it.
    void theFinishedLearningRateGoesToTheRun()
    {
        Studio studio;
        studio.window.panels().dock("training").raise();
        auto* rate = studio.window.panel<TrainingPanel>().form().editor("learning_rate")->findChild<NumberField*>();
        QTRY_VERIFY(rate->isVisible());
        rate->setFocus();
        QTRY_VERIFY(rate->hasFocus());
        studio.key(Qt::Key_F10);
        const double before = studio.window.document().training().learningRate;
        std::vector<double> told;
        rate->selectAll();
        QTest::keyClicks(rate, "0.0002");
        // The hand rests in the middle.
        QVERIFY(staysFor(NumberField::kRestMilliseconds + 100, [&] { return studio.script->learningRates == told; }));
        QTest::keyClicks(rate, "5");
        QCOMPARE(studio.script->learningRates, told);
        QTest::keyClick(rate, Qt::Key_Return);
        told.push_back(0.00025);
        QCOMPARE(studio.script->learningRates, told);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(rate, Qt::Key_Up);
        QCOMPARE(studio.script->learningRates, told);
        told.push_back(0.00028);
        QTRY_COMPARE(studio.script->learningRates, told);
        rate->selectAll();
        QTest::keyClicks(rate, "5e"); // no number: the one before comes back
        QTest::keyClick(rate, Qt::Key_Return);
        QCOMPARE(studio.window.document().training().learningRate, 0.00028);
        QCOMPARE(studio.script->learningRates.back(), 0.00028);
        rate->selectAll();
        QTest::keyClicks(rate, QString::number(before));
        studio.window.canvas().setFocus();
        QCOMPARE(studio.script->learningRates.back(), before);
        QCOMPARE(studio.window.document().training().learningRate, before);
    }

    /// The check of "1" must not take "1e" from under the hand that types 1e-3.
    void aNumberHalfTypedStays()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(0.5);
        field.selectAll();
        QTest::keyClicks(&field, "1e");
        field.setNumber(1.0);
        QTest::keyClicks(&field, "-3");
        QVERIFY(field.number().has_value());
        QCOMPARE(*field.number(), Number(0.001));
    }

    void theTrainingPathIsShown()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        studio.key(Qt::Key_F10);
        QVERIFY(says(*studio.window.panel<InspectorPanel>().page(), "PyTorch's fused operation"));
    }
};

static const AreaOf<InspectorTest> inspectorTestArea("inspector");

} // namespace unroll::test

#include "inspector_test.moc"
