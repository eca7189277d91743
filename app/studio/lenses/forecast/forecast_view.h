// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/chart.h"
#include "core/lens/forecast/forecast.h"

#include <QComboBox>
#include <memory>

namespace unroll {

class ReadingCursor;

/// Predicted and actual values on the first validation window: one column of the targets at a time.
class ForecastView : public QWidget {
    Q_OBJECT
public:
    explicit ForecastView(const Appearance& appearance, QWidget* parent = nullptr);

    /// The column that was shown stays, where the data have it. Null: nothing is shown.
    void setForecast(std::shared_ptr<const ForecastData> forecast);
    /// Points at the step that all views of the window share, and moves it: by the pointer, and by keys for good. It
    /// must outlive this.
    void join(ReadingCursor& cursor);
    Chart& chart() const { return *m_chart; }
    QComboBox& columns() const { return *m_columns; }

private:
    void listColumns();
    void show();
    void readAt(std::optional<double> x);
    void follow();
    const Forecast* shown() const; ///< nullptr: there is none

    std::shared_ptr<const ForecastData> m_forecast;
    ReadingCursor* m_cursor = nullptr; ///< nullptr: it stands alone
    QComboBox* m_columns;
    Chart* m_chart;
    std::optional<std::pair<AxisRange, AxisRange>> m_held; ///< x and y ranges chosen by the user; nothing: all of it
    std::optional<double> m_read;                          ///< x of the crosshair
};

} // namespace unroll
