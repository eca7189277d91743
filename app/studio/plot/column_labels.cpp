// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/column_labels.h"

#include <QFontMetricsF>
#include <QHash>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace unroll {

namespace {

constexpr double kSlack = 0.01;         ///< px; advances are sums of rounded numbers
constexpr double kHeightOfWidth = 1.55; ///< of a letter as wide as its column

/// What labels ask for in one font: a single character may touch its neighbours, a longer label has a space after it.
class Widths {
public:
    explicit Widths(const QFont& font) : m_metrics(font) {}

    double of(const QString& label)
    {
        const auto known = m_known.constFind(label);
        if (known != m_known.constEnd())
            return *known;
        const bool single = label.size() == 1 || (label.size() == 2 && label[0].isHighSurrogate());
        const double width = m_metrics.horizontalAdvance(single ? label : label + ' ');
        m_known.insert(label, width);
        return width;
    }

private:
    QFontMetricsF m_metrics;
    QHash<QString, double> m_known;
};

struct Columns {
    const std::vector<QString>& labels;
    std::int64_t count;
    double width; ///< of all
    std::int64_t labelled() const { return std::min(count, static_cast<std::int64_t>(labels.size())); }
    double one() const { return width / static_cast<double>(count); }
};

/// Nothing where two would stand in each other's way.
std::optional<ColumnLabels> placed(const Columns& columns, const QFont& font, int lines, std::int64_t every)
{
    ColumnLabels all{font, lines, every, {}};
    Widths widths(font);
    std::array<double, ColumnLabels::kMostLines> free;
    free.fill(-ColumnLabels::kOverhang - kSlack);
    int line = 0;
    for (std::int64_t t = (every - 1) / 2; t < columns.labelled(); t += every, line = (line + 1) % lines) {
        const double wide = widths.of(columns.labels[static_cast<std::size_t>(t)]);
        const double centre = (static_cast<double>(t) + 0.5) * columns.one();
        const double last = columns.width + ColumnLabels::kOverhang - wide;
        const double left = std::min(std::max(centre - wide / 2, -ColumnLabels::kOverhang), last);
        if (left < free[static_cast<std::size_t>(line)] - kSlack)
            return std::nullopt;
        free[static_cast<std::size_t>(line)] = left + wide;
        all.labels.push_back({t, line, left, wide});
    }
    return all;
}

QFont sized(QFont font, int pixels)
{
    font.setPixelSize(pixels);
    return font;
}

} // namespace

ColumnLabels ColumnLabels::of(const std::vector<QString>& labels, std::int64_t columns, double width, const QFont& font)
{
    const Columns all{labels, columns, width};
    if (columns < 1 || width <= 0 || all.labelled() == 0)
        return {font, 0, 1, {}};
    const int most = font.pixelSize();
    const int least = std::max(7, (2 * most + 1) / 3);
    for (int lines = 1; lines <= kMostLines; ++lines) {
        const int wanted = static_cast<int>(std::min(all.one() * lines * kHeightOfWidth, 1e3));
        for (int pixels = std::clamp(wanted, least, std::max(most, least)); pixels >= least; --pixels)
            if (auto found = placed(all, sized(font, pixels), lines, 1))
                return *found;
    }
    for (std::int64_t every = 2; every <= columns; ++every)
        if (auto found = placed(all, sized(font, least), 1, every); found && !found->labels.empty())
            return *found;
    return {font, 0, 1, {}};
}

} // namespace unroll
