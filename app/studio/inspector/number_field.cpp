// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"

#include "app/studio/theme/param_text.h"

#include <QApplication>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QWheelEvent>
#include <cmath>
#include <limits>

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

/// One press up or down: a tenth of the leading power of ten, so 0.001 goes to 0.0011 and 0.3 to 0.31.
double realStep(double value)
{
    return value == 0 ? 0.1 : std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-9) - 1);
}

} // namespace

NumberField::NumberField(bool isWhole, const QString& unit, QWidget* parent)
    : QAbstractSpinBox(parent), m_whole(isWhole), m_unit(unit)
{
    setFocusPolicy(Qt::StrongFocus);
    m_rest.setSingleShot(true);
    m_rest.setInterval(restMilliseconds);
    connect(&m_rest, &QTimer::timeout, this, &NumberField::finish);
    connect(this, &QAbstractSpinBox::editingFinished, this, &NumberField::finish);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberField::read);
    connect(lineEdit(), &QLineEdit::textChanged, this, [this] { update(); });
}

void NumberField::setNumber(const ParamValue& value)
{
    if (m_told == value)
        return;
    write(value);
    m_before = value;
}

void NumberField::write(const ParamValue& value)
{
    m_told = value;
    lineEdit()->setText(exactText(value));
    if (!hasFocus())
        lineEdit()->setCursorPosition(0); // where there is no room for all of it, its beginning says more
}

void NumberField::read()
{
    m_rest.stop(); // a hand that types may rest
    if (const auto value = number()) {
        m_told = value;
        Q_EMIT misread({});
        Q_EMIT edited(*value);
    } else {
        Q_EMIT misread(complaint());
    }
}

QString NumberField::complaint() const
{
    const QString text = lineEdit()->text().trimmed();
    if (text.isEmpty())
        return tr("A number is missing.");
    bool real = false;
    text.toDouble(&real);
    return (m_whole && real ? tr("“%1” is no whole number.") : tr("“%1” is no number.")).arg(text);
}

void NumberField::finish()
{
    m_rest.stop();
    if (!number() && m_before) {
        const ParamValue before = *m_before;
        const QString words = tr("%1 It stays %2.").arg(complaint(), exactText(before));
        write(before);
        Q_EMIT edited(before);
        Q_EMIT misread(words);
    }
    m_before = number();
    if (m_before && text() != exactText(*m_before))
        write(*m_before); // "64 " or "1e-3", as we write it
    Q_EMIT finished();
}

std::optional<ParamValue> NumberField::number() const
{
    bool ok = false;
    const QString text = lineEdit()->text().trimmed();
    if (m_whole) {
        const qlonglong whole = QLocale::c().toLongLong(text, &ok);
        return ok ? std::optional<ParamValue>(std::int64_t{whole}) : std::nullopt;
    }
    const double real = text.toDouble(&ok);
    return ok && std::isfinite(real) ? std::optional<ParamValue>(real) : std::nullopt;
}

void NumberField::stepBy(int steps)
{
    const auto shown = number();
    if (!shown)
        return;
    ParamValue next;
    if (m_whole) {
        const auto whole = std::get<std::int64_t>(*shown);
        const bool doubles = QApplication::keyboardModifiers() & Qt::ControlModifier;
        next = !doubles ? heldSum(whole, steps) : steps > 0 ? heldSum(whole, whole) : whole / 2;
    } else {
        const double step = realStep(std::get<double>(*shown));
        // Through the text of a rounded number, so that repeated steps gather no dust.
        const double real =
            QString::number(std::round(std::get<double>(*shown) / step + steps) * step, 'g', 12).toDouble();
        if (!std::isfinite(real)) // at the ends of what can be written
            return;
        next = real;
    }
    write(next);
    m_rest.start();
    Q_EMIT edited(next);
}

QValidator::State NumberField::validate(QString& text, int&) const
{
    static const QString allowed = QStringLiteral("0123456789+-.eE ");
    for (const QChar c : std::as_const(text))
        if (!allowed.contains(c))
            return QValidator::Invalid;
    return QValidator::Acceptable;
}

QSize NumberField::sizeHint() const
{
    return {fontMetrics().horizontalAdvance("00000000") + 44, QAbstractSpinBox::minimumSizeHint().height()};
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
    if (m_unit.isEmpty() || free < fontMetrics().horizontalAdvance(m_unit))
        return;
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRect(0, 0, right, height()), Qt::AlignRight | Qt::AlignVCenter, m_unit);
}

} // namespace unroll
