// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QtGlobal>

namespace unroll::test {

/// The part of that class and object name within `whole`; where there is none the test program ends, with both names.
template <class Part>
Part& partNamed(const QObject& whole, const char* name)
{
    auto* part = whole.findChild<Part*>(QString::fromLatin1(name));
    if (part == nullptr)
        qFatal("%s has no %s \"%s\"", whole.metaObject()->className(), Part::staticMetaObject.className(), name);
    return *part;
}

} // namespace unroll::test
