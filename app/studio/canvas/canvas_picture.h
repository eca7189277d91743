// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>

namespace unroll {

class Appearance;
class GraphScene;

enum class PictureFormat { Png, Svg };

/// All that the canvas shows, nodes drawn over time included, in the current theme, nothing selected. PNG with twice as
/// many pixels as units of the scene, fewer where a side would have more than kMostPicturePixels; SVG with one unit a
/// pixel. Empty: nothing is there.
QByteArray canvasPicture(GraphScene& scene, const Appearance& appearance, PictureFormat format);

constexpr double kPicturePixelRatio = 2;
constexpr double kMostPicturePixels = 16000; ///< of a side

} // namespace unroll
