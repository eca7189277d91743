// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curves_panel.h"

#include "app/studio/curves/curve_reasons.h"
#include "app/studio/curves/curves_reading.h"
#include "app/studio/curves/curves_table.h"
#include "app/studio/plot/chart_image.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "core/runs/run_names.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr qint64 kRedrawEvery = 500; // milliseconds: a redraw costs up to 8, and training pays twice that

Theme::Role freeColor(const std::vector<ShownRun>& runs)
{
    const auto isFree = [&](Theme::Role color) {
        return std::none_of(runs.begin(), runs.end(), [&](const ShownRun& run) { return run.color == color; });
    };
    return *std::find_if(kOverlayColors.begin(), kOverlayColors.end(), isFree);
}

QString suffixOf(CurvesBar::Format format)
{
    switch (format) {
    case CurvesBar::Format::Png: return QStringLiteral("png");
    case CurvesBar::Format::Svg: return QStringLiteral("svg");
    default: return QStringLiteral("csv");
    }
}

} // namespace

CurvesPanel::CurvesPanel(RunController& controller, const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_controller(controller),
      m_appearance(appearance),
      m_bar(new CurvesBar(appearance)),
      m_chart(makeChart(appearance, nullptr)),
      m_pages(new QStackedWidget)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    m_pages->addWidget(m_empty = new EmptyState(appearance, "curves", tr("No curves yet"), {}));
    m_pages->addWidget(m_chart);
    column->addWidget(m_pages, 1);
    connect(&controller, &RunController::runChanged, this, [this] { showRows({}); });
    connect(&controller, &RunController::metricsArrived, this, &CurvesPanel::take);
    connect(&controller, &RunController::ticked, this, &CurvesPanel::redrawIfNeeded);
    connect(&controller, &RunController::stateChanged, this, &CurvesPanel::showEmpty);
    connectBar();
    connectChart();
    showRows({});
    showEmpty();
}

void CurvesPanel::connectBar()
{
    connect(m_bar, &CurvesBar::choiceChanged, this, &CurvesPanel::changeMetric);
    connect(m_bar, &CurvesBar::unitChanged, this, &CurvesPanel::changeUnit);
    connect(m_bar, &CurvesBar::logChanged, this, &CurvesPanel::changed);
    connect(m_bar, &CurvesBar::smoothingChanged, this, &CurvesPanel::resmooth);
    connect(m_bar, &CurvesBar::followingAsked, this, &CurvesPanel::follow);
    connect(m_bar, &CurvesBar::saveAsked, this, &CurvesPanel::askForFile);
    connect(m_bar, &CurvesBar::copyAsked, this, &CurvesPanel::copyPicture);
    connect(&m_saving, &FileSaving::busyChanged, this, [this](bool busy) { m_bar->setCanSave(hasCurves() && !busy); });
    connect(&m_saving, &FileSaving::saved, this, &CurvesPanel::saved);
    connect(&m_saving, &FileSaving::failed, this, &CurvesPanel::notSaved);
}

void CurvesPanel::connectChart()
{
    connect(m_chart, &Chart::hovered, this, [this](double x) { readAt(x); });
    connect(m_chart, &Chart::left, this, [this] { readAt({}); });
    connect(m_chart, &Chart::viewAsked, this, &CurvesPanel::hold);
    connect(m_chart, &Chart::fitAsked, this, [this] { follow(true); });
}

bool CurvesPanel::isEmpty() const
{
    return m_pages->currentIndex() == 0;
}

const SeriesStore& CurvesPanel::series(const std::string& metric) const
{
    static const SeriesStore none;
    const SeriesStore* found = m_run.curves.find(metric);
    return found != nullptr ? *found : none;
}

/// What was held and read was of another run.
void CurvesPanel::showRows(const std::vector<MetricRow>& rows)
{
    m_run = {};
    m_run.curves.append(rows);
    m_held.reset();
    m_bar->setFollowing(true);
    readAt({});
    resmooth();
}

void CurvesPanel::take(const std::vector<MetricRow>& rows)
{
    m_run.curves.append(rows);
    m_run.smoothed.follow(m_run.curves.find(m_bar->choice().raw));
    m_dirty = true;
}

