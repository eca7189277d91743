// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/forecast/forecast_view.h"

#include "app/studio/lenses/forecast/forecast_picture.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/theme/metrics.h"

#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace unroll {

ForecastView::ForecastView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_columns(new QComboBox), m_chart(makeChart(appearance, nullptr))
{
    m_columns->setAccessibleName(tr("Forecast column"));
    m_columns->setToolTip(tr("Column to plot"));
    m_columns->hide();
    m_chart->focusProxy()->setAccessibleName(tr("Forecast"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->addWidget(m_columns, 1);
    column->addLayout(row);
    column->addWidget(m_chart, 1);
    connect(m_columns, &QComboBox::currentIndexChanged, this, [this] {
        m_held.reset();
        show();
    });
    connect(m_chart, &Chart::hovered, this, [this](double x) { readAt(x); });
    connect(m_chart, &Chart::left, this, [this] { readAt({}); });
    connect(m_chart, &Chart::viewAsked, this, [this](const AxisRange& x, const AxisRange& y) {
        m_held = {x, y};
        show();
    });
    connect(m_chart, &Chart::fitAsked, this, [this] {
        m_held.reset();
        show();
    });
}

void ForecastView::join(ReadingCursor& cursor)
{
    m_cursor = &cursor;
    connect(&cursor, &ReadingCursor::changed, this, &ForecastView::follow);
    connect(m_chart, &Chart::hovered, this, [this](double x) {
        if (shown() == nullptr || shown()->told.empty())
            return;
        const double step = std::clamp(std::round(x), 1.0, static_cast<double>(shown()->told.size())) - 1;
        const bool byKeys = m_chart->surface().hasFocus() && !m_chart->surface().underMouse();
        byKeys ? m_cursor->hold(static_cast<std::int64_t>(step)) : m_cursor->pointAt(static_cast<std::int64_t>(step));
    });
    connect(m_chart, &Chart::left, this, [this] {
        m_cursor->pointAt(-1);
        follow(); // what is held stays
    });
}

/// Steps count from 1 on the axis.
void ForecastView::follow()
{
    const std::int64_t step = m_cursor->step();
    readAt(step >= 0 ? std::optional(static_cast<double>(step + 1)) : std::nullopt);
}

void ForecastView::setForecast(std::shared_ptr<const ForecastData> forecast)
{
    if (forecast == m_forecast)
        return;
    m_forecast = std::move(forecast);
    listColumns();
    show();
}

void ForecastView::listColumns()
{
    QStringList names;
    for (std::size_t i = 0; m_forecast && i < m_forecast->columns.size(); ++i)
        names << QString::fromStdString(m_forecast->columns[i].column);
    QStringList listed;
    for (int i = 0; i < m_columns->count(); ++i)
        listed << m_columns->itemText(i);
    if (names == listed)
        return;
    const QSignalBlocker quiet(m_columns);
    const QString before = m_columns->currentText();
    m_held.reset();
    m_columns->clear();
    m_columns->addItems(names);
    m_columns->setCurrentIndex(std::max<int>(0, static_cast<int>(names.indexOf(before))));
    m_columns->setVisible(names.size() > 1);
}

const Forecast* ForecastView::shown() const
{
    const auto index = static_cast<std::size_t>(std::max(0, m_columns->currentIndex()));
    return m_forecast && index < m_forecast->columns.size() ? &m_forecast->columns[index] : nullptr;
}

void ForecastView::show()
{
    ChartPicture picture = shown() != nullptr ? forecastPicture(*shown()) : ChartPicture{};
    if (m_held)
        std::tie(picture.x, picture.y) = *m_held;
    m_chart->draw(std::move(picture));
    readAt(m_read);
}

void ForecastView::readAt(std::optional<double> x)
{
    m_read = x;
    std::vector<Reading> lines;
    if (x && shown() != nullptr)
        lines = readForecast(*shown(), *x);
    const auto at = lines.empty() ? std::nullopt : std::optional(std::round(*x));
    m_chart->setCrosshair(at, std::move(lines));
}

} // namespace unroll
