// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QWidget;

namespace unroll::test {

// What is wrong with how a window looks, a line each with the name of the widget; empty: nothing. All of them look at
// what is visible alone.

/// Text that is wider or higher than its place: labels, buttons, fields, tabs, headers. Cut text may have a tool tip
/// that says all of it.
QStringList textFaults(const QWidget& window);

/// A widget that stands out of its parent, or contents that are wider than a view that does not scroll sideways.
QStringList outsideFaults(const QWidget& window);

/// Two parts of one layout on top of each other.
QStringList overlapFaults(const QWidget& window);

/// Gaps and margins of our layouts that are none of theme/metrics.h.
QStringList gridFaults(const QWidget& window);

/// What the keyboard reaches and a screen reader has no name for.
QStringList nameFaults(const QWidget& window);

/// Words that are drawn up to the edge of their place, so that some of them lies beyond: what rounding does to a place
/// that fits too well.
QStringList inkFaults(QWidget& window);

/// Text below a contrast of 4.5 to the colour that is most around it, 3 where it is large.
QStringList contrastFaults(QWidget& window);

/// What the keyboard reaches and that looks as if it had not. Moves the focus, and leaves it at the last one.
QStringList focusFaults(QWidget& window);

} // namespace unroll::test
