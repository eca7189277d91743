// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/progress_bar.h"
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/utf8.h"
#include "core/base/visible.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace unroll::cli {
namespace {

struct SampleOptions {
    RunOptions run;
    std::string prompt;
    std::int64_t tokens = 200;
    std::string ofText; ///< an option that was given and counts where text is made; empty: none
    SamplingRule rule;
    std::uint64_t seed = 0;
    bool quiet = false;
};

/// Puts the text out as it comes. A file or a program gets it as it is, bytes of a model of bytes above all; a terminal
/// gets whole characters, and nothing that would steer it. There the text itself is the progress, elsewhere stderr
/// tells of it.
class TextOut {
public:
    explicit TextOut(const SampleOptions& options)
        : m_json(options.run.json),
          m_terminal(!m_json && isTerminal(stdout)),
          m_bar(!options.quiet && !m_terminal, std::chrono::seconds(2)),
          m_began(std::chrono::steady_clock::now())
    {
        m_progress.step = -1; // the prompt comes first
        m_progress.steps = options.tokens;
    }

    void add(const std::string& piece)
    {
        m_whole += m_json ? piece : std::string();
        m_held += piece;
        if (!m_json)
            put(m_terminal ? unfinishedBytes(m_held) : 0);
        ++m_progress.step;
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - m_began;
        m_progress.tokensPerSecond = took.count() > 0 ? static_cast<double>(m_progress.step) / took.count() : 0;
        if (m_progress.tokensPerSecond > 0)
            m_progress.secondsLeft =
                static_cast<double>(m_progress.steps - m_progress.step) / m_progress.tokensPerSecond;
        if (took.count() > 1)
            m_bar.draw(m_progress);
    }

    /// `lineEnd`: the text is one, and a line that is ended is easier to go on from.
    void end(bool lineEnd)
    {
        m_bar.clear();
        if (m_json)
            return;
        m_held += lineEnd || m_terminal ? "\n" : "";
        put(0);
    }

    bool isEmpty() const { return m_progress.step < 0; }
    const std::string& whole() const { return m_whole; } ///< for JSON

private:
    void put(std::size_t held)
    {
        const std::string ready = m_held.substr(0, m_held.size() - held);
        m_held.erase(0, ready.size());
        const std::string shown = m_terminal ? visibleText(ready) : ready;
        std::fwrite(shown.data(), 1, shown.size(), stdout);
        std::fflush(stdout);
    }

    bool m_json;
    bool m_terminal;
    ProgressBar m_bar;
    Progress m_progress;
    std::chrono::steady_clock::time_point m_began;
    std::string m_held; ///< not put out yet
    std::string m_whole;
};

std::string hexOf(const std::string& bytes)
{
    std::string hex;
    for (const char byte : bytes)
        hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return hex;
}

int sample(const SampleOptions& options)
{
    const BlockRegistry registry = allSpecs();
    auto inspection = openRun(options.run, registry);
    if (!inspection)
        return tellError(inspection.error());
    if (const std::string unknown = (*inspection)->unknownIn(options.prompt); !unknown.empty())
        tell(fmt::format("prompt: {}", unknown));
    if (!options.ofText.empty() && !(*inspection)->environment().labels.empty())
        return tellError(
            {"the run tells the label of a text and makes no text, so this has no effect", options.ofText});
    TextOut out(options);
    const auto text = (*inspection)
                          ->sample(options.prompt, options.tokens, options.rule, options.seed,
                                   [&out](const std::string& piece) { out.add(piece); });
    if (text && out.isEmpty()) // a label, which is told at once
        out.add(*text);
    if (text || !out.isEmpty())
        out.end(!(*inspection)->tellsBytes() || !(*inspection)->environment().labels.empty());
    if (!text)
        return tellError(text.error());
    if (!options.run.json)
        return kOk;
    Json json{JsonObject{}};
    json.add("step", (*inspection)->step());
    json.add("prompt", repairedUtf8(options.prompt));
    json.add("text", *text);
    if (!isUtf8(out.whole()))
        json.add("hex", hexOf(out.whole()));
    sayJson(json);
    return kOk;
}

void addRule(CLI::App& verb, const std::shared_ptr<SampleOptions>& options)
{
    addReal(
        verb, "--temperature", [options](double temperature) { options->rule.temperature = temperature; },
        "0 takes the likeliest token")
        ->default_str("0.8");
    addWhole(
        verb, "--top-k", [options](std::int64_t topK) { options->rule.topK = topK; }, 0,
        std::numeric_limits<std::int64_t>::max(), "draw among so many of the likeliest tokens; 0: among all")
        ->default_str("0");
    addShare(
        verb, "--top-p", [options](double topP) { options->rule.topP = topP; },
        "draw among the fewest likeliest tokens whose probabilities add up to this; 1: among all")
        ->default_str("1");
    verb.add_option("--stop", options->rule.stop, "stop the sample at this text");
}

} // namespace

void addSample(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<SampleOptions>();
    options->run.inspection.needsData = false;
    CLI::App* verb = app.add_subcommand("sample", "Generate text with a trained run, or predict the label of a text");
    addRunOptions(*verb, options->run);
    verb->add_option("--prompt", options->prompt, "prompt; empty: the first character of the alphabet");
    addWhole(
        *verb, "--tokens", [options](std::int64_t tokens) { options->tokens = tokens; }, 0,
        std::numeric_limits<std::int64_t>::max(), "number of tokens to generate")
        ->default_str("200");
    addRule(*verb, options);
    addSeed(
        *verb, [options](std::uint64_t seed) { options->seed = seed; }, "random seed of sampling")
        ->default_str("0");
    verb->add_flag("--quiet", options->quiet, "no progress");
    verb->footer("The text is written as it is generated. A byte model writes raw bytes without a final newline; on a "
                 "terminal, control characters are shown as \\x1b.");
    verb->callback([options, verb, &chosen] {
        for (const char* name : {"--tokens", "--temperature", "--top-k", "--top-p", "--stop", "--seed"})
            if (options->ofText.empty() && verb->get_option(name)->count() > 0)
                options->ofText = name;
        chosen = [options] { return sample(*options); };
    });
}

} // namespace unroll::cli
