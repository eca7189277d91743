// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/run_order.h"

#include <algorithm>

namespace unroll {

namespace {

bool isDigit(QChar character)
{
    return character >= '0' && character <= '9';
}

/// Takes the digits that a text begins with.
QStringView takeNumber(QStringView& text)
{
    const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
    const QStringView number(text.begin(), end);
    text = QStringView(end, text.end());
    return number;
}

/// Of digits however many: below 0, 0 or above.
int compareNumbers(QStringView a, QStringView b)
{
    while (a.size() > 1 && a.front() == '0')
        a = a.mid(1);
    while (b.size() > 1 && b.front() == '0')
        b = b.mid(1);
    if (a.size() != b.size())
        return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
}

int compareTexts(QStringView a, QStringView b)
{
    const QStringView wholeA = a, wholeB = b;
    while (!a.isEmpty() && !b.isEmpty()) {
        int order = 0;
        if (isDigit(a.front()) && isDigit(b.front())) {
            const QStringView left = takeNumber(a), right = takeNumber(b);
            order = compareNumbers(left, right);
        } else {
            order = a.first(1).compare(b.first(1), Qt::CaseInsensitive);
            a = a.mid(1);
            b = b.mid(1);
        }
        if (order != 0)
            return order;
    }
    if (a.isEmpty() != b.isEmpty())
        return a.isEmpty() ? -1 : 1;
    return wholeA.compare(wholeB);
}

template <class T>
bool isBefore(const T& a, const T& b, Qt::SortOrder order)
{
    return order == Qt::AscendingOrder ? a < b : b < a;
}

} // namespace

bool comesBefore(QStringView a, QStringView b)
{
    return compareTexts(a, b) < 0;
}

bool comesBefore(const QVariant& a, const QVariant& b, Qt::SortOrder order)
{
    if (!a.isValid() || !b.isValid())
        return a.isValid() && !b.isValid();
    if (a.userType() == QMetaType::QString || b.userType() == QMetaType::QString)
        return isBefore(compareTexts(a.toString(), b.toString()), 0, order);
    if (a.userType() == QMetaType::Double || b.userType() == QMetaType::Double)
        return isBefore(a.toDouble(), b.toDouble(), order);
    if (a.userType() == QMetaType::ULongLong) // seeds fill 64 bits
        return isBefore(a.toULongLong(), b.toULongLong(), order);
    return isBefore(a.toLongLong(), b.toLongLong(), order);
}

} // namespace unroll
