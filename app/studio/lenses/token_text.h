// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/span_brush.h"

#include <QAbstractScrollArea>
#include <QColor>
#include <QRectF>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

class QPainter;

namespace unroll {

class Appearance;

/// The tokens of a reading as running text, each on a ground of its own: wraps, scrolls, and has one current step,
/// which a click or the arrow keys hold and Escape lets go, and a span, which a drag or the arrow keys brush with
/// Shift.
class TokenText : public QAbstractScrollArea {
    Q_OBJECT
public:
    struct Token {
        QString text;
        QColor ground = {};   ///< invalid: that of the view
        bool missing = false; ///< its value is not a number: hatched
    };

    explicit TokenText(const Appearance& appearance, QWidget* parent = nullptr);

    /// Single characters stand close, in a font of equal widths; words have a gap between them.
    void setTokens(std::vector<Token> tokens, bool characters);
    const std::vector<Token>& tokens() const { return m_tokens; }
    void setStep(std::int64_t step);                  ///< -1: none. A held one comes into sight
    void setSpan(std::int64_t from, std::int64_t to); ///< `to` excluded; -1: none
    std::int64_t step() const { return m_step; }
    std::optional<std::int64_t> at(const QPointF& position) const; ///< of the viewport
    QRectF placeOf(std::int64_t step) const;                       ///< likewise
    int lines() const { return m_lines; }
    int heightFor(int width) const; ///< of all lines
    QSize sizeHint() const override { return {480, 120}; }
    QSize minimumSizeHint() const override { return {160, 48}; }

Q_SIGNALS:
    void stepPointed(std::int64_t step); ///< by the pointer; -1: it has gone
    void stepHeld(std::int64_t step);
    void released();
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Laid {
        std::vector<QRectF> places;
        int lines = 0;
    };
    QFont textFont() const;
    bool isToken(std::int64_t step) const { return step >= 0 && step < std::ssize(m_places); }
    void updateToken(std::int64_t step);
    void paintToken(QPainter& painter, std::int64_t step) const;
    Laid laidOut(double width) const;
    void layOut();
    void reveal(std::int64_t step);
    std::optional<std::int64_t> inLine(std::int64_t from, int lines) const;
    void hold(std::int64_t step);
    void brush(const StepSpan& span) { Q_EMIT spanBrushed(span.from, span.to); }
    std::optional<std::int64_t> led(int key, std::int64_t pace) const;

    const Appearance& m_appearance;
    std::vector<Token> m_tokens;
    bool m_characters = true;
    std::vector<QRectF> m_places; ///< of each token, from the top of the text
    int m_lines = 0;
    std::int64_t m_step = -1;
    StepSpan m_span;
    SpanBrush m_brush;
    bool m_drags = false;
};

} // namespace unroll
