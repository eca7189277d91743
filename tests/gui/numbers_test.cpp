// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers in the window: what the inspector shows of them, how files come in, and a run on the waves for
// real.
#include "app/studio/inspector/column_list.h"
#include "app/studio/inspector/data_preview.h"
#include "app/studio/inspector/path_field.h"
#include "app/studio/inspector/series_sketch.h"
#include "app/studio/inspector/split_bar.h"
#include "app/studio/lenses/forecast/forecast_picture.h"
#include "app/studio/lenses/forecast/forecast_view.h"
#include "app/studio/lenses/state/probe_field.h"
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/support/looks.h"

#include <QDate>
#include <QFileDialog>
#include <QLabel>
#include <limits>

namespace unroll::test {

namespace {

/// A date, two columns of numbers, and a hole; 400 rows.
QByteArray smallTable()
{
    QByteArray table("date,height,speed\n");
    for (int row = 0; row < 400; ++row)
        table += "2024-01-01," + QByteArray::number(row % 20) + ',' +
                 (row == 9 ? QByteArray() : QByteArray::number(0.5 * row)) + '\n';
    return table;
}

/// A window on the waves, by scripted runs or real ones.
struct Waves : Desk {
    Waves()
    {
        const auto waves = findExperiment("waves-lstm");
        QVERIFY(waves.has_value() && window.files().open(QString::fromStdString(waves->string())));
        QTRY_VERIFY(window.document().checked()->source != 0);
        window.scene().select({id("series")});
    }
    DataPreview& preview() { return *window.panel<InspectorPanel>().page()->findChild<DataPreview*>(); }
    QString label(const char* name) { return preview().findChild<QLabel*>(name)->text(); }
    QStringList labels(const char* name)
    {
        QStringList texts;
        for (const QLabel* label : preview().findChildren<QLabel*>(name))
            texts << label->text();
        return texts;
    }
    std::string table() { return fileOf("series"); }
    std::string fileOf(const std::string& node)
    {
        const Params& params = graph().findByName(node)->params;
        const auto found = params.find("file");
        return found == params.end() ? std::string() : std::get<std::string>(found->second);
    }
};

/// As a file manager drops one file there.
bool dropAt(QWidget& window, const QString& path, const QPoint& at)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDropEvent event(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
    return event.isAccepted();
}

int pixelsOf(const QImage& image, const QColor& wanted)
{
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor there = image.pixelColor(x, y);
            found += std::abs(there.red() - wanted.red()) < 12 && std::abs(there.green() - wanted.green()) < 12 &&
                     std::abs(there.blue() - wanted.blue()) < 12;
        }
    return found;
}

} // namespace

class NumbersTest : public QObject {
    Q_OBJECT

    /// What the samples' place shows of numbers.
    static void seesTheForecast(Studio& studio)
    {
        studio.window.panels().dock("samples").raise();
        QCOMPARE(studio.window.panels().dock("samples").windowTitle(), QStringLiteral("Forecast"));
        QTRY_VERIFY(!studio.window.panel<SamplesPanel>().isEmpty());
        const ChartPicture& picture = studio.window.panel<SamplesPanel>().forecast().chart().picture();
        QTRY_COMPARE(picture.series.size(), std::size_t{2});
        QCOMPARE(picture.series[0].points.size(), std::size_t{96});
        QCOMPARE(picture.series[1].points.size(), std::size_t{96});
        QVERIFY(buttonIn(studio.window.panel<SamplesPanel>(), "Sample") == nullptr); // there is nothing to ask
    }

private Q_SLOTS:
    void theColumnsOfATableAreShown()
    {
        Waves studio;
        QTRY_COMPARE(studio.labels("name"), QStringList{"wave"});
        QCOMPARE(studio.labels("role"), QStringList{"input and target"});
        QVERIFY2(studio.label("limits").contains("Baseline: 0.12"), qPrintable(studio.label("limits")));
        QCOMPARE(studio.label("trainingSize"), QStringLiteral("training 4,800"));
        QCOMPARE(studio.preview().findChild<SplitBar*>()->validationShare(), 0.2);
        QVERIFY(!studio.preview().findChild<QLabel*>("alphabet")->isVisible());
        auto* sketch = studio.preview().findChild<SeriesSketch*>();
        QTRY_VERIFY(sketch->isVisible());
        QVERIFY(!sketch->accessibleDescription().isEmpty());
        const QImage drawn = sketch->grab().toImage();
        const Theme& theme = studio.appearance.theme();
        const QImage left = drawn.copy(0, 0, drawn.width() / 2, drawn.height());
        const QImage right = drawn.copy(drawn.width() * 9 / 10, 0, drawn.width() / 10, drawn.height());
        QVERIFY(pixelsOf(left, theme[Theme::Role::ChartTrain]) > 100);
        QCOMPARE(pixelsOf(left, theme[Theme::Role::ChartValidation]), 0);
        QVERIFY(pixelsOf(right, theme[Theme::Role::ChartValidation]) > 20);
    }

