// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringView>
#include <QVariant>

namespace unroll {

// The order of rows by a column.

/// Whether a text comes before another, whatever the case, with the whole numbers in it by their size: "run-2" before
/// "run-10".
bool comesBefore(QStringView a, QStringView b);

/// Whether a value comes before another in that direction: numbers by size, texts as above. One that is missing (an
/// invalid variant) comes last either way.
bool comesBefore(const QVariant& a, const QVariant& b, Qt::SortOrder order);

} // namespace unroll
