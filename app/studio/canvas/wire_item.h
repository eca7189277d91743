// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"
#include "core/graph/graph.h"

#include <QGraphicsItem>
#include <QPainterPath>
#include <QString>

#include <algorithm>
#include <cmath>

namespace unroll {

class Appearance;

/// A wire from left to right: a cubic that leaves and arrives level, in the colour of what it carries, with the shape
/// written on it.
class WireItem : public QGraphicsItem {
public:
    enum { Type = UserType + 2 };

    WireItem(Wire wire, const Appearance& appearance);

    const Wire& wire() const { return m_wire; }
    int type() const override { return Type; }
    void setEnds(const QPointF& from, const QPointF& to);
    /// What it carries; an empty shape is not written. A wire that is part of a mistake is dashed.
    void setLook(PortType type, const QString& shape, bool wrong);
    void setWritten(bool written); ///< false: a wire beside it from the same port says the shape
    /// The shape speaks for a wire beside this one too. It is written above both where they run nearly level: on one it
    /// would cut the other.
    void speakFor(const WireItem* other); ///< besides those before; nullptr: for this one alone
    bool isWritten() const { return m_written; }
    const QRectF& labelRect() const { return m_label; } ///< empty where the wire is too short for its words
    QRectF wordsRect() const { return m_label.translated(0, -m_raisedBy); } ///< where the shape is written
    void setLit(bool lit);                                                  ///< a node would go here
    /// Written in place of the shape, where setWordsPlace() says; empty: nothing. Pale words are not of now.
    /// `size`: times that of the shape.
    void setWords(const QString& words, const QString& tip, bool pale, double size);
    void setWordsPlace(const QRectF& place); ///< scene coordinates; empty: they have no room
    const QString& words() const { return m_words; }
    const QRectF& wordsPlace() const { return m_wordsPlace; }
    QSizeF wordsSize() const;
    QPointF pointAt(double share) const { return m_path.pointAtPercent(share); } ///< of the way from its output
    bool runsThrough(const QRectF& area) const;                                  ///< scene coordinates
    QPointF middle() const { return m_path.pointAtPercent(0.5); }
    const QString& shapeText() const { return m_shape; }
    PortType carries() const { return m_carries; }

    QRectF boundingRect() const override { return m_bounds; }
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void placeLabel();
    void findBounds();
    QFont fontOf(double size) const;
    void paintOn(QPainter& painter, const QRectF& place, const QString& words, const QColor& ink, double size) const;
    double top() const { return std::min(m_from.y(), m_to.y()); }
    bool isLevel() const { return std::abs(m_to.y() - m_from.y()) <= 2 * m_label.height(); }

    Wire m_wire;
    const Appearance& m_appearance;
    QPainterPath m_path;
    QRectF m_bounds;
    QPointF m_from;
    QPointF m_to;
    PortType m_carries = PortType::Sequence;
    QString m_shape;
    QRectF m_label;
    double m_raisedBy = 0; ///< of the shape, from its place on the wire
    QString m_words;
    QRectF m_wordsPlace;
    double m_wordsSize = 1;
    bool m_pale = false;
    bool m_wrong = false;
    bool m_written = true;
    bool m_lit = false;
};

/// The curve of a wire between two points.
QPainterPath wirePath(const QPointF& from, const QPointF& to);

} // namespace unroll
