// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/forecasts.h"

#include "app/studio/document/document.h"
#include "core/check/check.h"

namespace unroll {

bool forecasts(const Document& document)
{
    if (!document.readsNumbers())
        return false;
    const CheckedGraph& checked = *document.checked();
    const auto source = checked.nodes.find(checked.source);
    if (source == checked.nodes.end())
        return true;
    const auto targets = source->second.outputs.find("targets");
    return targets == source->second.outputs.end() || targets->second.type == PortType::TargetValues;
}

} // namespace unroll
