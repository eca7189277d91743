// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>
#include <cstdint>
#include <vector>

namespace unroll {

/// Where the labels of a heat map's columns stand below it. As few lines as let every column have its label, the labels
/// going from line to line in turn; where the most lines do not do, each n-th column alone has one, on one line.
/// Pixels, from the map's left edge.
struct ColumnLabels {
    static constexpr int kMostLines = 3;
    static constexpr double kOverhang = 4; ///< that the first and the last may stand out beside the map

    struct Label {
        std::int64_t column;
        int line;
        double left;
        double width;
    };
    QFont font;
    int lines = 0;          ///< 0: there are no labels, or not even one has room
    std::int64_t every = 1; ///< each n-th column has one
    std::vector<Label> labels;

    /// `columns` columns share `width` pixels. Letters are as large as `font` where there is room, and not below two
    /// thirds of it.
    static ColumnLabels of(const std::vector<QString>& labels, std::int64_t columns, double width, const QFont& font);
};

} // namespace unroll
