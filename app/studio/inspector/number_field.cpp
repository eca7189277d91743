// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"

#include "app/studio/inspector/field_note.h"
#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/theme/style.h"

#include <QApplication>
#include <QDragMoveEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

/// a + b, held at the ends of what can be written.
std::int64_t heldSum(std::int64_t a, std::int64_t b)
{
    using Limits = std::numeric_limits<std::int64_t>;
    if (b > 0)
        return a > Limits::max() - b ? Limits::max() : a + b;
    return a < Limits::min() - b ? Limits::min() : a + b;
}

std::uint64_t heldStep(std::uint64_t a, int b)
{
    using Limits = std::numeric_limits<std::uint64_t>;
    const auto size = static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(b)));
    return b > 0 ? a + std::min(size, Limits::max() - a) : a - std::min(size, a);
}

/// One press up or down: a tenth of the leading power of ten, so 0.001 goes to 0.0011 and 0.3 to 0.31.
double realStep(double value)
{
    return value == 0 ? 0.1 : std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-9) - 1);
}

/// Digits behind the point of a number as it is written: 3 of 0.025, 8 of 1e-8.
int decimalsOf(double value)
{
    const QString text = numberText(value);
    const qsizetype e = text.indexOf('e'), point = text.indexOf('.');
    const qsizetype end = e < 0 ? text.size() : e;
    const qsizetype behind = point < 0 ? 0 : end - point - 1;
    return static_cast<int>(behind) - (e < 0 ? 0 : text.mid(e + 1).toInt());
}

/// Through a text of so many decimals as the two have, so that repeated steps gather no dust and no digit that was
/// typed is lost.
double steppedReal(double from, int steps)
{
    const double step = realStep(from), sum = from + steps * step;
    const int decimals = std::max(decimalsOf(from), decimalsOf(step));
    constexpr int most = 300;
    return decimals < 0 || decimals > most || !std::isfinite(sum) ? sum
                                                                  : QString::number(sum, 'f', decimals).toDouble();
}

double sizeOf(const Number& number)
{
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

} // namespace

NumberField::NumberField(NumberKind kind, const QString& unit, QWidget* parent)
    : QAbstractSpinBox(parent), m_kind(kind), m_unit(unit), m_note(new FieldNote(*this))
{
    setFocusPolicy(Qt::StrongFocus);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMilliseconds);
    setAcceptDrops(true);
    lineEdit()->installEventFilter(this);
    connect(&m_rest, &QTimer::timeout, this, &NumberField::finish);
    connect(this, &QAbstractSpinBox::editingFinished, this, &NumberField::finish);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberField::read);
    connect(lineEdit(), &QLineEdit::textChanged, this, [this] { update(); });
}

void NumberField::setRange(std::optional<double> least, std::optional<double> most, bool refuses)
{
    m_least = least;
    m_most = most;
    m_refuses = refuses;
}

void NumberField::setWordsElsewhere()
{
    m_note = nullptr;
}

void NumberField::setWordsFor(const Number& number, const QString& words)
{
    m_named = number;
    m_words = words;
    if (m_known == number)
        write(number);
    updateGeometry();
}

QString NumberField::written(const Number& value) const
{
    return m_named == value ? m_words : numberText(value);
}

void NumberField::setMixed(const QString& words)
{
    if (std::exchange(m_isMixed, true))
        return; // what is half typed stays
    lineEdit()->setPlaceholderText(words);
    lineEdit()->clear();
    m_known.reset();
    m_before.reset();
}

void NumberField::setNumber(const Number& value)
{
    m_isMixed = false;
    if (m_known == value)
        return;
    write(value);
    m_before = value;
}

void NumberField::write(const Number& value)
{
    m_known = value;
    lineEdit()->setText(written(value));
    if (!hasFocus())
        lineEdit()->setCursorPosition(0); // where there is no room for all of it, its beginning says more
}

void NumberField::read()
{
    m_rest.stop(); // a hand that types may rest
    if (const auto read = typed()) {
        m_known = read->value;
        tell({});
        Q_EMIT edited(read->value);
    } else {
        tell(read.error());
    }
}

tl::expected<TypedNumber, QString> NumberField::typed() const
{
    if (m_named && lineEdit()->text().trimmed() == m_words)
        return TypedNumber{*m_named};
    auto read = readNumber(lineEdit()->text(), m_kind, m_unit);
    if (read && m_refuses && !isWithin(read->value))
        return tl::unexpected(tr("“%1” is out of range: %2.").arg(numberText(read->value), paramRangeText()));
    return read;
}

std::optional<Number> NumberField::number() const
{
    const auto read = typed();
    return read ? std::optional<Number>(read->value) : std::nullopt;
}

bool NumberField::isWithin(const Number& value) const
{
    const double size = sizeOf(value);
    return (!m_least || size >= *m_least) && (!m_most || size <= *m_most);
}

QString NumberField::paramRangeText() const
{
    return unroll::paramRangeText({.minimum = m_least, .maximum = m_most, .unit = m_unit.toStdString()});
}

