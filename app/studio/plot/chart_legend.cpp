// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_legend.h"

#include "app/studio/plot/chart_pen.h"
#include "app/studio/theme/metrics.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kSwatch = 28;   ///< length of a legend line, px: the longest dash shows its gap
constexpr double kLongest = 190; ///< words of an entry, px: a run may have any name; two have room in a row
constexpr int kMostRows = 3;

} // namespace

ChartLegend::ChartLegend(const std::vector<ChartSeries>& series, const QFontMetricsF& text, double left, double right,
                         double taken)
    : m_left(left), m_right(right), m_taken(taken), m_rowHeight(rowHeight(text))
{
    m_rows.emplace_back();
    std::vector<Entry> entries;
    const double usual = text.horizontalAdvance("validation 0.0000"); // never cut short
    const double most = std::min(kLongest, std::max(usual, (right - left - space::l) / 2 - kSwatch - space::xs));
    for (auto one = series.rbegin(); one != series.rend(); ++one) {
        if (one->look.name.isEmpty())
            continue;
        const QString words = text.elidedText(one->look.name, Qt::ElideMiddle, most); // its end is a number
        entries.push_back({&one->look, words, kSwatch + space::xs + text.horizontalAdvance(words)});
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (!place(entries[i])) {
            countTheRest(entries.size() - i, text);
            break;
        }
}

double ChartLegend::rowHeight(const QFontMetricsF& text)
{
    return text.height() + 2;
}

bool ChartLegend::place(const Entry& entry)
{
    const auto fits = [&] {
        const double room = m_right - (m_rows.size() == 1 ? m_taken : m_left);
        return m_rows.back().entries.empty() ? m_rows.size() > 1 || entry.width <= room
                                             : m_rows.back().width + space::l + entry.width <= room;
    };
    if (!fits() && m_rows.size() < kMostRows)
        m_rows.emplace_back();
    if (!fits())
        return false;
    Row& row = m_rows.back();
    row.width += (row.entries.empty() ? 0 : space::l) + entry.width;
    row.entries.push_back(entry);
    return true;
}

/// The last entries make room for the words that count them.
void ChartLegend::countTheRest(std::size_t rest, const QFontMetricsF& text)
{
    const auto restText = [&] {
        return QCoreApplication::translate("ChartLegend", "and %1 more").arg(static_cast<qulonglong>(rest));
    };
    Row& row = m_rows.back();
    while (!row.entries.empty() && row.width + space::l + text.horizontalAdvance(restText()) > m_right - m_left) {
        row.width -= row.entries.back().width + (row.entries.size() > 1 ? space::l : 0);
        row.entries.pop_back();
        ++rest;
    }
    const Entry last{nullptr, restText(), text.horizontalAdvance(restText())};
    row.width += (row.entries.empty() ? 0 : space::l) + last.width;
    row.entries.push_back(last);
}

void ChartLegend::paint(QPainter& painter, const Theme& theme, double top) const
{
    for (const Row& row : m_rows) {
        double left = m_right - row.width;
        for (const Entry& entry : row.entries) {
            paintEntry(painter, theme, entry, {left, top});
            left += entry.width + space::l;
        }
        top += m_rowHeight;
    }
}

void ChartLegend::paintEntry(QPainter& painter, const Theme& theme, const Entry& entry, const QPointF& at) const
{
    const QFontMetricsF text(painter.font());
    double left = at.x();
    if (entry.look != nullptr) {
        const QColor color = theme[entry.look->color];
        const double middle = at.y() + text.height() / 2;
        painter.setPen(chartPen(theme, entry.look->color, entry.look->shape == SeriesLook::Shape::FaintLine ? 1 : 1.8));
        painter.drawLine(QPointF(left, middle), QPointF(left + kSwatch, middle));
        if (entry.look->shape == SeriesLook::Shape::MarkedLine) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(QPointF(left + kSwatch / 2, middle), 3.5, 3.5);
        }
        left += kSwatch + space::xs;
    }
    painter.setPen(theme[Theme::Role::Text]);
    painter.drawText(QPointF(left, at.y() + text.ascent()), entry.words);
}

} // namespace unroll
