// SPDX-License-Identifier: GPL-3.0-or-later
// Losses as perplexity and bits, over epochs and FLOPs: right, or left out with the reason.
#include "app/studio/curves/curve_reasons.h"
#include "app/studio/curves/curves_reading.h"
#include "app/studio/curves/curves_table.h"
#include "core/format/csv.h"
#include "tests/gui/area.h"
#include "tests/gui/curves_desk.h"

#include <QStandardItemModel>
#include <numbers>

namespace unroll::test {

namespace {

const CurveChoice& choiceOf(const QString& title)
{
    const auto& all = curveChoices();
    return *std::find_if(all.begin(), all.end(), [&](const CurveChoice& choice) { return choice.title == title; });
}

/// Three steps of 64 tokens.
ShownRun shownRun(const RunMeasures& measures, const QString& name = {})
{
    ShownRun run{name, "/runs/" + name};
    run.curves.append({{1, 64, 1, {{"train/loss", 2.0}}},
                       {2, 128, 2, {{"train/loss", 1.0}}},
                       {3, 192, 3, {{"train/loss", 1.5}, {"val/loss", 0.5}}}});
    run.setMeasures(measures);
    run.resmooth(choiceOf("Loss"), 0);
    return run;
}

const RunMeasures characters{"nats/token", "character", 10, 1000, 128};
const RunMeasures squared{"squared error", "", 10, 1000, 128};

ChartPicture pictured(const ShownRun& run, const std::vector<ShownRun>& others, const QString& title,
                      XUnit unit = XUnit::Steps)
{
    CurvesWish wish;
    wish.choice = choiceOf(title);
    wish.unit = unit;
    return pictureOf(run, others, wish);
}

const ChartSeries* seriesOf(const ChartPicture& picture, const QString& name)
{
    for (const ChartSeries& series : picture.series)
        if (series.look.name.startsWith(name))
            return &series;
    return nullptr;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

QStandardItem* metricItem(CurvesPanel& panel, const QString& title)
{
    auto* list = panel.findChild<QComboBox*>();
    return qobject_cast<QStandardItemModel*>(list->model())->item(list->findText(title));
}

} // namespace

class CurveUnitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void perplexityAndBitsAreOfTheNats()
    {
        const ShownRun run = shownRun(characters);
        const ChartPicture perplexity = pictured(run, {}, "Perplexity"), bits = pictured(run, {}, "Bits per character");
        const double losses[] = {2.0, 1.0, 1.5};
        for (std::size_t i = 0; i < 3; ++i) {
            const QPointF a = seriesOf(perplexity, "train")->points.at(i), b = seriesOf(bits, "train")->points.at(i);
            QVERIFY(near(a.y(), std::exp(losses[i])) && near(b.y(), losses[i] / std::numbers::ln2));
            QCOMPARE(a.x(), static_cast<double>(i + 1));
        }
        QCOMPARE(seriesOf(perplexity, "train")->look.name, QString("train 4.482"));
        QCOMPARE(seriesOf(bits, "validation")->look.name, QString("validation 0.721"));
        QCOMPARE(perplexity.best->label, QString("best 1.649"));
        QVERIFY(near(bits.best->at.y(), 0.5 / std::numbers::ln2));
        QVERIFY(perplexity.y.high >= std::exp(2.0) && perplexity.notice.isEmpty());
    }

    /// exp(800) is not a number; the loss is.
    void aPerplexityThatIsNoNumberIsMarked()
    {
        ShownRun run{};
        run.curves.append({{1, 64, 1, {{"train/loss", 800.0}}}, {2, 128, 2, {{"train/loss", 1.0}}}});
        run.setMeasures(characters);
        run.resmooth(choiceOf("Loss"), 0);
        const ChartPicture picture = pictured(run, {}, "Perplexity");
        QCOMPARE(seriesOf(picture, "train")->points.size(), std::size_t{1});
        QVERIFY(std::any_of(picture.marks.begin(), picture.marks.end(), [](const ChartMark& mark) {
            return mark.kind == ChartMark::Kind::NotANumber && mark.x == 1;
        }));
        QVERIFY(std::isfinite(picture.y.high));
    }

