// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/elided_label.h"
#include "app/studio/theme/theme.h"
#include "tests/gui/look.h"
#include "tests/gui/look_parts.h"

#include <QImage>
#include <QLabel>
#include <QPixmap>
#include <cmath>

namespace unroll::test {

namespace {

/// Pixels in a row that tell ink from the rim of a letter that is only near.
constexpr int kLeastInk = 2;

/// The device pixels that belong to the place wholly.
QRect wholePixels(const QRectF& place, double ratio)
{
    const int left = static_cast<int>(std::ceil(place.left() * ratio));
    const int top = static_cast<int>(std::ceil(place.top() * ratio));
    const int right = static_cast<int>(std::floor((place.left() + place.width()) * ratio));
    const int bottom = static_cast<int>(std::floor((place.top() + place.height()) * ratio));
    return {left, top, right - left, bottom - top};
}

bool hasInk(const QImage& picture, const QRect& line, const QColor& ground)
{
    int together = 0;
    for (int y = line.top(); y <= line.bottom(); ++y)
        for (int x = line.left(); x <= line.right(); ++x) {
            together = contrastRatio(picture.pixelColor(x, y), ground) >= 3 ? together + 1 : 0;
            if (together >= kLeastInk)
                return true;
        }
    return false;
}

/// Nothing lies on it: a palette, a hint.
bool isOnTop(const QLabel& label, const QWidget& window)
{
    for (const QPoint& corner : {label.rect().topLeft(), label.rect().bottomRight()})
        if (window.childAt(label.mapTo(&window, corner)) != &label)
            return false;
    return true;
}

/// Nothing but words, all of which are seen.
bool isPlainText(const QLabel& label)
{
    return label.isEnabled() && !label.text().isEmpty() && label.pixmap().isNull() &&
           label.frameShape() == QFrame::NoFrame && qobject_cast<const ElidedLabel*>(&label) == nullptr &&
           label.visibleRegion() == QRegion(label.rect());
}

/// The sides at which words are cut: there they touch the edge of their place. Below they may: what hangs from a line
/// ends where it does.
QStringList cutSides(const QImage& picture, const QRect& place)
{
    const QColor ground = mostFrequent(picture, place);
    const std::pair<const char*, QRect> sides[] = {{"at the top", QRect(place.topLeft(), QSize(place.width(), 1))},
                                                   {"at the right", QRect(place.topRight(), QSize(1, place.height()))}};
    QStringList cut;
    for (const auto& [name, line] : sides)
        if (hasInk(picture, line & picture.rect(), ground))
            cut << QString::fromLatin1(name);
    return cut;
}

} // namespace

QStringList inkFaults(QWidget& window)
{
    const QImage picture = pictureOf(window);
    QStringList faults;
    for (const QWidget* widget : seenIn(window)) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (label == nullptr || !isPlainText(*label) || !isOnTop(*label, window))
            continue;
        const QRect words = label->contentsRect(); // at the outer edge a frame around the label may be drawn
        const QRectF place(label->mapTo(&window, words.topLeft()), words.size());
        for (const QString& side : cutSides(picture, wholePixels(place, picture.devicePixelRatio())))
            faults << "cut " + side + ": " + nameOf(*label);
    }
    return faults;
}

} // namespace unroll::test
