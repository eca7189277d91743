// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace unroll {

/// Names of the arrays of a figure: "panel.series". What no file of arrays may have in a name ('/', "..", control
/// characters, bytes that are not UTF-8) is replaced by '_'; a name that comes again gets "_2", "_3" behind it.
class ArrayNames {
public:
    /// The parts joined by points; an empty last part is `otherwise`.
    std::string take(std::string_view panel, std::string_view name, std::string_view otherwise);

private:
    std::set<std::string> m_taken;
};

} // namespace unroll
