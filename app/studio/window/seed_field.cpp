// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/seed_field.h"

#include <QLineEdit>
#include <QWheelEvent>
#include <algorithm>
#include <limits>

namespace unroll {

SeedField::SeedField(QWidget* parent) : QAbstractSpinBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    lineEdit()->setText("0");
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] {
        if (const auto typed = seed()) {
            m_told = *typed;
            Q_EMIT edited(m_told);
        }
    });
    connect(this, &QAbstractSpinBox::editingFinished, this, [this] {
        lineEdit()->setText(QString::number(m_told));
        Q_EMIT finished();
    });
}

void SeedField::setSeed(std::uint64_t seed)
{
    if (m_told == seed)
        return;
    m_told = seed;
    lineEdit()->setText(QString::number(seed));
}

std::optional<std::uint64_t> SeedField::seed() const
{
    bool ok = false;
    const qulonglong number = lineEdit()->text().toULongLong(&ok);
    return ok ? std::optional<std::uint64_t>(number) : std::nullopt;
}

void SeedField::stepBy(int steps)
{
    const auto size = static_cast<std::uint64_t>(std::abs(steps));
    const std::uint64_t room = steps > 0 ? std::numeric_limits<std::uint64_t>::max() - m_told : m_told;
    const std::uint64_t change = std::min(size, room);
    setSeed(steps > 0 ? m_told + change : m_told - change);
    Q_EMIT edited(m_told);
}

QValidator::State SeedField::validate(QString& text, int&) const
{
    const bool digits =
        std::all_of(text.cbegin(), text.cend(), [](QChar c) { return c >= QLatin1Char('0') && c <= QLatin1Char('9'); });
    return digits && text.size() <= 20 ? QValidator::Acceptable : QValidator::Invalid;
}

void SeedField::wheelEvent(QWheelEvent* event)
{
    // Scrolling past must not change what a run begins from.
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

} // namespace unroll
