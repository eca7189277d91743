// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/number_field.h"
#include "tests/gui/fixture.h"

namespace unroll::test {

/// The inspector's form of a node, which is selected for it.
inline ParamForm& formOf(Studio& studio, const std::string& node)
{
    studio.window.scene().select({studio.id(node)});
    return studio.window.panel<InspectorPanel>().page()->form();
}

inline NumberField* numberIn(const ParamForm& form, const std::string& param)
{
    return form.editor(param)->findChild<NumberField*>();
}

} // namespace unroll::test
