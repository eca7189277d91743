// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

#include <QByteArray>
#include <QString>
#include <memory>

namespace unroll {

class Appearance;

enum class FigureFormat { Png, Svg, Csv, Npz };
QString suffixOf(FigureFormat format); ///< "png"

/// The whole figure, so many pixels wide, in the current theme: its line, what was found, all panels and tables. PNG
/// with twice as many pixels, or SVG with words as text; the other formats are not pictures.
QByteArray figurePicture(const std::shared_ptr<const Figure>& figure, const Appearance& appearance, int width,
                         FigureFormat format);

} // namespace unroll
