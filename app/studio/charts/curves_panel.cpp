// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/charts/curves_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr qint64 redrawEvery = 500; // milliseconds: a redraw costs up to 5, and training pays twice that

enum Curve { Raw, Smoothed, Marked, FirstOverlay };

std::vector<CurveChoice> curveChoices()
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("CurvesPanel", text); };
    return {{tr("Loss"), tr("nats a token"), "train/loss", "val/loss", true},
            {tr("Accuracy"), tr("share right"), "", "val/acc"},
            {tr("Gradient norm"), tr("norm"), "optim/grad_norm", ""},
            {tr("Learning rate"), tr("rate"), "optim/lr", ""},
            {tr("Speed"), tr("tokens a second"), "perf/tokens_per_s", ""}};
}

const std::vector<CurveChoice>& choices()
{
    static const auto* list = new std::vector<CurveChoice>(curveChoices());
    return *list;
}

/// The slider moves the memory of the average, in steps, evenly in its logarithm: 0 is no smoothing, 100 remembers 1000 steps.
double smoothingWeight(int slider)
{
    return slider == 0 ? 0 : 1 - 1 / std::pow(10.0, slider * 0.03);
}

} // namespace

CurvesPanel::CurvesPanel(RunController& controller, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_controller(controller), m_chart(makeChart(appearance, nullptr)), m_pages(new QStackedWidget)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(controls());
    m_pages->addWidget(
        new EmptyState(appearance, "curves", tr("No curves yet"),
                       tr("Press Run (F5): the loss of every step is drawn here as the network learns.")));
    m_pages->addWidget(m_chart);
    column->addWidget(m_pages, 1);
    connect(&controller, &RunController::runChanged, this, &CurvesPanel::clear);
    connect(&controller, &RunController::metricsArrived, this, &CurvesPanel::take);
    connect(&controller, &RunController::ticked, this, &CurvesPanel::redrawIfNeeded);
    connect(m_chart, &Chart::hovered, this, &CurvesPanel::showCrosshair);
    connect(m_chart, &Chart::left, this, [this] { m_chart->setCrosshair({}, {}); });
    smoothAnew();
}

QWidget* CurvesPanel::controls()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(space::s, 0, space::s, 0);
    m_choice = new QComboBox;
    m_choice->setAccessibleName(tr("Metric"));
    for (const CurveChoice& choice : choices())
        m_choice->addItem(choice.title);
    m_log = new QToolButton;
    m_log->setText(tr("log"));
    m_log->setCheckable(true);
    m_log->setObjectName("toggle");
    m_log->setToolTip(tr("Draw the upright axis by its logarithm"));
    auto* words = new QLabel(tr("smooth"));
    words->setProperty("tone", "dim");
    m_smooth = new QSlider(Qt::Horizontal);
    m_smooth->setRange(0, 100);
    m_smooth->setValue(30);
    m_smooth->setFixedWidth(90);
    m_smooth->setAccessibleName(tr("Smoothing"));
    m_smooth->setToolTip(tr("How many steps the smooth curve averages over"));
    row->addWidget(m_choice);
    row->addWidget(m_log);
    row->addStretch();
    row->addWidget(words);
    row->addWidget(m_smooth);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        clearChart();
        smoothAnew();
    });
    connect(m_log, &QToolButton::toggled, this, &CurvesPanel::redraw);
    connect(m_smooth, &QSlider::valueChanged, this, &CurvesPanel::smoothAnew);
    return bar;
}

const CurveChoice& CurvesPanel::choice() const
{
    return choices()[static_cast<std::size_t>(std::max(0, m_choice->currentIndex()))];
}

const SeriesStore* CurvesPanel::find(const std::string& metric) const
{
    return m_run.find(metric);
}

const SeriesStore& CurvesPanel::series(const std::string& metric) const
{
    static const SeriesStore none;
    const SeriesStore* found = find(metric);
    return found != nullptr ? *found : none;
}

bool CurvesPanel::isEmpty() const
{
    return m_pages->currentIndex() == 0;
}

void CurvesPanel::setLog(bool log)
{
    m_log->setChecked(log);
}

void CurvesPanel::clear()
{
    m_run = {};
    clearChart();
    smoothAnew();
}

void CurvesPanel::showRows(const std::vector<MetricRow>& rows)
{
    m_run = {};
    clearChart();
    m_run.append(rows);
    smoothAnew();
}

