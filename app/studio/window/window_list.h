// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointer>

class QString;
class QWidget;

namespace unroll {

class MainWindow;
struct StudioContext;

// The windows of the program: which there are, which of them holds a file or a run, and which may take another
// experiment.

QList<QPointer<MainWindow>> visibleWindows();
MainWindow* windowOf(const QString& file); ///< that is visible; null: no window has this file
/// Brings the window forward that trains or holds this run, and says there that it does. False: none does but the one
/// that asks.
bool bringWindowOf(const QString& run, const MainWindow& asking);
void bringForward(QWidget& window);
/// Deletes itself once it is closed; not shown yet.
MainWindow& newWindow(StudioContext& studio);
/// The one that asks where it is free, else a new one.
MainWindow& fittingWindow(MainWindow& asking);

} // namespace unroll