void CurvesPanel::setOverlays(const std::vector<CurveOverlay>& overlays)
{
    const std::vector<ShownRun> before = std::exchange(m_overlays, {});
    const auto known = [&](const QString& folder) {
        return std::find_if(before.begin(), before.end(), [&](const ShownRun& run) { return run.folder == folder; });
    };
    const std::size_t count = std::min(overlays.size(), kOverlayColors.size());
    // Those that stay keep their colours, before others choose from what is free.
    for (std::size_t i = 0; i < count; ++i) {
        const auto old = known(overlays[i].folder);
        if (old != before.end())
            m_overlays.push_back({overlays[i].name, old->folder, old->color});
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = m_overlays.begin() + static_cast<std::ptrdiff_t>(i);
        if (known(overlays[i].folder) == before.end())
            m_overlays.insert(at, {overlays[i].name, overlays[i].folder, freeColor(m_overlays)});
        m_overlays[i].curves.append(overlays[i].rows);
        m_overlays[i].setMeasures(overlays[i].measures);
    }
    resmooth();
}

std::optional<Theme::Role> CurvesPanel::overlayColor(const QString& folder) const
{
    for (const ShownRun& run : m_overlays)
        if (run.folder == folder)
            return run.color;
    return {};
}

void CurvesPanel::resmooth()
{
    const double weight = m_bar->smoothingWeight();
    m_run.resmooth(m_bar->choice(), weight);
    for (ShownRun& run : m_overlays)
        run.resmooth(m_bar->choice(), weight);
    changed();
}

bool CurvesPanel::hasCurves() const
{
    return !m_run.curves.empty() || !m_overlays.empty();
}

/// Draws at once where somebody sees it, else when it is shown.
void CurvesPanel::changed()
{
    m_dirty = true;
    if (isVisible() || !hasCurves())
        redraw();
}

void CurvesPanel::showEmpty()
{
    m_empty->setSentence(m_controller.isTraining() ? tr("The training loss appears here after the first step.")
                                                   : tr("Press Run ({run}): the training loss is plotted here."));
}

void CurvesPanel::redrawIfNeeded()
{
    const bool due =
        isEmpty() || !m_controller.isTraining() || !m_sinceRedraw.isValid() || m_sinceRedraw.elapsed() >= kRedrawEvery;
    if (m_dirty && due && isVisible())
        redraw();
}

void CurvesPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    redrawIfNeeded(); // what came while it was hidden; an ended run brings nothing more
}

/// What the loss is measured against: what no model can beat, and what every model should.
std::vector<ChartLevel> CurvesPanel::levels() const
{
    const auto snapshot = m_controller.snapshot();
    const CurveChoice& choice = m_bar->choice();
    if (!choice.hasFloor || !whyNotShown(m_run, choice).isEmpty())
        return {};
    const auto reading = [&](double nats) { return readingText(choice.shown(nats)); };
    std::vector<ChartLevel> levels;
    if (snapshot->entropyFloor) {
        const QString floor = reading(*snapshot->entropyFloor);
        const QString brief = tr("entropy of these data %1").arg(floor);
        QString words = brief;
        if (snapshot->entropyExpected && reading(*snapshot->entropyExpected) != floor)
            words += tr(" (of their source %1)").arg(reading(*snapshot->entropyExpected));
        levels.push_back({choice.shown(*snapshot->entropyFloor), words, Theme::Role::ChartFloor, brief});
    }
    if (snapshot->baseline)
        levels.push_back(
            {choice.shown(snapshot->baseline->loss),
             tr("%1 %2").arg(QString::fromStdString(snapshot->baseline->guess), reading(snapshot->baseline->loss)),
             Theme::Role::ChartFloor});
    std::erase_if(levels, [](const ChartLevel& level) { return !std::isfinite(level.y); });
    return levels;
}

/// A loss is read in the unit that the run says, bits by what its tokens are.
CurveChoice CurvesPanel::choice() const
{
    CurveChoice choice = m_bar->choice();
    const std::string unit = lossUnitOf(m_run, m_overlays);
    if (choice.hasFloor && choice.scale == CurveChoice::Scale::AsMeasured && !unit.empty())
        choice.axis = QString::fromStdString(unit);
    if (choice.scale == CurveChoice::Scale::Bits && m_run.measures.token == "byte")
        choice.axis = tr("bits/byte");
    return choice;
}

