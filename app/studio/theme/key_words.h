// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace unroll {

/// Words of a tool tip with the key that does the same, where there is one: "Run  (F5)".
inline QString withKey(const QString& words, const QString& key)
{
    return key.isEmpty() ? words : QStringLiteral("%1  (%2)").arg(words, key);
}

} // namespace unroll
