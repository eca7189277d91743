// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/lesson_step_button.h"

#include "app/studio/start/start_button.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QPainter>

namespace unroll {

LessonStepButton::LessonStepButton(const Appearance& appearance, int number, const QString& sentence, QWidget* parent)
    : QAbstractButton(parent), m_appearance(appearance), m_number(QString::number(number))
{
    setText(sentence);
    setAccessibleName(sentence);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&appearance, &Appearance::changed, this, QOverload<>::of(&QWidget::update));
    setState(State::Later);
}

void LessonStepButton::setState(State state)
{
    m_state = state;
    setAccessibleDescription(state == State::Done ? tr("Done") : state == State::Next ? tr("Next") : QString());
    setToolTip(state == State::Done ? tr("Done. Click to show the place again.") : tr("Click to show the place."));
    update();
}

int LessonStepButton::markSide() const
{
    return QFontMetrics(m_appearance.font(Type::Body)).height() + 2;
}

int LessonStepButton::textLeft() const
{
    return space::xs + markSide() + space::s;
}

/// Room is kept for strong letters, so that nothing moves as steps are done.
QFont LessonStepButton::textFont() const
{
    return m_appearance.font(Type::Strong);
}

int LessonStepButton::heightForWidth(int width) const
{
    const int inner = std::max(width - textLeft() - space::s, 1);
    return std::max(wrappedHeight(textFont(), text(), inner), markSide()) + 2 * space::xs;
}

QSize LessonStepButton::sizeHint() const
{
    const int width = textLeft() + QFontMetrics(textFont()).horizontalAdvance(text()) + space::s + 2;
    return {width, heightForWidth(width)};
}

/// A few words stay on one line; a sentence wraps at any of its words.
QSize LessonStepButton::minimumSizeHint() const
{
    constexpr int fewCharacters = 18;
    const QFontMetrics metrics(textFont());
    int longest = text().size() <= fewCharacters ? metrics.horizontalAdvance(text()) : 0;
    for (const QString& word : text().split(' '))
        longest = std::max(longest, metrics.horizontalAdvance(word));
    return {textLeft() + longest + space::s + 2, markSide() + 2 * space::xs};
}

void LessonStepButton::paintMark(QPainter& painter, const QRectF& place) const
{
    using R = Theme::Role;
    const Theme& theme = m_appearance.theme();
    if (m_state == State::Done) {
        paintIcon(painter, "check", theme[R::Good], place);
        return;
    }
    const bool next = m_state == State::Next;
    painter.setPen(QPen(theme[next ? R::Accent : R::TextDim], 1));
    painter.setBrush(next ? theme[R::Accent] : QColor(Qt::transparent));
    painter.drawEllipse(place.adjusted(1, 1, -1, -1));
    painter.setPen(theme[next ? R::TextOnAccent : R::TextDim]);
    painter.setFont(m_appearance.font(Type::Caption));
    painter.drawText(place, Qt::AlignCenter, m_number);
}

void LessonStepButton::paintEvent(QPaintEvent*)
{
    using R = Theme::Role;
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() ? QPen(theme[R::Focus], 1.5) : QPen(Qt::NoPen));
    painter.setBrush(isDown() || underMouse() ? theme[R::Pressed] : QColor(Qt::transparent));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), space::radiusSmall, space::radiusSmall);
    const int side = markSide();
    const int line = QFontMetrics(textFont()).height();
    paintMark(painter, QRectF(space::xs, space::xs + (line - side) / 2.0 + 1, side, side));
    painter.setFont(m_state == State::Next ? textFont() : m_appearance.font(Type::Body));
    painter.setPen(theme[m_state == State::Done ? R::TextDim : R::Text]);
    painter.drawText(rect().adjusted(textLeft(), space::xs, -space::s, 0), Qt::TextWordWrap, text());
}

void LessonStepButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

} // namespace unroll
