// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/palette_popup.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kShadowWidth = space::s;
constexpr int kBorder = 1;
constexpr int kMostRows = 14;
constexpr int kLettersWide = 78; ///< of average width

/// Whether the focus went to another widget of the window, and not only away for a while, with the window or to a menu.
bool isMove(Qt::FocusReason reason)
{
    return reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason && reason != Qt::MenuBarFocusReason;
}

} // namespace

PalettePopup::PalettePopup(const BlockRegistry& registry, RecentBlocks recent, const Appearance& appearance,
                           QWidget* parent)
    : QWidget(parent),
      m_recent(recent),
      m_appearance(appearance),
      m_picker(new BlockPicker(registry, appearance, BlockPicker::Kind::Passing, this))
{
    setObjectName("palettePopup");
    setProperty(kHelpTopicProperty, "palette");
    setAccessibleName(tr("Add a block"));
    setAttribute(Qt::WA_NoMousePropagation);
    setFocusPolicy(Qt::ClickFocus); // a press on the list leaves the focus where it is
    setFocusProxy(&m_picker->field());
    hide();
    connect(m_picker, &BlockPicker::searched, this, &PalettePopup::fit);
    connect(m_picker, &BlockPicker::escaped, this, &PalettePopup::dismiss);
    connect(m_picker, &BlockPicker::picked, this, [this](const QString& blockId) {
        leave();
        Q_EMIT chosen(blockId);
    });
}

void PalettePopup::openAt(const QPoint& global, BlockFilter fits)
{
    dismiss();
    m_cameFrom = window()->focusWidget();
    m_corner = parentWidget()->mapFromGlobal(global);
    m_picker->restart(m_recent.entries(), std::move(fits));
    show();
    raise();
    m_picker->list().scrollToTop();
    m_picker->field().setFocus(Qt::PopupFocusReason);
    qApp->installEventFilter(this);
}

void PalettePopup::dismiss()
{
    if (!isOpen())
        return;
    leave();
    Q_EMIT dismissed();
}

void PalettePopup::leave()
{
    qApp->removeEventFilter(this);
    const bool hasFocus = window()->focusWidget() == &m_picker->field();
    if (hasFocus && m_cameFrom != nullptr)
        m_cameFrom->setFocus(Qt::PopupFocusReason);
    hide();
}

/// As high as what is listed. It stands where the longest list would have room, so that it does not move while one
/// types.
void PalettePopup::fit()
{
    const QWidget& ground = *parentWidget();
    BlockList& list = m_picker->list();
    list.setFixedHeight(std::min({list.contentHeight(), kMostRows * list.blockHeight(), ground.height() / 2}));
    const int wide = std::min(fontMetrics().averageCharWidth() * kLettersWide, ground.width());
    const int around = 2 * (kShadowWidth + kBorder);
    const int high = m_picker->heightFor(wide - around) + around;
    resize(wide, high);
    const QPoint corner = m_corner - card().topLeft();
    if (!isOpen())
        move(std::clamp(corner.x(), 0, std::max(0, ground.width() - wide)),
             std::clamp(corner.y(), 0, std::max(0, ground.height() - high)));
}

QRect PalettePopup::card() const
{
    return rect().adjusted(kShadowWidth, kShadowWidth, -kShadowWidth, -kShadowWidth);
}

void PalettePopup::resizeEvent(QResizeEvent*)
{
    m_picker->setGeometry(card().adjusted(kBorder, kBorder, -kBorder, -kBorder));
}

/// Sees all of the program's events while open: a press beside it goes where it was meant, and closes.
bool PalettePopup::eventFilter(QObject* watched, QEvent* event)
{
    const QLineEdit* field = &m_picker->field();
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        const QPointF at = static_cast<QMouseEvent*>(event)->globalPosition();
        if (!card().contains(mapFromGlobal(at.toPoint())))
            dismiss();
        break;
    }
    case QEvent::FocusOut:
        if (watched == field && isMove(static_cast<QFocusEvent*>(event)->reason())) {
            m_cameFrom.clear(); // it has gone where it was wanted
            dismiss();
        }
        break;
    case QEvent::Resize:
        if (watched == parentWidget())
            dismiss();
        break;
    default: break;
    }
    return false;
}

void PalettePopup::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    QColor shadow = theme[Theme::Role::NodeShadow];
    for (const auto& [spread, alpha] : {std::pair{6, 6}, {4, 9}, {2, 14}}) {
        shadow.setAlpha(theme.isDark() ? 3 * alpha : alpha);
        painter.setBrush(shadow);
        painter.drawRoundedRect(card().adjusted(-spread, 2 - spread, spread, 2 + spread), space::radius + spread,
                                space::radius + spread);
    }
    painter.setPen(theme[Theme::Role::FieldBorder]);
    painter.setBrush(theme[Theme::Role::Panel]);
    painter.drawRoundedRect(QRectF(card()).adjusted(0.5, 0.5, -0.5, -0.5), space::radius, space::radius);
}

} // namespace unroll
