// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>

namespace unroll {

class Appearance;
class Chart;

/// The chart in the current theme, without crosshair: at twice its size in pixels.
QImage chartImage(Chart& chart, const Appearance& appearance);
QByteArray chartPng(Chart& chart, const Appearance& appearance);
/// Likewise as SVG, its words as text.
QByteArray chartSvg(Chart& chart, const Appearance& appearance);

} // namespace unroll