    void epochsAndFlopsAreOfTheTokens()
    {
        const ShownRun run = shownRun(characters);
        const std::vector<QPointF> epochs = seriesOf(pictured(run, {}, "Loss", XUnit::Epochs), "train")->points;
        const std::vector<QPointF> flops = seriesOf(pictured(run, {}, "Loss", XUnit::Flops), "train")->points;
        QCOMPARE(epochs.size(), std::size_t{3});
        QCOMPARE(flops.size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(epochs[i].x(), 0.5 * static_cast<double>(i + 1));
            QCOMPARE(flops[i].x(), 64000.0 * static_cast<double>(i + 1));
        }
        const RunClock& clock = run.curves.clock();
        for (const XUnit unit : {XUnit::Epochs, XUnit::Flops}) {
            for (const double step : {1.0, 1.25, 2.0, 3.0})
                QVERIFY(near(clock.stepAt(unit, clock.at(unit, step)), step));
            QCOMPARE(clock.stepAt(unit, 0), -INFINITY);
            QCOMPARE(clock.stepAt(unit, 1e9), INFINITY);
        }
        QCOMPARE(clock.firstPositive(XUnit::Epochs), 0.5);
        QCOMPARE(RunClock().has(XUnit::Epochs), false);
    }

    void whatHasNoMeaningIsLeftOutWithTheReason()
    {
        const ShownRun run = shownRun(characters);
        RunMeasures task = characters;
        task.token.clear();
        task.tokensAnEpoch = 0;
        const std::vector<ShownRun> others{shownRun(squared, "waves"), shownRun(task, "task"), shownRun({}, "old")};
        const ChartPicture perplexity = pictured(run, others, "Perplexity");
        QVERIFY(seriesOf(perplexity, "task") && !seriesOf(perplexity, "waves") && !seriesOf(perplexity, "old"));
        QCOMPARE(perplexity.notice,
                 QString("Left out: waves (its loss is in squared error), old (its loss unit is unknown)."));
        const ChartPicture bits = pictured(run, others, "Bits per character");
        QVERIFY(!seriesOf(bits, "task") && bits.notice.contains("task (its tokens are not characters)"));
        const ChartPicture epochs = pictured(run, others, "Loss", XUnit::Epochs);
        QVERIFY(seriesOf(epochs, "waves") && !seriesOf(epochs, "task"));
        QVERIFY2(epochs.notice.contains("task (its data have no epochs: they are generated endlessly)") &&
                     epochs.notice.contains("old (its epoch length is unknown)"),
                 qPrintable(epochs.notice));
        QVERIFY(epochs.x.high < 2); // those without epochs reach nowhere
        const CurvesReading reading = readCurves(run, others, choiceOf("Loss"), XUnit::Epochs, 1);
        for (const Reading& line : reading.lines)
            QVERIFY(!line.words.startsWith("task"));
        QCOMPARE(reading.lines.front().words, QString("epoch 1.000, step 2"));
        // A loss of another kind is drawn, and says in what it is.
        QVERIFY(seriesOf(pictured(run, others, "Loss"), "waves (squared error) 1.500"));
        QVERIFY(pictured(run, others, "Loss").notice.isEmpty());
    }

    /// What earlier versions measured tells what their loss is of.
    void anOldRunOfClassesHasAPerplexity()
    {
        ShownRun old = shownRun({}, "old");
        old.curves.append({{4, 256, 4, {{"train/loss", 1.0}, {"val/loss", 0.5}, {"val/ppl", 1.6}}}});
        QCOMPARE(whyNotShown(old, choiceOf("Perplexity")), QString());
        QVERIFY(!whyNotOver(old, XUnit::Flops).isEmpty());
    }

