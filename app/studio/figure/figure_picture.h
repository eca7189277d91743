// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

#include <QByteArray>
#include <QString>
#include <memory>
#include <string>

namespace unroll {

class Appearance;

enum class FigureFormat { Png, Svg, Csv };
QString suffixOf(FigureFormat format); ///< "png"

/// The whole figure, so many pixels wide, in the current theme: its line, what was found, all panels and tables. PNG with twice as many pixels, or SVG
/// with words as text.
QByteArray figurePicture(const std::shared_ptr<const Figure>& figure, const Appearance& appearance, int width,
                         FigureFormat format);

/// What is drawn as rows of numbers: panel, series, x, y, low, high, unit; cells as row, column, value. Tables follow with their own columns, arrays
/// that are not drawn by their index.
std::string csvOf(const Figure& figure);

} // namespace unroll
