// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QColor>
#include <QRectF>

class QPainter;

namespace unroll {

class Theme;
struct BlockSpec;

inline constexpr double kLeastGlyph = 12; ///< px of a side; smaller ones are indistinguishable

/// Draws a picture of lines in one colour: SVG whose colour is currentColor. On whole pixels of what is painted on, and
/// fast: drawn ones are kept, each in its size and colour.
void paintGlyph(QPainter& painter, const QByteArray& svg, const QColor& color, const QRectF& rect);

/// Draws resources/icons/<name>.svg likewise.
void paintIcon(QPainter& painter, const QString& name, const QColor& color, const QRectF& rect);

/// The icon of a block, as SVG; a question mark for one that this version does not know, nullptr.
QByteArray blockGlyph(const BlockSpec* spec);

/// A block's glyph on a tile in the colour of its category.
void paintBlockTile(QPainter& painter, const BlockSpec* spec, const QRectF& tile, const Theme& theme);

} // namespace unroll