    void theTableHasThemToo()
    {
        const ShownRun run = shownRun(characters);
        const std::vector<ShownRun> others{shownRun(squared, "waves")};
        const auto table = format::parseCsv(curvesTable(run, others, choiceOf("Perplexity"), "this run"));
        QCOMPARE(table.size(), std::size_t{4}); // no perplexity of squares
        QCOMPARE(table[0], (std::vector<std::string>{"run", "step", "tokens", "seconds", "train/ppl",
                                                     "train/ppl (smoothed)", "val/ppl", "flops", "epochs"}));
        QVERIFY(near(std::stod(table[1][4]), std::exp(2.0)) && near(std::stod(table[3][6]), std::exp(0.5)));
        QCOMPARE(table[2][7], std::string("128000"));
        QCOMPARE(table[2][8], std::string("1"));
        const auto losses = format::parseCsv(curvesTable(shownRun({}), others, choiceOf("Loss"), "this run"));
        QCOMPARE(losses.size(), std::size_t{7});
        QVERIFY(losses[1][7].empty() && losses[1][8].empty());
    }

    void thePanelOffersWhatThereIs()
    {
        CurvesDesk desk;
        const auto last = static_cast<double>(desk.window.controller().snapshot()->step);
        desk.chooseAxis("Epochs");
        QCOMPARE(desk.picture().x.title, QString("epoch"));
        QCOMPARE(desk.series("train")->points.back().x(), last / 100);
        desk.chooseAxis("FLOPs");
        QCOMPARE(desk.picture().x.title, QString("FLOP of training"));
        QCOMPARE(desk.series("train")->points.back().x(), last * 768 * 2000);
        QCOMPARE(desk.button("xAxis")->text(), QString("over FLOPs"));
        desk.panel().findChild<QComboBox*>()->setCurrentText("Perplexity");
        QVERIFY2(desk.shownText().contains("entropy of these data 2.226"), qPrintable(desk.shownText())); // exp(0.8)
        desk.panel().findChild<QComboBox*>()->setCurrentText("Bits per character");
        QCOMPARE(desk.picture().y.title, QString("bits/character"));
        QVERIFY(metricItem(desk.panel(), "Perplexity")->isEnabled());
    }

    void thePanelGreysOutWhatThereIsNot()
    {
        Studio studio;
        studio.script->measures = {"squared error", "", 10, 0, 0};
        studio.key(Qt::Key_F10);
        CurvesPanel& panel = studio.window.panel<CurvesPanel>();
        QTRY_VERIFY(!panel.isEmpty());
        QTRY_VERIFY(!metricItem(panel, "Perplexity")->isEnabled());
        QVERIFY(metricItem(panel, "Perplexity")->toolTip().contains("its loss is in squared error"));
        QCOMPARE(panel.chart().picture().y.title, QString("squared error"));
        QVERIFY(metricItem(panel, "Loss")->isEnabled());
        for (QAction* action : panel.findChild<QToolButton*>("xAxis")->menu()->actions()) {
            const bool isGone = action->text() == "Epochs" || action->text() == "FLOPs";
            QCOMPARE(action->isEnabled(), !isGone || action->isSeparator());
            QVERIFY(!isGone || action->toolTip().contains("Not available here"));
        }
        panel.setOverlays({{"other", "/runs/other", rowsOf(20), {"nats/token", "byte", 10, 1000, 768}}});
        QTRY_VERIFY(metricItem(panel, "Perplexity")->isEnabled()); // that one has it
        panel.findChild<QComboBox*>()->setCurrentText("Perplexity");
        QVERIFY(panel.chart().shownText().join('|').contains("Left out: this run"));
    }
};

static const AreaOf<CurveUnitsTest> curveUnitsTestArea("curveUnits");

} // namespace unroll::test

#include "curve_units_test.moc"
