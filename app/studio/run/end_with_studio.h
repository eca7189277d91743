// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QProcess;

namespace unroll {

/// Before it is started: it gets a SIGTERM when this program ends, however that ends.
void endWithStudio(QProcess& process);

} // namespace unroll
