// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

namespace unroll {

/// A visible text outside a QObject, in the user's language. Members of a QObject have a tr of their own.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("Studio", text);
}

} // namespace unroll
