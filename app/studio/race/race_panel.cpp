// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_panel.h"

#include "app/studio/plot/chart_image.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

enum RacePage { EmptyPage, ResultsPage };

constexpr double kWide = 1.5; ///< width by height from which curves and table stand side by side

} // namespace

RacePanel::RacePanel(const Appearance& appearance, const QString& commandLine, QWidget* parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_commandLine(commandLine),
      m_bar(new RaceBar(appearance)),
      m_words(new QLabel),
      m_pages(new QStackedWidget),
      m_empty(new EmptyState(appearance, "curves", tr("No race yet"), {})),
      m_parts(new QSplitter),
      m_chart(makeChart(appearance, nullptr)),
      m_table(new RaceTableView(appearance))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setProperty("tone", "dim");
    m_words->setContentsMargins(space::m, 0, space::m, 0);
    m_words->setMinimumWidth(0);
    m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_parts->addWidget(m_chart);
    m_parts->addWidget(m_table);
    m_parts->setChildrenCollapsible(false);
    m_parts->setStretchFactor(0, 1);
    m_parts->setStretchFactor(1, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_parts);
    column->addWidget(m_bar);
    column->addWidget(m_words);
    column->addWidget(m_pages, 1);
    m_news.setInterval(kNewsMilliseconds);
    m_news.setSingleShot(true);
    connect(&m_news, &QTimer::timeout, this, &RacePanel::refresh);
    connect(&m_process, &RaceProcess::changed, this, &RacePanel::refresh);
    connect(&m_process, &RaceProcess::ended, this, &RacePanel::endTraining);
    connect(&m_disk, &DiskThread::failed, this, &RacePanel::failed);
    connect(&m_saving, &FileSaving::failed, this, &RacePanel::failed);
    connect(&m_saving, &FileSaving::saved, this, &RacePanel::saved);
    connect(&appearance, &Appearance::changed, this, &RacePanel::redraw);
    connect(m_table, &RaceTableView::bothAsked, this, &RacePanel::bothAsked);
    connect(m_table, &RaceTableView::runAsked, this, [this](const QString& folder) {
        if (folder.isEmpty())
            Q_EMIT failed(tr("This run has not started yet."));
        else
            Q_EMIT runAsked(folder);
    });
    connectBar();
    connectChart();
    showEmpty(tr("Select a recurrent node and choose Edit > Compare Cells, or open the folder of a race."));
}

void RacePanel::connectBar()
{
    connect(m_bar, &RaceBar::watchChanged, this, [this] {
        m_held.reset();
        recompute();
    });
    connect(m_bar, &RaceBar::stopAsked, this, [this] {
        m_process.stop();
        showState();
    });
    connect(m_bar, &RaceBar::resumeAsked, this, [this] { train(m_folder, m_parallel); });
    connect(m_bar, &RaceBar::openAsked, this, &RacePanel::askForRace);
    connect(m_bar, &RaceBar::copyAsked, this, [this] {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(raceTable(shownRows(), RaceTableFormat::Markdown)));
    });
    connect(m_bar, &RaceBar::tableAsked, this, [this](RaceTableFormat format) {
        const QString suffix = format == RaceTableFormat::Csv        ? "csv"
                               : format == RaceTableFormat::Markdown ? "md"
                                                                     : "tex";
        askForFile("table." + suffix, tr("Tables (*.%1)").arg(suffix),
                   [this, format](const QString& path) { saveTable(format, path); });
    });
    connect(m_bar, &RaceBar::curvesAsked, this, [this] {
        askForFile("curves.csv", tr("Tables (*.csv)"), [this](const QString& path) { saveCurves(path); });
    });
    connect(m_bar, &RaceBar::pictureAsked, this, [this](RaceBar::Picture format) {
        const bool isPng = format == RaceBar::Picture::Png;
        askForFile(isPng ? "race.png" : "race.svg", isPng ? tr("Images (*.png)") : tr("Vector images (*.svg)"),
                   [this, isPng](const QString& path) {
                       const QByteArray bytes =
                           isPng ? chartPng(*m_chart, m_appearance) : chartSvg(*m_chart, m_appearance);
                       m_saving.save(path, [bytes] { return bytes.toStdString(); });
                   });
    });
}

