// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace unroll {

/// The one name of a file that may be reached by several: absolute, symbolic links followed where it exists.
QString realPath(const QString& path);

/// Whether both name one file; an empty path names none.
bool isSameFile(const QString& a, const QString& b);

/// Detects whether a file was written in between: equal while its bytes are. Empty where there is none that can be
/// read.
QByteArray fileStamp(const QString& path);

} // namespace unroll
