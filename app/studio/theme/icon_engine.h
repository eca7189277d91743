// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QIconEngine>

namespace unroll {

class Appearance;

/// An icon that asks the appearance for its colour each time it is drawn, so a change of theme needs no new icons.
/// The appearance must outlive it.
class IconEngine : public QIconEngine {
public:
    IconEngine(const Appearance& appearance, QString name, Theme::Role role);

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;

private:
    const Appearance& m_appearance;
    QString m_name;
    Theme::Role m_role;
};

} // namespace unroll
