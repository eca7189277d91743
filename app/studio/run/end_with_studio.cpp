// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/end_with_studio.h"

#include <QProcess>
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace unroll {

void endWithStudio(QProcess& process)
{
    process.setChildProcessModifier([parent = ::getpid()] {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) // it has ended already
            ::raise(SIGTERM);
    });
}

} // namespace unroll
