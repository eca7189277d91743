// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/primary_button.h"

#include "app/studio/theme/metrics.h"

#include <QAction>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <algorithm>

namespace unroll {

namespace {

/// The action's icon in the colour of the words: menus show the same one on another ground.
QPixmap inked(const QIcon& icon, int side, const QColor& ink)
{
    QPixmap picture = icon.pixmap(side, side);
    QPainter painter(&picture);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(picture.rect(), ink);
    return picture;
}

} // namespace

PrimaryButton::PrimaryButton(QAction* action, QStringList words, QWidget* parent)
    : QToolButton(parent), m_words(std::move(words))
{
    setObjectName("primary"); // before the style looks
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setDefaultAction(action);
}

QSize PrimaryButton::sizeHint() const
{
    int widest = 0;
    for (const QString& word : m_words)
        widest = std::max(widest, fontMetrics().horizontalAdvance(word));
    return {widest + iconSize().width() + space::xs + 2 * space::l, QToolButton::sizeHint().height()};
}

/// The style draws the button without words; it would put them to the left.
void PrimaryButton::paintEvent(QPaintEvent*)
{
    QStyleOptionToolButton option;
    initStyleOption(&option);
    const QString words = option.text;
    option.text.clear();
    option.icon = {};
    QStylePainter painter(this);
    painter.drawComplexControl(QStyle::CC_ToolButton, option);
    const int icon = iconSize().width();
    const int wide = icon + space::xs + fontMetrics().horizontalAdvance(words);
    const QRect place = QStyle::alignedRect(layoutDirection(), Qt::AlignCenter, {wide, height()}, rect());
    const QColor ink = palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText);
    painter.drawPixmap(QPointF(place.left(), (height() - icon) / 2.0), inked(this->icon(), icon, ink));
    painter.setPen(ink);
    painter.drawText(place.adjusted(icon + space::xs, 0, 1, 0), Qt::AlignVCenter | Qt::AlignLeft, words);
}

} // namespace unroll
