// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_package.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/data/published_division.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace unroll::cli {
namespace {

struct PrepareOptions {
    std::string source, out, tokenizer, field, end;
};

/// Where a text is cut that its papers divide. What cannot be read is for the package to say, which reads more kinds.
void addCut(const std::string& source, std::vector<std::string>& words)
{
    const auto published = publishedDivision(source);
    if (!published)
        return;
    for (const DataNote& note : published->notes)
        tell((note.warning ? "warning: " : "note: ") + note.sentence);
    if (published->bytes)
        words.push_back(fmt::format("--cut={},{}", published->bytes->training, published->bytes->validation));
}

int prepareData(const PrepareOptions& options)
{
    std::vector<std::string> words{"--out=" + withHome(options.out)};
    if (!options.field.empty())
        words.push_back("--field=" + options.field);
    if (!options.tokenizer.empty()) {
        words.push_back("--tokenizer=" + withHome(options.tokenizer));
        addCut(withHome(options.source), words);
    }
    if (!options.end.empty())
        words.push_back("--end=" + options.end);
    words.insert(words.end(), {"--", withHome(options.source)});
    return becomePythonPackage("unroll_prepare", words);
}

} // namespace

void addPrepare(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<PrepareOptions>();
    CLI::App* verb = app.add_subcommand(
        "prepare", "Convert Parquet files, or texts with a tokenizer.json, to data that can be read");
    verb->add_option("SOURCE", options->source,
                     "a .parquet, .jsonl or text file, a zip archive, or a folder of these called train, valid, test")
        ->required();
    verb->add_option(
            "--out", options->out,
            "a .jsonl file for Parquet (a folder where there are several parts), a .safetensors file for tokens")
        ->required();
    verb->add_option(
        "--tokenizer", options->tokenizer,
        "a tokenizer.json of the package tokenizers (BPE and others); without it Parquet becomes JSON Lines");
    verb->add_option(
        "--field", options->field,
        "field or column with the text of a record, \"text\" for tokens; Parquet rows without one are left "
        "out where it is named");
    verb->add_option("--end", options->end,
                     "a token of the tokenizer behind every record, such as <|endoftext|>; else a "
                     "line end");
    verb->footer(
        "The result is the file of a Text block: --data OUT, for JSON Lines with --set text.text_field=text. "
        "enwik8 is divided as the Text block divides it: the first 90, the next 5, the last 5 million bytes. "
        "Needs the Python packages pyarrow (Parquet) or tokenizers: pip install pyarrow tokenizers. Plain text, "
        "zip archives and JSON Lines are read by Text as they are, as characters, bytes or words.");
    verb->callback([options, &chosen] { chosen = [options] { return prepareData(*options); }; });
}

} // namespace unroll::cli
