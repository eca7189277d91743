// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/start/gallery_item.h"
#include "app/studio/start/start_button.h"

#include <QPixmap>
#include <array>

namespace unroll {

/// An experiment of the gallery: its graph as a picture, its title, what to look at, the blocks it is made of, how long
/// it trains.
class GalleryCard : public StartButton {
    Q_OBJECT
public:
    GalleryCard(GalleryItem item, const BlockRegistry& registry, const Appearance& appearance,
                QWidget* parent = nullptr);

    const GalleryItem& item() const { return m_item; }
    const std::vector<BlockTag>& tags() const { return m_tags; }
    int heightForWidth(int width) const override;
    int preferredWidth() const override;
    int leastWidth() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Where everything lies at a width.
    struct Places {
        QRect picture, title, summary, time;
        std::vector<QRect> tags;
        int height = 0;
    };
    Places places(int width) const;
    int placeTags(Places& places, int left, int top, int width) const;
    const QPixmap& picture(const QSize& size);
    void paintTags(QPainter& painter, const Places& places) const;

    GalleryItem m_item;
    const BlockRegistry& m_registry;
    std::vector<BlockTag> m_tags;
    QString m_time;
    std::array<QPixmap, 2> m_pictures; ///< light and dark, drawn when first seen and when the size is another
};

} // namespace unroll
