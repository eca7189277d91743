// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/token_text.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double kMargin = space::m;
constexpr double kAbove = 3; ///< px over and under the letters, within their ground

bool isMove(const QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End: return !(event.modifiers() & Qt::AltModifier);
    default: return false;
    }
}

/// What ends a line of the text, as vocabularies show it.
bool endsLine(const QString& text)
{
    return text == QChar('\n') || text == QChar(0x21b5) || text == QChar(0x23ce) || text == QChar(0x00b6) ||
           text == QStringLiteral("\\n");
}

} // namespace

TokenText::TokenText(const Appearance& appearance, QWidget* parent)
    : QAbstractScrollArea(parent), m_appearance(appearance)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    setAccessibleName(tr("Text"));
    connect(&appearance, &Appearance::changed, this, &TokenText::layOut);
}

QFont TokenText::textFont() const
{
    return m_appearance.font(m_characters ? Type::Mono : Type::Body);
}

void TokenText::setTokens(std::vector<Token> tokens, bool characters)
{
    const bool same = characters == m_characters && tokens.size() == m_tokens.size() &&
                      std::equal(tokens.begin(), tokens.end(), m_tokens.begin(),
                                 [](const Token& a, const Token& b) { return a.text == b.text; });
    m_tokens = std::move(tokens);
    m_characters = characters;
    if (same)
        viewport()->update();
    else
        layOut();
}

TokenText::Laid TokenText::laidOut(double width) const
{
    const QFontMetricsF metrics(textFont());
    const double high = metrics.height() + 2 * kAbove;
    const double gap = m_characters ? 0 : 2, around = m_characters ? 0 : 3;
    const double least = m_characters ? metrics.horizontalAdvance('m') : 10;
    Laid laid;
    double x = kMargin, y = space::xs;
    laid.lines = m_tokens.empty() ? 0 : 1;
    const auto nextLine = [&] {
        x = kMargin;
        y += high + 3;
        ++laid.lines;
    };
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const double wide = std::max(least, metrics.horizontalAdvance(m_tokens[i].text) + 2 * around);
        if (x > kMargin && x + wide > width - kMargin)
            nextLine();
        laid.places.emplace_back(x, y, wide, high);
        x += wide + gap;
        if (endsLine(m_tokens[i].text) && i + 1 < m_tokens.size())
            nextLine();
    }
    return laid;
}

int TokenText::heightFor(int width) const
{
    const Laid laid = laidOut(width);
    return laid.places.empty() ? 0 : static_cast<int>(std::ceil(laid.places.back().bottom())) + space::xs;
}

void TokenText::layOut()
{
    Laid laid = laidOut(viewport()->width());
    m_places = std::move(laid.places);
    m_lines = laid.lines;
    const int high = m_places.empty() ? 0 : static_cast<int>(std::ceil(m_places.back().bottom())) + space::xs;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(m_places.empty() ? 1 : static_cast<int>(m_places.front().height()));
    verticalScrollBar()->setRange(0, std::max(0, high - viewport()->height()));
    viewport()->update();
}

void TokenText::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

/// Its place and the frame of the current step around it.
void TokenText::updateToken(std::int64_t step)
{
    if (isToken(step))
        viewport()->update(placeOf(step).adjusted(-3, -3, 3, 3).toAlignedRect());
}

void TokenText::setStep(std::int64_t step)
{
    updateToken(m_step);
    m_step = step;
    const auto index = static_cast<std::size_t>(std::max<std::int64_t>(step, 0));
    setAccessibleDescription(
        step >= 0 && index < m_tokens.size() ? tr("step %1: %2").arg(step + 1).arg(m_tokens[index].text) : QString());
    updateToken(m_step);
}

void TokenText::setSpan(std::int64_t from, std::int64_t to)
{
    if (const StepSpan span{from, to}; span != m_span) {
        m_span = span;
        viewport()->update();
    }
}

QRectF TokenText::placeOf(std::int64_t step) const
{
    return m_places[static_cast<std::size_t>(step)].translated(0, -verticalScrollBar()->value());
}

std::optional<std::int64_t> TokenText::at(const QPointF& position) const
{
    for (std::size_t i = 0; i < m_places.size(); ++i)
        if (placeOf(static_cast<std::int64_t>(i)).adjusted(0, -1.5, 2, 1.5).contains(position))
            return static_cast<std::int64_t>(i);
    return std::nullopt;
}

void TokenText::paintToken(QPainter& painter, std::int64_t step) const
{
    const Theme& theme = m_appearance.theme();
    const QRectF place = placeOf(step);
    const Token& token = m_tokens[static_cast<std::size_t>(step)];
    const QColor ground = token.ground.isValid() ? token.ground : theme[Theme::Role::Panel];
    if (token.missing)
        painter.fillRect(place, QBrush(theme[Theme::Role::HeatMissing], Qt::BDiagPattern));
    else if (token.ground.isValid())
        painter.fillRect(place, ground);
    const QColor ink = theme[Theme::Role::Text], paper = theme[Theme::Role::Panel];
    painter.setPen(contrastRatio(ink, ground) >= contrastRatio(paper, ground) ? ink : paper);
    painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, token.text);
    if (m_span.has(step))
        painter.fillRect(QRectF(place.left(), place.bottom() - 2, place.width(), 2), theme[Theme::Role::Accent]);
}