void CurvesPanel::setOverlays(const std::vector<CurveOverlay>& overlays)
{
    const std::vector<Overlay> before = std::exchange(m_overlays, {});
    const auto known = [&](const QString& folder) {
        return std::find_if(before.begin(), before.end(), [&](const Overlay& one) { return one.folder == folder; });
    };
    const std::size_t count = std::min(overlays.size(), overlayColors.size());
    // Those that stay keep their colours, before others choose from what is free.
    for (std::size_t i = 0; i < count; ++i) {
        const auto old = known(overlays[i].folder);
        if (old != before.end())
            m_overlays.push_back({overlays[i].name, old->folder, old->color, {}});
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = m_overlays.begin() + static_cast<std::ptrdiff_t>(i);
        if (known(overlays[i].folder) == before.end())
            m_overlays.insert(at, {overlays[i].name, overlays[i].folder, freeColor(), {}});
        m_overlays[i].curves.append(overlays[i].rows);
    }
    clearChart();
    redraw();
}

Theme::Role CurvesPanel::freeColor() const
{
    const auto isFree = [this](Theme::Role color) {
        return std::none_of(m_overlays.begin(), m_overlays.end(),
                            [&](const Overlay& one) { return one.color == color; });
    };
    return *std::find_if(overlayColors.begin(), overlayColors.end(), isFree);
}

std::optional<Theme::Role> CurvesPanel::overlayColor(const QString& folder) const
{
    for (const Overlay& one : m_overlays)
        if (one.folder == folder)
            return one.color;
    return {};
}

/// What was drawn is of another run or metric, and so is what was read off it.
void CurvesPanel::clearChart()
{
    m_chart->clearSeries();
    m_chart->setCrosshair({}, {});
}

void CurvesPanel::take(const std::vector<MetricRow>& rows)
{
    m_run.append(rows);
    if (const SeriesStore* raw = find(choice().raw))
        for (std::size_t i = m_smoothed.size(); i < raw->size(); ++i)
            m_smoothed.append(raw->x(i), m_smoothing.add(raw->y(i)));
    m_dirty = true;
}

void CurvesPanel::smoothAnew()
{
    m_smoothing = Smoothing(smoothingWeight(m_smooth->value()));
    m_smoothed.clear();
    if (const SeriesStore* raw = find(choice().raw))
        for (std::size_t i = 0; i < raw->size(); ++i)
            m_smoothed.append(raw->x(i), m_smoothing.add(raw->y(i)));
    redraw();
}

void CurvesPanel::redrawIfNeeded()
{
    const bool due = !m_controller.isTraining() || !m_sinceRedraw.isValid() || m_sinceRedraw.elapsed() >= redrawEvery;
    if (m_dirty && due && isVisible())
        redraw();
}

void CurvesPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    redrawIfNeeded(); // what came while it was hidden; an ended run brings nothing more
}

std::vector<const SeriesStore*> CurvesPanel::shown() const
{
    std::vector<const SeriesStore*> stores{find(choice().raw), find(choice().marked)};
    for (const Overlay& one : m_overlays)
        stores.push_back(one.curves.find(choice().raw.empty() ? choice().marked : choice().raw));
    std::erase(stores, nullptr);
    return stores;
}

AxisRange CurvesPanel::xRange() const
{
    double first = 0, last = 10;
    for (const SeriesStore* store : shown()) {
        first = std::min(first, store->x(0));
        last = std::max(last, store->x(store->size() - 1));
    }
    return {first, last * 1.01, false, tr("step")};
}

AxisRange CurvesPanel::yRange(const AxisRange& x) const
{
    double low = INFINITY, high = -INFINITY;
    for (const SeriesStore* store : shown()) {
        const auto [first, last] = store->range(x.low, x.high);
        const auto extent = store->extent(first, last);
        if (!extent.empty) {
            low = std::min(low, extent.least);
            high = std::max(high, extent.greatest);
        }
    }
    for (const ChartLevel& level : levels()) {
        low = std::min(low, level.y);
        high = std::max(high, level.y);
    }
    if (!(low <= high))
        return {0, 1, false, choice().axis};
    const bool log = m_log->isChecked() && low > 0;
    if (log)
        return {low / 1.08, high * 1.08, true, choice().axis};
    const double pad = high > low ? 0.06 * (high - low) : std::max(0.05 * std::abs(high), 1e-9);
    // A quantity that is never negative keeps its axis from 0 up.
    return {low >= 0 ? std::max(0.0, low - pad) : low - pad, high + pad, false, choice().axis};
}