    /// How a table was read stands with the data; what is to be decided is a card with the button that does it.
    void howATableIsReadIsSaidAndMended()
    {
        Waves studio;
        QByteArray table("Datum;Nr;Menge\n");
        for (int row = 0; row < 400; ++row)
            table += QDate(2021, 12, 31).addDays(-row).toString("dd.MM.yyyy").toUtf8() + ';' + QByteArray::number(row) +
                     ";1" + QByteArray::number(4 + row % 3) + '.' + QByteArray::number(100 + row % 31) + '\n';
        const QString file = studio.place + "/newest.csv";
        writeContent(file, table);
        QVERIFY(drop(studio.window, {file}));
        QTRY_VERIFY2(studio.label("limits").contains("Read as: semicolon-separated, decimal point, 1 header row."),
                     qPrintable(studio.label("limits")));
        QVERIFY(!studio.label("limits").contains("newest row"));
        const auto press = [&](const char* title) {
            QTRY_VERIFY2(buttonIn(*studio.window.panel<InspectorPanel>().page(), title) != nullptr, title);
            buttonIn(*studio.window.panel<InspectorPanel>().page(), title)->click();
        };
        const auto text = [&](const char* param) {
            const Params& params = studio.graph().findByName("series")->params;
            const auto found = params.find(param);
            return found == params.end() ? std::string() : std::get<std::string>(found->second);
        };
        press("Read the Last Row First");
        QCOMPARE(text("row_order"), std::string("reversed"));
        press("Leave It Out");
        QCOMPARE(text("input_columns"), std::string("Menge"));
        QCOMPARE(text("target_columns"), std::string("Menge"));
        press("Read It as Thousands");
        QCOMPARE(text("thousands"), std::string("."));
        QTRY_VERIFY2(studio.label("limits").contains("thousands point"), qPrintable(studio.label("limits")));
        QTRY_VERIFY(buttonIn(*studio.window.panel<InspectorPanel>().page(), "Read It as Thousands") == nullptr);
        studio.window.document().undo();
        studio.window.document().undo();
        QCOMPARE(text("input_columns"), std::string());
        QCOMPARE(text("target_columns"), std::string()); // one click, one undo
    }

    void aTableIsDroppedOnTheWindow()
    {
        Waves studio;
        const QString table = studio.place + "/tides.csv";
        writeContent(table, smallTable());
        QVERIFY(drop(studio.window, {table}));
        QCOMPARE(studio.table(), table.toStdString());
        QCOMPARE(studio.window.messages().shownText(), QStringLiteral("series now reads tides.csv."));
        QTRY_COMPARE(studio.labels("name"), QStringList({"height", "speed"}));
        QVERIFY2(studio.labels("range").at(1).endsWith("1 empty"), qPrintable(studio.labels("range").at(1)));
        QVERIFY2(studio.label("limits").contains("date"), qPrintable(studio.label("limits")));
        QVERIFY(studio.window.document().apply(
            edits::setParam(studio.id("series"), "target_columns", std::string("speed"))));
        QTRY_COMPARE(studio.labels("role"), QStringList({"read", "input and target"}));
        studio.window.document().undo();
        studio.window.document().undo();
        QCOMPARE(studio.table(), std::string());
    }

    void whatIsNoNumberIsSaidWithItsPlace()
    {
        Waves studio;
        const QString table = studio.place + "/bad.csv";
        writeContent(table, smallTable().replace("2024-01-01,13,", "2024-01-01,x13,"));
        QVERIFY(drop(studio.window, {table}));
        QTRY_VERIFY(says(*studio.window.panel<InspectorPanel>().page(), "line 15, column 2: \"x13\" is not a number"));
        QVERIFY(!studio.preview().isVisible());
    }

    void whereNothingReadsTablesANodeIsMade()
    {
        Desk desk;
        const QString table = desk.place + "/tides.csv";
        writeContent(table, smallTable());
        const Graph before = desk.graph();
        QVERIFY(drop(desk.window, {table}));
        const Node* made = desk.graph().findByName("series");
        QVERIFY(made != nullptr);
        QCOMPARE(std::get<std::string>(made->params.at("file")), table.toStdString());
        const QString words = desk.window.messages().shownText();
        QVERIFY2(words.contains("Added a Series node that reads tides.csv.") && words.contains("remove text"),
                 qPrintable(words));
        desk.window.document().undo();
        QCOMPARE(desk.graph(), before);
    }

    void onANodeTheFileIsForThatNode()
    {
        Desk desk;
        const QString table = desk.place + "/tides.csv";
        writeContent(table, smallTable());
        const QPoint at = desk.window.canvas().viewport()->mapTo(&desk.window, desk.headerOf("text"));
        QVERIFY(dropAt(desk.window, table, at));
        QVERIFY(desk.graph().findByName("series") == nullptr);
        QCOMPARE(std::get<std::string>(desk.graph().findByName("text")->params.at("file")), table.toStdString());
    }