/// What no run that is shown can be drawn in is greyed out, with the reason.
void CurvesPanel::offerWhatCanBe()
{
    const auto& choices = curveChoices();
    for (std::size_t i = 0; i < choices.size(); ++i)
        m_bar->offer(static_cast<int>(i), whyNoneShown(m_run, m_overlays, choices[i]));
    for (const XUnit unit : {XUnit::Flops, XUnit::Epochs})
        m_bar->offer(unit, whyNoneOver(m_run, m_overlays, unit));
}

void CurvesPanel::redraw()
{
    m_dirty = false;
    m_sinceRedraw.start();
    m_run.setMeasures(m_controller.snapshot()->measures);
    offerWhatCanBe();
    m_pages->setCurrentIndex(hasCurves() ? 1 : 0);
    m_bar->setCanSave(hasCurves() && !m_saving.isBusy());
    CurvesWish wish{choice(), m_bar->unit(), m_bar->isLogX(), m_bar->isLogY(), m_held};
    wish.width = m_chart->plot().width();
    wish.budget = kPointBudget;
    wish.levels = levels();
    m_chart->draw(pictureOf(m_run, m_overlays, wish));
    readAt(m_read);
}

void CurvesPanel::hold(const AxisRange& x, const AxisRange& y)
{
    m_held = HeldView{{x.low, x.high}, std::pair(y.low, y.high)};
    m_bar->setFollowing(false);
    changed();
}

/// Letting go of the run by the button holds what is seen.
void CurvesPanel::follow(bool follows)
{
    if (!follows)
        return hold(m_chart->picture().x, m_chart->picture().y);
    m_held.reset();
    m_bar->setFollowing(true);
    changed();
}

/// The part of the run that is held stays, as high as the other metric is.
void CurvesPanel::changeMetric()
{
    if (m_held)
        m_held->y.reset();
    readAt({});
    resmooth();
}

/// The part of the run that is held stays, by its steps; what lies beyond the run's ends has none.
void CurvesPanel::changeUnit(XUnit before)
{
    const RunClock& clock = m_run.curves.clock();
    if (m_held && !clock.empty()) {
        const auto translated = [&](double x) {
            return clock.at(m_bar->unit(),
                            std::clamp(clock.stepAt(before, x), clock.first(XUnit::Steps), clock.last(XUnit::Steps)));
        };
        auto& [low, high] = m_held->x;
        low = translated(low);
        high = translated(high);
        if (!(low < high))
            m_held.reset();
    }
    m_bar->setFollowing(!m_held);
    readAt({});
    changed();
}

void CurvesPanel::readAt(std::optional<double> x)
{
    m_read = x;
    CurvesReading reading;
    if (x)
        reading = readCurves(m_run, m_overlays, m_bar->choice(), m_bar->unit(), *x);
    const bool none = reading.lines.empty();
    m_chart->setCrosshair(none ? std::nullopt : std::optional(reading.x), std::move(reading.lines));
}

void CurvesPanel::save(CurvesBar::Format format, const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun) {
        Q_EMIT notSaved(QString::fromStdString(inRun.error().text()));
        return;
    }
    m_folder = QFileInfo(path).absolutePath();
    m_saving.save(path, bytesOf(format));
}

/// Pictures are drawn here and now; a table is made where it is written, from a copy of the numbers.
std::function<std::string()> CurvesPanel::bytesOf(CurvesBar::Format format)
{
    if (m_dirty)
        redraw();
    if (format == CurvesBar::Format::Csv)
        return [run = m_run, others = m_overlays, choice = m_bar->choice(), name = tr("this run").toStdString()] {
            return curvesTable(run, others, choice, name);
        };
    const QByteArray picture =
        format == CurvesBar::Format::Png ? chartPng(*m_chart, m_appearance) : chartSvg(*m_chart, m_appearance);
    return [picture] { return picture.toStdString(); };
}

void CurvesPanel::askForFile(CurvesBar::Format format)
{
    const QString suffix = suffixOf(format);
    auto* dialog = new QFileDialog(this, tr("Save the curves"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(m_bar->choice().title.toLower().replace(' ', '-') + '.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) { save(format, path); });
    dialog->open();
}

void CurvesPanel::copyPicture()
{
    QGuiApplication::clipboard()->setImage(chartImage(*m_chart, m_appearance));
}

} // namespace unroll