std::vector<ChartLevel> CurvesPanel::levels() const
{
    const auto snapshot = m_controller.snapshot();
    if (!choice().hasFloor || !snapshot->entropyFloor)
        return {};
    const QString floor = readingText(*snapshot->entropyFloor);
    QString words = tr("entropy floor %1").arg(floor);
    if (snapshot->entropyExpected && readingText(*snapshot->entropyExpected) != floor)
        words += tr(", expected %1").arg(readingText(*snapshot->entropyExpected));
    return {{*snapshot->entropyFloor, words, Theme::Role::ChartFloor}};
}

void CurvesPanel::redraw()
{
    m_dirty = false;
    m_sinceRedraw.start();
    const SeriesStore* raw = find(choice().raw);
    const SeriesStore* marked = find(choice().marked);
    const bool empty = m_run.empty() && m_overlays.empty();
    m_pages->setCurrentIndex(empty ? 0 : 1);
    if (empty)
        return;
    const AxisRange x = xRange();
    m_chart->setRange(x, yRange(x));
    m_chart->setLevels(levels());
    const auto width = static_cast<std::size_t>(std::max(100.0, m_chart->plotWidth()));
    const std::size_t rawBudget = std::min(2 * width, pointBudget * 2 / 3);
    const std::size_t smoothBudget = std::min(width, pointBudget / 4);
    std::vector<double> missing;
    if (raw != nullptr) {
        m_chart->setSeries(Raw, {SeriesLook::Shape::FaintLine, Theme::Role::ChartRaw, {}},
                           raw->decimated(x.low, x.high, rawBudget));
        const QString latest = readingText(m_smoothed.y(m_smoothed.size() - 1));
        m_chart->setSeries(Smoothed, {SeriesLook::Shape::Line, Theme::Role::ChartTrain, tr("train %1").arg(latest)},
                           m_smoothed.decimated(x.low, x.high, smoothBudget));
        missing.assign(raw->notNumbers().begin(), raw->notNumbers().end());
    }
    if (marked != nullptr)
        m_chart->setSeries(Marked,
                           {SeriesLook::Shape::MarkedLine, Theme::Role::ChartValidation,
                            tr("validation %1").arg(readingText(marked->y(marked->size() - 1)))},
                           marked->decimated(x.low, x.high, std::min<std::size_t>(width / 4 + 4, pointBudget / 12)));
    drawOverlays(x, std::max<std::size_t>(4, pointBudget / 4 / (m_overlays.size() + 1)));
    m_chart->setMissing(std::move(missing));
}

/// One line a run, so that eight can be told apart.
void CurvesPanel::drawOverlays(const AxisRange& x, std::size_t budget)
{
    int id = FirstOverlay;
    for (const Overlay& one : m_overlays) {
        const SeriesStore* store = one.curves.find(choice().raw.empty() ? choice().marked : choice().raw);
        if (store != nullptr)
            m_chart->setSeries(id++, {SeriesLook::Shape::Line, one.color, one.name},
                               store->decimated(x.low, x.high, budget));
    }
}

void CurvesPanel::showCrosshair(double x)
{
    const auto nearest = [x](const SeriesStore& store) {
        const auto [first, last] = store.range(x, x);
        std::size_t best = first;
        for (std::size_t i = first; i < last; ++i)
            if (std::abs(store.x(i) - x) < std::abs(store.x(best) - x))
                best = i;
        return best;
    };
    QStringList words;
    double at = x;
    if (const SeriesStore* raw = find(choice().raw)) {
        const std::size_t i = nearest(*raw);
        at = raw->x(i);
        words << tr("step %1").arg(countText(static_cast<std::int64_t>(at)))
              << tr("train %1").arg(readingText(raw->y(i))) << tr("smoothed %1").arg(readingText(m_smoothed.y(i)));
    }
    if (const SeriesStore* marked = find(choice().marked)) {
        const std::size_t i = nearest(*marked);
        words << tr("validation %1 at %2")
                     .arg(readingText(marked->y(i)), countText(static_cast<std::int64_t>(marked->x(i))));
    }
    m_chart->setCrosshair(words.isEmpty() ? std::nullopt : std::optional(at), words);
}

} // namespace unroll
