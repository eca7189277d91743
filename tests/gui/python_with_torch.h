// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/export/verification.h"

#include <QProcess>

namespace unroll::test {

/// The Python that verifies, where it has torch; asked once. Empty: there is none.
inline QString pythonHasTorch()
{
    static const QString found = [] {
        QProcess python;
        python.start(findPython(), {"-c", "import importlib.util as u; raise SystemExit(not u.find_spec('torch'))"});
        const bool good = python.waitForFinished(120000) && python.exitStatus() == QProcess::NormalExit;
        return good && python.exitCode() == 0 ? findPython() : QString();
    }();
    return found;
}

} // namespace unroll::test