/// The cursor moves from token to token: only those near what changed are drawn again.
void TokenText::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    const Theme& theme = m_appearance.theme();
    painter.setFont(textFont());
    for (std::int64_t step = 0; isToken(step); ++step)
        if (event->region().intersects(placeOf(step).adjusted(-3, -3, 3, 3).toAlignedRect()))
            paintToken(painter, step);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isToken(m_step))
        for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 4.0}, {Theme::Role::Text, 1.6}}) {
            painter.setPen(QPen(theme[role], width));
            painter.drawRect(placeOf(m_step).adjusted(-0.5, -0.5, 0.5, 0.5));
        }
    if (hasFocus()) {
        painter.setPen(QPen(theme[Theme::Role::Focus], 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void TokenText::hold(std::int64_t step)
{
    reveal(step);
    Q_EMIT stepHeld(step);
}

void TokenText::reveal(std::int64_t step)
{
    const QRectF place = m_places[static_cast<std::size_t>(step)];
    QScrollBar& bar = *verticalScrollBar();
    if (place.top() < bar.value())
        bar.setValue(static_cast<int>(place.top()) - space::xs);
    else if (place.bottom() > bar.value() + viewport()->height())
        bar.setValue(static_cast<int>(std::ceil(place.bottom())) + space::xs - viewport()->height());
}

void TokenText::mousePressEvent(QMouseEvent* event)
{
    const auto step = at(event->position());
    if (event->button() != Qt::LeftButton || !step)
        return;
    m_drags = !(event->modifiers() & Qt::ShiftModifier);
    if (m_drags)
        return hold(*step);
    m_brush.begin(*step);
    brush(m_brush.to(*step));
}

void TokenText::mouseMoveEvent(QMouseEvent* event)
{
    const auto step = at(event->position());
    if (step && m_brush.isUnderWay() && event->buttons() & Qt::LeftButton)
        brush(m_brush.to(*step));
    else if (step && m_drags)
        hold(*step);
    else
        Q_EMIT stepPointed(step.value_or(-1));
}

void TokenText::mouseReleaseEvent(QMouseEvent*)
{
    m_brush.end();
    m_drags = false;
}

void TokenText::leaveEvent(QEvent*)
{
    Q_EMIT stepPointed(-1);
}

bool TokenText::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && isMove(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

/// So many lines further, at the same place in the line as near as can be.
std::optional<std::int64_t> TokenText::inLine(std::int64_t from, int lines) const
{
    const QRectF here = m_places[static_cast<std::size_t>(from)];
    const double wanted = here.top() + lines * (here.height() + 3);
    std::optional<std::int64_t> found;
    double least = 0;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const double apart = std::abs(m_places[i].center().x() - here.center().x());
        if (std::abs(m_places[i].top() - wanted) < 1 && (!found || apart < least)) {
            found = static_cast<std::int64_t>(i);
            least = apart;
        }
    }
    return found;
}

/// Where a key leads from the current step; nothing: it is for no move.
std::optional<std::int64_t> TokenText::led(int key, std::int64_t pace) const
{
    const auto last = static_cast<std::int64_t>(m_places.size()) - 1;
    const std::int64_t from = std::clamp<std::int64_t>(m_step, 0, last);
    switch (key) {
    case Qt::Key_Left: return std::max<std::int64_t>(0, from - pace);
    case Qt::Key_Right: return std::min(last, from + pace);
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return last;
    case Qt::Key_Up: return inLine(from, -1).value_or(from);
    case Qt::Key_Down: return inLine(from, 1).value_or(from);
    default: return std::nullopt;
    }
}

/// Escape lets the step go first, then the span.
void TokenText::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && (m_step >= 0 || !m_span.isEmpty())) {
        m_brush.end();
        if (m_step >= 0)
            Q_EMIT released();
        else
            brush({});
        return;
    }
    const std::int64_t pace = m_step < 0 ? 0 : event->modifiers() & Qt::ControlModifier ? 10 : 1;
    const auto step = m_places.empty() || !isMove(*event) ? std::nullopt : led(event->key(), pace);
    if (!step)
        return QAbstractScrollArea::keyPressEvent(event);
    const std::int64_t before = m_step;
    const bool brushes = event->modifiers() & Qt::ShiftModifier;
    if (!brushes)
        m_brush.end();
    hold(*step);
    if (brushes)
        brush(m_brush.by(before, *step));
}

} // namespace unroll
