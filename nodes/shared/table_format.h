// SPDX-License-Identifier: GPL-3.0-or-later
// How a table is written, as far as a user sets it (see TableWishes).
#pragma once

#include "nodes/shared/spec_parts.h"

namespace unroll::nodes {

inline constexpr const char* kTableFormat = "Table format";

/// One thing of it.
inline ParamSpec formatParam(std::string name, std::string help, std::string whenEmpty = "detected")
{
    return inGroup(kTableFormat, textParam(std::move(name), std::move(help), std::move(whenEmpty)));
}

/// What there is to set of any table.
inline std::vector<ParamSpec> layoutParams()
{
    return {
        formatParam("delimiter", "Delimiter: comma, semicolon, tab, bar, spaces, none, or any character."),
        formatParam("header_rows", "Number of header rows; the first is used. 0: no header."),
        formatParam("skip_rows", "Lines to skip at the top of the file."),
        formatParam("quote", "Quote character around cells that contain a delimiter; none: no quoting."),
        formatParam("encoding", "utf-8, utf-16le, utf-16be or windows-1252."),
    };
}

/// And of one of numbers.
inline std::vector<ParamSpec> numberFormatParams()
{
    return {formatParam("decimal", "Decimal separator: a point or a comma."),
            formatParam("thousands", "Thousands separator: point, comma, apostrophe, space or none."),
            formatParam("comment", "Comment prefix; none: no comments."),
            formatParam("missing",
                        "Values that mean missing, separated by commas, besides NA, NaN, null, ?, - and similar.",
                        "NA, NaN, ? …")};
}

inline std::vector<ParamSpec> withParams(std::vector<ParamSpec> params, std::vector<ParamSpec> more)
{
    for (ParamSpec& param : more)
        params.push_back(std::move(param));
    return params;
}

/// A block's own parameters, and all that can be set of a table of numbers.
inline std::vector<ParamSpec> withTableFormat(std::vector<ParamSpec> params)
{
    return withParams(withParams(std::move(params), layoutParams()), numberFormatParams());
}

} // namespace unroll::nodes
