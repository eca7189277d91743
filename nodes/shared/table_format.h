// SPDX-License-Identifier: GPL-3.0-or-later
// How a table is written, as far as a user sets it (see TableWishes).
#pragma once

#include "nodes/shared/spec_parts.h"

namespace unroll::nodes {

inline constexpr const char* kTableFormat = "Table format";

/// One thing of it.
inline ParamSpec formatParam(std::string name, std::string help, std::string whenEmpty = "found from the file")
{
    return inGroup(kTableFormat, textParam(std::move(name), std::move(help), std::move(whenEmpty)));
}

/// What there is to set of any table.
inline std::vector<ParamSpec> layoutParams()
{
    return {
        formatParam("delimiter", "What divides cells: comma, semicolon, tab, bar, spaces, none, or any sign."),
        formatParam("header_rows", "Rows of names above the rest; the first one counts. 0: there are none."),
        formatParam("skip_rows", "Lines at the top of the file that are no part of the table."),
        formatParam("quote", "The sign around cells that have a delimiter in them; none: there is no such sign."),
        formatParam("encoding", "utf-8, utf-16le, utf-16be or windows-1252."),
    };
}

/// And of one of numbers.
inline std::vector<ParamSpec> numberFormatParams()
{
    return {formatParam("decimal", "The decimal sign: a point or a comma."),
            formatParam("thousands", "What divides thousands: . or , or ' or space, or none at all."),
            formatParam("comment", "How a line of comment begins; none: no line is one."),
            formatParam("missing",
                        "Words or numbers that stand for a missing number, with commas between, besides "
                        "NA, NaN, null, ?, - and their like.",
                        "the usual words")};
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