    void theDialogAsksForTables()
    {
        Waves studio;
        auto* field = studio.window.panel<InspectorPanel>().page()->form().editor("file")->findChild<PathField*>();
        const auto filtersOf = [](PathField& of) {
            of.choose();
            auto* dialog = of.findChild<QFileDialog*>();
            const QStringList filters = dialog->nameFilters();
            delete dialog;
            return filters;
        };
        QCOMPARE(filtersOf(*field).size(), 2);
        QVERIFY(filtersOf(*field).front().contains("*.csv") && filtersOf(*field).front().contains("*.TSV"));
        PathField any;
        QCOMPARE(filtersOf(any).size(), 1); // all files
    }

    void numbersAreNeitherWrittenNorSampled()
    {
        Waves studio;
        auto* probe = studio.window.panel<StatePanel>().findChild<ProbeField*>();
        QTRY_VERIFY(probe->isReadOnly());
        QCOMPARE(probe->placeholderText(), QStringLiteral("first validation window"));
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(studio.window.controller().isUnderWay());
        const QPushButton* ask = buttonIn(studio.window.panel<SamplesPanel>(), "Sample");
        QVERIFY(ask == nullptr || !ask->isEnabled());
    }

    void aWaveIsLearnedForReal()
    {
        const BlockRegistry blocks = allSpecs();
        Studio studio(sessionRuns(blocks, allBuilders()));
        const auto waves = loadExperiment(findExperiment("waves-lstm")->string());
        Experiment quick = *waves;
        quick.training.steps = 60;
        quick.training.threads = 1;
        quick.training.evaluateEvery = 20;
        quick.folder.clear();
        studio.window.document().replace(quick, {});
        QTRY_VERIFY(!studio.window.document().checked()->order.empty());
        studio.window.canvas().setFocus();
        studio.key(Qt::Key_F5);
        const RunController& run = studio.window.controller();
        QTRY_COMPARE(run.state(), RunState::Finished);
        QVERIFY2(run.snapshot()->baseline.has_value(), "the loss of repeating the last value");
        QTRY_VERIFY(
            studio.window.panel<CurvesPanel>().chart().shownText().join('|').contains("repeating the last value 0.12"));
        const SeriesStore& loss = studio.window.panel<CurvesPanel>().series("train/loss");
        QTRY_COMPARE(static_cast<int>(loss.size()), 60);
        QVERIFY(loss.y(59) < loss.y(0) / 2);
        const auto look = [&run] { return testing::lookIn(*run.snapshot()); };
        QTRY_VERIFY(look() != nullptr && !look()->signalFrames.empty());
        QCOMPARE(look()->signalFrames.front().steps, std::int64_t{96});
        QVERIFY(look()->characters.empty());
        QTRY_VERIFY(says(studio.window.panel<StatePanel>(), "48 units on 96 steps"));
        QVERIFY(run.snapshot()->samples.empty());
        seesTheForecast(studio);
    }

    void aForecastIsReadStepByStep()
    {
        const float none = std::numeric_limits<float>::quiet_NaN();
        const Forecast forecast{"height", {1, 2, 3}, {1.5, none, 3}};
        const ChartPicture picture = forecastPicture(forecast);
        QCOMPARE(picture.series.size(), std::size_t{2});
        QCOMPARE(picture.series[0].points, (std::vector<QPointF>{{1, 1.5}, {3, 3}}));
        QCOMPARE(picture.series[1].points, (std::vector<QPointF>{{1, 1}, {2, 2}, {3, 3}}));
        QCOMPARE(picture.x.low, 1.0);
        QCOMPARE(picture.x.high, 3.0);
        QVERIFY(picture.y.low < 1 && picture.y.high > 3);
        QCOMPARE(picture.y.title, QStringLiteral("height"));
        const auto words = [&](double x) {
            QStringList all;
            for (const Reading& reading : readForecast(forecast, x))
                all << reading.words;
            return all;
        };
        QCOMPARE(words(1.2), (QStringList{"step 1", "actual 1.500", "predicted 1.000", "error 0.500"}));
        QCOMPARE(words(2), (QStringList{"step 2", "predicted 2.000"}));
        QCOMPARE(words(90).front(), QStringLiteral("step 3"));
        QVERIFY(readForecast({}, 1).empty());
    }

    void aColumnOfTheForecastIsChosen()
    {
        Studio studio;
        ForecastView view(studio.appearance);
        view.resize(500, 300);
        ForecastData forecast;
        forecast.columns = {{"height", {1, 2}, {2, 2}}, {"speed", {5, 6}, {5, 5}}};
        view.setForecast(std::make_shared<const ForecastData>(forecast));
        QCOMPARE(view.chart().picture().y.title, QStringLiteral("height"));
        view.columns().setCurrentIndex(1);
        QCOMPARE(view.chart().picture().y.title, QStringLiteral("speed"));
        forecast.columns[1].told = {6, 6};
        view.setForecast(std::make_shared<const ForecastData>(forecast)); // the next snapshot
        QCOMPARE(view.chart().picture().y.title, QStringLiteral("speed"));
        QCOMPARE(view.chart().picture().series[1].points[0].y(), 6.0);
        view.setForecast({});
        QVERIFY(view.chart().picture().series.empty());
    }
};

static const AreaOf<NumbersTest> numbersTestArea("numbers");

} // namespace unroll::test

#include "numbers_test.moc"
