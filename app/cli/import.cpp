// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/python_package.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/experiment/gallery.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace unroll::cli {
namespace {

struct ImportOptions {
    std::string weights, experiment, out;
    std::vector<std::string> nodes;
};

int importWeights(const ImportOptions& options)
{
    const auto file = findExperiment(options.experiment);
    if (!file)
        return tellError(file.error());
    std::vector<std::string> words;
    for (const std::string& node : options.nodes)
        words.push_back("--node=" + node);
    if (!options.out.empty())
        words.push_back("--out=" + withHome(options.out));
    words.insert(words.end(), {"--", withHome(options.weights), file->string()});
    return becomePythonPackage("unroll_weights", words);
}

} // namespace

void addImport(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<ImportOptions>();
    CLI::App* verb = app.add_subcommand("import", "Take weights of PyTorch modules into nodes of an experiment");
    verb->add_option("WEIGHTS", options->weights,
                     "a .safetensors file, or a .pt file of a state_dict (read with weights_only)")
        ->required();
    verb->add_option("FILE", options->experiment, "the experiment whose nodes take them")->required();
    verb->add_option("--node", options->nodes, "NODE, or NODE=PREFIX of its names in WEIGHTS; again for others")
        ->required()
        ->take_all();
    verb->add_option("--out", options->out,
                     "write a .safetensors file for train --init; without it the mapping is shown alone");
    verb->footer("Blocks that state a mapping: lstm, gru and rnn of torch.nn, sru of the package sru, mru of mru-lm. "
                 "Every line says which weight becomes which, and what is turned round on the way.");
    verb->callback([options, &chosen] { chosen = [options] { return importWeights(*options); }; });
}

} // namespace unroll::cli