void NumberField::finish()
{
    m_rest.stop();
    const auto read = typed();
    if (!read && !m_before && !m_isMixed)
        m_before = m_known; // typed where several were
    if (!read && m_isMixed) {
        const QString words = text().isEmpty() ? QString() : tr("%1 They stay as they are.").arg(read.error());
        lineEdit()->clear();
        tell(words);
    } else if (!read && m_before) {
        const Number before = *m_before;
        const QString words = tr("%1 It stays %2.").arg(read.error(), written(before));
        write(before);
        Q_EMIT edited(before);
        tell(words);
    }
    m_before = number();
    if (m_before && text() != written(*m_before))
        write(*m_before); // "64 " or "1e-3", as we write it
    if (read && read->isRounded)
        tell(tr("Stored as %1: numbers have at most 17 digits.").arg(text()));
    forgetTyping(*lineEdit());
    Q_EMIT finished();
}

void NumberField::tell(const QString& words)
{
    if (m_note != nullptr) {
        m_note->say(words);
        restyle(*this, "wrong", !words.isEmpty() && !number());
    }
    Q_EMIT misread(words);
}

/// Nothing where the step would leave the range.
std::optional<Number> NumberField::stepped(const Number& from, int steps) const
{
    const bool doubles = QApplication::keyboardModifiers() & Qt::ControlModifier;
    Number next = from;
    if (const auto* whole = std::get_if<std::int64_t>(&from))
        next = !doubles ? heldSum(*whole, steps) : steps > 0 ? heldSum(*whole, *whole) : *whole / 2;
    else if (const auto* seed = std::get_if<std::uint64_t>(&from))
        next = heldStep(*seed, steps);
    else
        next = steppedReal(std::get<double>(from), steps);
    if (const auto* real = std::get_if<double>(&next); real != nullptr && !std::isfinite(*real))
        return {}; // at the ends of what can be written
    const bool leaves = !isWithin(next) && (isWithin(from) || std::abs(sizeOf(next)) > std::abs(sizeOf(from)));
    return next == from || leaves ? std::nullopt : std::optional<Number>(next);
}

void NumberField::stepBy(int steps)
{
    const auto shown = number();
    const auto next = shown ? stepped(*shown, steps) : std::nullopt;
    if (!next)
        return;
    write(*next);
    m_rest.start();
    tell({});
    Q_EMIT edited(*next);
}

QAbstractSpinBox::StepEnabled NumberField::stepEnabled() const
{
    const auto shown = number();
    StepEnabled can = StepNone;
    if (shown && stepped(*shown, 1))
        can |= StepUpEnabled;
    if (shown && stepped(*shown, -1))
        can |= StepDownEnabled;
    return can;
}

/// Any text may stand here: what it lacks is said in words. A key that did nothing would make another number of the
/// rest.
QValidator::State NumberField::validate(QString&, int&) const
{
    return QValidator::Acceptable;
}

QSize NumberField::sizeHint() const
{
    const int digits = fontMetrics().horizontalAdvance("00000000"), words = fontMetrics().horizontalAdvance(m_words);
    return {std::max(digits, words) + 52, QAbstractSpinBox::minimumSizeHint().height()};
}

bool NumberField::event(QEvent* event)
{
    return leavesUndo(*event, *lineEdit()) || handleDrop(*event) || QAbstractSpinBox::event(event);
}

bool NumberField::eventFilter(QObject* watched, QEvent* event)
{
    return (watched == lineEdit() && handleDrop(*event)) || QAbstractSpinBox::eventFilter(watched, event);
}

/// What is dropped is the whole number, not a part of it; files are for the window. False: nothing was dropped.
bool NumberField::handleDrop(QEvent& event)
{
    if (event.type() != QEvent::DragEnter && event.type() != QEvent::DragMove && event.type() != QEvent::Drop)
        return false;
    auto& drop = static_cast<QDropEvent&>(event);
    const QMimeData& dropped = *drop.mimeData();
    drop.setAccepted(dropped.hasText() && !dropped.hasUrls());
    if (!drop.isAccepted())
        return true;
    drop.setDropAction(Qt::CopyAction);
    if (event.type() != QEvent::Drop)
        return true;
    lineEdit()->selectAll();
    lineEdit()->insert(dropped.text());
    finish();
    return true;
}

void NumberField::wheelEvent(QWheelEvent* event)
{
    // Scrolling a panel must not change what the cursor happens to pass over.
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

void NumberField::paintEvent(QPaintEvent* event)
{
    QAbstractSpinBox::paintEvent(event);
    const int right = width() - 24;
    const int free = right - 14 - fontMetrics().horizontalAdvance(lineEdit()->text());
    if (m_unit.isEmpty() || (m_named && m_known == m_named) || free < fontMetrics().horizontalAdvance(m_unit))
        return;
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRect(0, 0, right, height()), Qt::AlignRight | Qt::AlignVCenter, m_unit);
}

} // namespace unroll