void RacePanel::connectChart()
{
    connect(m_chart, &Chart::hovered, this, &RacePanel::readAt);
    connect(m_chart, &Chart::left, this, [this] { m_chart->setCrosshair({}, {}); });
    connect(m_chart, &Chart::viewAsked, this, [this](const AxisRange& x, const AxisRange& y) {
        m_held = {x, y};
        redraw();
    });
    connect(m_chart, &Chart::fitAsked, this, [this] {
        m_held.reset();
        redraw();
    });
}

void RacePanel::open(const QString& folder)
{
    if (folder != m_folder) {
        m_trouble.clear();
        m_held.reset();
        m_results.reset();
        m_table->setResults(nullptr);
    }
    m_folder = folder;
    m_reading = std::make_shared<RaceReading>(folder.toStdString());
    refresh();
    Q_EMIT opened();
}

void RacePanel::train(const QString& folder, int parallel)
{
    if (!isFree())
        return;
    m_parallel = parallel;
    open(folder);
    m_trouble.clear();
    m_process.start(m_commandLine, folder, parallel);
    showState();
}

/// A look at a time: what comes meanwhile is looked for afterwards.
void RacePanel::refresh()
{
    if (m_reading == nullptr)
        return;
    if (m_isReading) {
        m_isStale = true;
        return;
    }
    m_isReading = true;
    m_isStale = false;
    m_disk.ask([this, reading = m_reading, folder = m_folder,
                metric = m_bar->watch().metric](const std::stop_token&) -> DiskThread::Answer {
        News news{folder, nullptr, metric, {}};
        if (auto results = reading->read()) {
            news.curves = raceCurves(*results, metric);
            news.results = std::make_shared<const RaceResults>(std::move(*results));
        } else {
            news.results = tl::unexpected(results.error());
        }
        return [this, news = std::move(news)] { take(news); };
    });
}

void RacePanel::take(News news)
{
    m_isReading = false;
    if (news.folder != m_folder)
        return refresh();
    if (!news.results) {
        m_results.reset();
        m_table->setResults(nullptr);
        showEmpty(tr("This folder cannot be shown. %1").arg(QString::fromStdString(news.results.error().text())));
        return;
    }
    m_results = std::move(*news.results);
    m_table->setResults(m_results);
    m_pages->setCurrentIndex(ResultsPage);
    takeCurves(m_results, news.metric, std::move(news.curves));
    if (m_bar->watch().metric != m_metric)
        recompute();
    showState();
    if (m_isStale)
        refresh();
    else if (isVisible() && m_results->doneCount() < m_results->runCount())
        m_news.start();
}

void RacePanel::takeCurves(const std::shared_ptr<const RaceResults>& of, RaceMetric metric, RaceCurves curves)
{
    if (of != m_results)
        return;
    m_metric = metric;
    m_curves = std::move(curves);
    redraw();
}

void RacePanel::showEmpty(const QString& sentence)
{
    m_sentence = sentence;
    m_empty->setSentence(sentence);
    m_pages->setCurrentIndex(EmptyPage);
    showState();
}

QString RacePanel::shownText() const
{
    return isEmpty() ? m_sentence : m_words->toolTip();
}

QString RacePanel::stateText() const
{
    const Race& race = m_results->race;
    const std::size_t done = m_results->doneCount(), all = m_results->runCount();
    QString state = m_process.isStopping()  ? tr("Stopping")
                    : m_process.isRunning() ? tr("Training")
                    : done == all           ? tr("Done")
                                            : tr("Stopped");
    if (!m_process.isRunning())
        for (const RaceLaneResults& lane : m_results->lanes)
            for (const RaceRun& run : lane.runs)
                if (run.state == RunState::Running)
                    state = tr("Trained by another program");
    QString words = tr("%1, %2 of %3 runs. ").arg(state).arg(done).arg(all);
    words += race.match == "none" ? tr("%1 of %2, not matched.") : tr("%1 of %2, matched by %3.");
    words = words.arg(QString::fromStdString(race.node), QString::fromStdString(race.experiment));
    if (race.match != "none")
        words = words.arg(race.match == "flops"   ? tr("FLOPs/token")
                          : race.match == "state" ? tr("state values")
                                                  : tr("parameters"));
    for (const std::string& warning : raceWarnings(race))
        words += ' ' + tr("Warning: %1.").arg(QString::fromStdString(warning));
    return m_trouble.isEmpty() ? words : m_trouble + ' ' + words;
}

