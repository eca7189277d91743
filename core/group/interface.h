// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/group/place.h"

#include <string>

namespace unroll {

/// The numeric address at which ranks on other machines reach this one: of the interface by which this machine reaches
/// the place of meeting; of its first other interface where the name of that place means the loopback one here, as
/// Debian's /etc/hosts has a machine's own name (127.0.1.1). Empty: all ranks are here, or none is found.
std::string addressForOthers(const RankPlace& place);

} // namespace unroll
