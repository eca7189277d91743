// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/second_side.h"

#include "app/cli/lens_request.h"
#include "app/cli/option_values.h"

#include "core/base/home_path.h"
#include "core/figure/side_names.h"
#include "core/lens/edits.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace unroll::cli {
namespace {

constexpr const char* kDifference = "difference";

bool hasSetting(const LensSpec& lens, const char* name)
{
    return std::any_of(lens.settings.begin(), lens.settings.end(),
                       [&](const ParamSpec& setting) { return setting.name == name; });
}

/// The option that makes the second side another one in what its query names.
std::string optionOf(const SecondSideOptions& options)
{
    return !options.node.empty()         ? "--against-node " + options.node
           : !options.run.empty()        ? "--against " + options.run
           : !options.checkpoint.empty() ? "--against-checkpoint " + options.checkpoint
                                         : "--against-edit";
}

/// The first side's query with what the second has of its own.
Result<LensQuery> secondQuery(const SecondSideOptions& options, const FirstSide& first, const Inspection& second)
{
    LensQuery query = first.frame->query;
    const LensSpec& lens = first.lens.spec();
    query.edit = options.edit;
    if (!options.node.empty() && !lens.takesSignal) {
        query.settings["node"] = options.node;
        return query;
    }
    if (!lens.takesSignal)
        return query;
    const std::string node = options.node.empty() ? query.node : options.node;
    auto made = lensQuery(lens, second.signalNames(), node, query.signal, query.settings);
    if (!made)
        return fail(made.error().message, optionOf(options));
    made->edit = options.edit;
    return made;
}

/// The folder, by whichever path it was named.
std::string canonicalRun(const std::string& run)
{
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(withHome(run), ignored);
    return whole.empty() ? run : whole.string();
}

SideFacts factsOf(const std::string& run, const Inspection& inspection, const LensQuery& query)
{
    SideFacts facts{canonicalRun(run), inspection.step(), query.node, query.edit, query.signal};
    if (const auto node = query.settings.find("node"); facts.node.empty() && node != query.settings.end())
        facts.node = paramText(node->second);
    return facts;
}

/// Null: the second side is of the run that is open.
Result<std::unique_ptr<Inspection>> openSecond(const SecondSideOptions& options, const FirstSide& first,
                                               const BlockRegistry& registry)
{
    if (options.run.empty() && options.checkpoint.empty())
        return std::unique_ptr<Inspection>();
    RunOptions wished = first.run;
    if (!options.run.empty()) {
        wished.run = options.run;
        wished.inspection.checkpoint = "newest";
    }
    if (!options.checkpoint.empty())
        wished.inspection.checkpoint = options.checkpoint;
    auto opened = openRun(wished, registry);
    if (!opened)
        return fail(opened.error().text(), options.run.empty() ? "--against-checkpoint" : "--against");
    return opened;
}

} // namespace

void addSecondSide(CLI::App& verb, SecondSideOptions& options)
{
    verb.add_option("--against", options.run, "compare with this run: the same lens on the same reading");
    verb.add_option("--against-checkpoint", options.checkpoint,
                    "compare with another checkpoint (newest, best, or a step), of the run or of that of --against");
    verb.add_option("--against-node", options.node,
                    "compare with another node, or another copy of a repeated group: body.2.lstm");
    verb.add_option("--against-edit", options.edit, "compare with the reading under edits: \"lstm.h[3] = 0 from 40\"");
    verb.add_option("--as", options.as, "of a comparison: beside (default), or difference, the second minus the first")
        ->check(oneOf({"beside", kDifference}))
        ->type_name("WAY");
    verb.add_option("--match", options.match, "of a comparison: units, to pair them by correlation")
        ->check(oneOf({"units"}))
        ->type_name("WHAT");
}

Result<void> checkSecondSide(const SecondSideOptions& options, const RunOptions& first, const Lens& lens)
{
    const LensSpec& spec = lens.spec();
    if (!options.isGiven()) {
        const char* word = !options.as.empty() ? "--as" : !options.match.empty() ? "--match" : nullptr;
        return word == nullptr ? Result<void>()
                               : fail("is of a comparison: say with what by --against, --against-checkpoint, "
                                      "--against-node or --against-edit",
                                      word);
    }
    if (!options.match.empty() && !spec.matchesUnits)
        return fail(fmt::format("{} has no units that can be matched; --lens state has", spec.id), "--match");
    if (!options.node.empty() && !spec.takesSignal && !hasSetting(spec, "node"))
        return fail(fmt::format("{} shows the whole network, so there is no other node to compare with", spec.id),
                    "--against-node");
    if (!options.edit.empty()) {
        if (const auto edits = parseEdits(options.edit); !edits)
            return fail(edits.error().message, "--against-edit");
        else if (edits->empty())
            return fail("says no edit", "--against-edit");
        if (const std::string why = whyNoEdits(spec); !why.empty())
            return fail(why, "--against-edit");
    }
    if (first.inspection.dataPath == "-" && (!options.run.empty() || !options.checkpoint.empty()))
        return fail("standard input can be read once, and both sides need the data: give a file", "--data -");
    return {};
}

Result<ComparedSeen> compareWith(const SecondSideOptions& options, const FirstSide& first,
                                 const BlockRegistry& registry)
{
    const auto opened = openSecond(options, first, registry);
    if (!opened)
        return tl::unexpected(opened.error());
    Inspection& second = *opened ? **opened : first.inspection;
    const auto query = secondQuery(options, first, second);
    if (!query)
        return tl::unexpected(query.error());
    const SideFacts one = factsOf(first.run.run, first.inspection, first.frame->query);
    const SideFacts other = factsOf(options.run.empty() ? first.run.run : options.run, second, *query);
    if (one == other)
        return fail(fmt::format("both sides are the same: step {} of {}{}", one.step, first.run.run,
                                one.node.empty() ? std::string() : fmt::format(", {}", one.node)),
                    optionOf(options));
    const auto frame = second.see(*query, first.reading);
    const auto [name, otherName] = sideNames(one, other);
    if (!frame)
        return fail(fmt::format("{}: {}", otherName, frame.error().text()), optionOf(options));
    const CompareWish wish{options.as == kDifference ? CompareWay::Difference : CompareWay::Beside,
                           !options.match.empty()};
    auto figure = compared(ComparedFrame{first.frame, name}, ComparedFrame{*frame, otherName}, wish);
    if (!figure)
        return fail(figure.error().text());
    return ComparedSeen{std::move(*figure),
                        {wish.way == CompareWay::Difference ? kDifference : "beside", name, otherName, (*frame)->step}};
}

} // namespace unroll::cli
