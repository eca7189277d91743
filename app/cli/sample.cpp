// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace unroll::cli {
namespace {

struct SampleOptions {
    RunOptions run;
    std::string prompt;
    std::int64_t tokens = 200;
    double temperature = 0.8;
    std::uint64_t seed = 0;
};

int sample(const SampleOptions& options)
{
    const BlockRegistry registry = allSpecs();
    auto inspection = openRun(options.run, registry);
    if (!inspection)
        return tellError(inspection.error());
    const auto text = (*inspection)->sample(options.prompt, options.tokens, options.temperature, options.seed);
    if (!text)
        return tellError(text.error());
    if (!options.run.json) {
        say(*text);
        return kOk;
    }
    Json json{JsonObject{}};
    json.add("step", (*inspection)->step());
    json.add("prompt", options.prompt);
    json.add("text", *text);
    sayJson(json);
    return kOk;
}

} // namespace

void addSample(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<SampleOptions>();
    options->run.inspection.needsData = false;
    CLI::App* verb = app.add_subcommand("sample", "Text that a trained run makes up");
    addRunOptions(*verb, options->run);
    verb->add_option("--prompt", options->prompt, "what to go on from; empty: the first character of the alphabet");
    verb->add_option("--tokens", options->tokens, "how many to add")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    verb->add_option("--temperature", options->temperature, "0 takes the likeliest each time")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    verb->add_option("--seed", options->seed, "of the draws")->capture_default_str();
    verb->callback([options, &chosen] { chosen = [options] { return sample(*options); }; });
}

} // namespace unroll::cli