void RacePanel::showState()
{
    const bool isShown = m_results != nullptr;
    const QString words = isShown ? stateText() : QString();
    m_words->setText(words);
    m_words->setToolTip(words);
    m_words->setVisible(isShown);
    m_bar->setVisible(isShown);
    if (!isShown)
        return;
    m_bar->showDoing(m_process.isStopping()  ? RaceBar::Doing::Stopping
                     : m_process.isRunning() ? RaceBar::Doing::Running
                                             : RaceBar::Doing::Nothing,
                     m_results->doneCount() < m_results->runCount());
    m_bar->offerBits(std::any_of(m_results->lanes.begin(), m_results->lanes.end(), [](const RaceLaneResults& lane) {
        return std::any_of(lane.runs.begin(), lane.runs.end(),
                           [](const RaceRun& run) { return run.lossUnit.starts_with("nats"); });
    }));
}

/// Intervals of many seeds take a while: away from the window's thread.
void RacePanel::recompute()
{
    if (m_results == nullptr || m_bar->watch().metric == m_metric)
        return redraw();
    m_disk.ask([this, of = m_results, metric = m_bar->watch().metric](const std::stop_token&) -> DiskThread::Answer {
        return [this, of, metric, curves = raceCurves(*of, metric)] { takeCurves(of, metric, curves); };
    });
}

void RacePanel::redraw()
{
    if (m_results == nullptr)
        return;
    RaceWatch watch = m_bar->watch();
    if (watch.metric != m_metric)
        return; // its curves are being computed
    watch.held = m_held;
    m_chart->draw(racePicture(*m_results, m_curves, watch));
}

void RacePanel::readAt(double x)
{
    if (m_results == nullptr || m_bar->watch().metric != m_metric)
        return;
    const RaceReadings readings = readRaceAt(*m_results, m_curves, m_bar->watch(), x);
    m_chart->setCrosshair(readings.lines.empty() ? std::nullopt : std::optional(readings.x), readings.lines);
}

std::vector<RaceRow> RacePanel::shownRows() const
{
    std::vector<RaceRow> rows;
    for (const std::size_t lane : m_table->shownLanes())
        rows.push_back(raceRow(m_results->lanes[lane]));
    return rows;
}

void RacePanel::saveTable(RaceTableFormat format, const QString& path)
{
    if (!m_saving.isBusy())
        m_saving.save(path, [rows = shownRows(), format] { return raceTable(rows, format); });
}

void RacePanel::saveCurves(const QString& path)
{
    if (!m_saving.isBusy() && m_results != nullptr)
        m_saving.save(path, [results = m_results] { return raceCurvesCsv(*results); });
}

void RacePanel::askForRace()
{
    auto* dialog = new QFileDialog(this, tr("Open the folder of a race"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setDirectory(m_folder.isEmpty() ? QDir::homePath() : QFileInfo(m_folder).path());
    connect(dialog, &QFileDialog::fileSelected, this, &RacePanel::open);
    dialog->open();
}

void RacePanel::askForFile(const QString& name, const QString& filter, std::function<void(const QString& path)> chosen)
{
    auto* dialog = new QFileDialog(this, tr("Save"), QDir(m_folder).filePath(name), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this, std::move(chosen));
    dialog->open();
}

void RacePanel::endTraining(const QString& trouble)
{
    m_trouble = trouble;
    refresh();
    showState();
}

void RacePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void RacePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const Qt::Orientation wanted = width() > kWide * height() ? Qt::Horizontal : Qt::Vertical;
    if (m_isDivided && m_parts->orientation() == wanted)
        return;
    m_parts->setOrientation(wanted);
    m_parts->setSizes({1, 1}); // halves, until a hand moves the handle
    m_isDivided = true;
}

} // namespace unroll
