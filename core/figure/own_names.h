// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/figure.h"

#include <string>

namespace unroll {

/// What a node or a copy of a group is called without what is around it: "lstm" of "body.2.lstm", "body" of "body.2".
std::string ownName(const std::string& path);

/// The figure of a node or group with another name for it wherever its path stands as a name or at the front of one, in
/// panels, tables and arrays: "body.2.lstm.bias" is "lstm.bias". Sentences are left as they are.
Figure renamedNode(Figure figure, const std::string& path, const std::string& name);

} // namespace unroll
