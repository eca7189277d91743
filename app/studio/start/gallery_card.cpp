// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/gallery_card.h"

#include "app/studio/start/graph_picture.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kPictureHeight = 104;
constexpr int kLettersWide = 18; ///< of a card, in heights of a line

} // namespace

GalleryCard::GalleryCard(GalleryItem item, const BlockRegistry& registry, const Appearance& appearance, QWidget* parent)
    : StartButton(appearance, parent),
      m_item(std::move(item)),
      m_registry(registry),
      m_tags(blockTags(m_item.graph, registry)),
      m_time(roughTime(m_item.lesson.trainingSeconds))
{
    setText(m_item.title);
    setAccessibleName(m_item.title);
    QStringList description{m_item.summary};
    for (const BlockTag& tag : m_tags)
        description << tag.words;
    if (!m_time.isEmpty()) {
        description << tr("trains in %1 on two cores").arg(m_time);
        setToolTip(tr("Trains in %1 on two cores.").arg(m_time));
    }
    setAccessibleDescription(description.join(QStringLiteral(", ")));
}

int GalleryCard::preferredWidth() const
{
    return kLettersWide * QFontMetrics(appearance().font(Type::Caption)).height();
}

int GalleryCard::leastWidth() const
{
    return preferredWidth() / 2;
}

int GalleryCard::heightForWidth(int width) const
{
    return places(width).height;
}

GalleryCard::Places GalleryCard::places(int width) const
{
    Places found;
    const int left = space::m, inner = std::max(width - 2 * space::m, 1);
    found.picture = QRect(1, 1, width - 2, kPictureHeight);
    int y = found.picture.bottom() + 1 + space::m;
    found.title = QRect(left, y, inner, wrappedHeight(appearance().font(Type::Strong), m_item.title, inner));
    y = found.title.bottom() + 1 + space::xs;
    found.summary = QRect(left, y, inner, wrappedHeight(appearance().font(Type::Body), m_item.summary, inner));
    y = found.summary.bottom() + 1 + space::s;
    found.height = placeTags(found, left, y, inner) + space::m;
    return found;
}

/// From left to right, on as many lines as it takes, the time last. Returns where they end.
int GalleryCard::placeTags(Places& places, int left, int top, int width) const
{
    const QFontMetrics text(appearance().font(Type::Caption));
    const int height = text.height() + space::xs;
    int x = left, y = top;
    const auto next = [&](const QString& words, int margins) {
        const int wide = std::min(text.horizontalAdvance(words) + margins, width);
        if (x > left && x + wide > left + width) {
            x = left;
            y += height + space::xs;
        }
        const QRect place(x, y, wide, height);
        x += wide + space::xs;
        return place;
    };
    for (const BlockTag& tag : m_tags)
        places.tags.push_back(next(tag.words, 2 * space::s));
    if (!m_time.isEmpty())
        places.time = next(m_time, 2 * space::xs);
    return m_tags.empty() && m_time.isEmpty() ? top : y + height;
}

const QPixmap& GalleryCard::picture(const QSize& size)
{
    const Theme& theme = appearance().theme();
    QPixmap& kept = m_pictures[theme.isDark() ? 1 : 0];
    if (kept.size() != size * devicePixelRatioF() || kept.devicePixelRatio() != devicePixelRatioF())
        kept = graphPicture(m_item.graph, m_registry, theme, size, devicePixelRatioF());
    return kept;
}

void GalleryCard::paintEvent(QPaintEvent*)
{
    using R = Theme::Role;
    const Theme& theme = appearance().theme();
    Places found = places(width());
    const int below = height() - found.height; // the tags of a row of cards stand at one height
    found.time.translate(0, below);
    for (QRect& tag : found.tags)
        tag.translate(0, below);
    QPainter painter(this);
    paintGround(painter);
    QPainterPath corners;
    corners.addRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), space::radius - 1, space::radius - 1);
    painter.save();
    painter.setClipPath(corners);
    painter.drawPixmap(found.picture.topLeft(), picture(found.picture.size()));
    painter.restore();
    painter.setPen(theme[R::Border]);
    painter.drawLine(found.picture.bottomLeft() + QPoint(1, 1), found.picture.bottomRight() + QPoint(-1, 1));
    painter.setPen(theme[R::Text]);
    painter.setFont(appearance().font(Type::Strong));
    painter.drawText(found.title, Qt::TextWordWrap, m_item.title);
    painter.setPen(theme[R::TextDim]);
    painter.setFont(appearance().font(Type::Body));
    painter.drawText(found.summary, Qt::TextWordWrap, m_item.summary);
    paintTags(painter, found);
}

void GalleryCard::paintTags(QPainter& painter, const Places& places) const
{
    const Theme& theme = appearance().theme();
    painter.setFont(appearance().font(Type::Caption));
    for (std::size_t i = 0; i < m_tags.size(); ++i) {
        const QRect& place = places.tags[i];
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.categoryFill(m_tags[i].category));
        painter.drawRoundedRect(place, space::radiusSmall, space::radiusSmall);
        painter.setPen(theme.categoryText(m_tags[i].category));
        painter.drawText(place, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(m_tags[i].words, Qt::ElideRight, place.width()));
    }
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(places.time, Qt::AlignCenter, m_time);
}

} // namespace unroll
