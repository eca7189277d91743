// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

class QPainter;

namespace unroll {

class Theme;

/// The soft shadow around a node's body, from a picture that is drawn once a theme: only its frame, for the body covers
/// the middle.
void paintShadow(QPainter& painter, const QRectF& body, const Theme& theme);

} // namespace unroll
