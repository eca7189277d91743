// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding: what one step of every recurrent cell costs once a context has been read, beside attention, which keeps
// keys and values of all of it, and one of a transformer of sparse layers beside one of dense layers. One sequence, no
// gradients; the state goes on from step to step as a sampler carries it.
#include "core/base/number_text.h"
#include "tests/bench/step_models.h"
#include "tests/bench/step_timing.h"
#include "tests/contract/block_case.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unroll::contract {
namespace {

constexpr std::int64_t kWidth = 256, kHeads = 4;
constexpr std::int64_t kMostTimesAsWide = 64; // the largest `expand` of a block
constexpr std::array<std::int64_t, 3> kContexts = {64, 1024, 4096};
constexpr std::int64_t kAtOnce = 256; // steps of the context that are read in one pass
constexpr int kRounds = 5;
constexpr std::string_view kBegin = "<!-- steps: written by ./dev bench step -->", kEnd = "<!-- end of steps -->";
constexpr const char* kUsage =
    R"(unroll_step_bench [option...]: microseconds of one step of every recurrent cell and attention, and of whole models
  --filter REGEX   only cells whose id holds it, and no models but by "models"
  --json           an object a line, not a table
  --threads N      default 1: at one sequence there is little to share
  --write FILE     the table, between its marks in a page
)";

struct Options {
    std::string filter, file;
    bool json = false;
    int threads = 1;
};

/// What one cell takes. Microseconds are the least of a few medians over its steps; below 0: what left the cell was not
/// finite.
struct Decoding {
    const BlockSpec* spec = nullptr;
    std::array<double, kContexts.size()> microseconds{};
    std::array<std::int64_t, kContexts.size()> state{}; ///< numbers carried on
};

/// Cells that read and carry a state; what looks at a fixed number of steps is a layer.
bool isLanguageCell(const BlockSpec& spec)
{
    return spec.recurrent && spec.weights && builders().block(spec.id) != nullptr &&
           (spec.category == Category::Recurrent || spec.category == Category::Attention);
}

bool isFine(const BlockCase& made)
{
    const auto diagnostics = infer(made).diagnostics;
    return std::none_of(diagnostics.begin(), diagnostics.end(),
                        [](const Diagnostic& found) { return found.severity == Severity::Error; });
}

BlockCase withParam(BlockCase made, const std::string& param, std::int64_t value)
{
    made.params[param] = value;
    return made;
}

/// kHeads heads, as a number of heads or as the size of each; one head where the block cannot have so many. The
/// largest head that a block takes is as wide as all of its heads.
BlockCase withHeads(const BlockCase& made)
{
    if (made.params.contains("num_heads")) {
        BlockCase several = withParam(made, "num_heads", kHeads);
        return isFine(several) ? several : made;
    }
    if (!made.params.contains("head_size"))
        return made;
    std::int64_t widest = kMostTimesAsWide * kWidth;
    while (widest > 1 && !isFine(withParam(made, "head_size", widest)))
        --widest;
    BlockCase several = withParam(made, "head_size", widest / kHeads);
    if (widest % kHeads != 0 || !isFine(several))
        throw std::invalid_argument(made.spec->id + " cannot have the heads of the others");
    return several;
}

/// As wide as the others; attention sees the whole context. (The window of a QRNN is the kernel of its convolution.)
BlockCase caseAt(const BlockSpec& spec, std::int64_t context)
{
    BlockCase made{&spec, spec.withDefaults({}), {}};
    if (made.params.contains("units"))
        made.params["units"] = kWidth;
    if (spec.category == Category::Attention || spec.id == "srupp")
        made.params["window"] = context;
    for (const PortSpec& port : spec.inputs)
        if (!port.optional)
            made.inputs[port.name] = {.type = port.type, .width = kWidth};
    made = withHeads(made);
    if (!isFine(made))
        throw std::invalid_argument(spec.id + " cannot be built as it is timed");
    return made;
}

std::size_t statePort(const std::vector<PortSpec>& ports)
{
    const auto found =
        std::find_if(ports.begin(), ports.end(), [](const PortSpec& port) { return port.type == PortType::State; });
    return static_cast<std::size_t>(found - ports.begin());
}

/// A cell that reads one sequence and carries its state.
class Reader {
public:
    explicit Reader(const BlockCase& made)
        : m_block(buildUnshaken(made, 1, at::kFloat)),
          m_in(statePort(made.spec->inputs)),
          m_out(statePort(made.spec->outputs))
    {
        const InputOptions many{.steps = kAtOnce, .sequences = 1, .state = false, .mask = false, .dtype = at::kFloat};
        m_several = inputsOf(made, *m_block, many);
        InputOptions single = many;
        single.steps = 1;
        m_one = inputsOf(made, *m_block, single);
        m_state = m_block->initialState(1);
    }

    void read(std::int64_t steps)
    {
        for (; steps >= kAtOnce; steps -= kAtOnce)
            pass(m_several);
        for (; steps > 0; --steps)
            pass(m_one);
    }

    /// Always the one behind what was read: of thousands a state that grows would leave the type's range.
    void step()
    {
        m_one[m_in] = m_state;
        m_block->forward(m_one, {});
    }

    bool isFinite() const
    {
        return std::all_of(m_state.begin(), m_state.end(), [](const at::Tensor& part) {
            return !part.is_floating_point() || part.isfinite().all().item<bool>();
        });
    }

    std::int64_t numbers() const
    {
        std::int64_t found = 0;
        for (const at::Tensor& part : m_state)
            found += part.numel();
        return found;
    }

private:
    void pass(std::vector<Value>& inputs)
    {
        inputs[m_in] = m_state;
        m_state = m_block->forward(inputs, {})[m_out];
    }

    std::unique_ptr<Block> m_block;
    std::size_t m_in, m_out;
    std::vector<Value> m_several, m_one;
    Value m_state;
};

/// Microseconds of a step behind the context.
double timed(Reader& reader)
{
    const double found = microsecondsOf([&] { reader.step(); });
    return reader.isFinite() ? found : -1;
}

Decoding decoding(const BlockSpec& spec)
{
    Decoding found{.spec = &spec};
    std::vector<std::unique_ptr<Reader>> readers;
    for (std::size_t i = 0; i < kContexts.size(); ++i) {
        readers.push_back(std::make_unique<Reader>(caseAt(spec, kContexts[i])));
        readers.back()->read(kContexts[i]);
        found.state[i] = readers.back()->numbers();
        found.microseconds[i] = std::numeric_limits<double>::infinity();
    }
    // In turn: what else runs on the machine would fall to one context.
    for (int round = 0; round < kRounds; ++round)
        for (std::size_t i = 0; i < kContexts.size(); ++i)
            found.microseconds[i] = std::min(found.microseconds[i], timed(*readers[i]));
    std::fprintf(stderr, "%-20s %8.1f us at %lld steps\n", spec.id.c_str(), found.microseconds.back(),
                 static_cast<long long>(kContexts.back()));
    return found;
}

std::string told(double microseconds)
{
    return microseconds < 0 ? "not finite" : fmt::format("{:.1f}", microseconds);
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

std::string processorName()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(": ") + 2);
    return "an unnamed processor";
}

std::string table(const std::vector<Decoding>& found, int threads)
{
    if (found.empty()) // models alone
        return "";
    std::string made =
        fmt::format("`./dev bench step`, {}, {} thread{} of {}: one sequence, width {}, {} heads where there "
                    "are heads.\n\n"
                    "| cell |",
                    today(), threads, threads == 1 ? "" : "s", processorName(), kWidth, kHeads);
    for (const std::int64_t context : kContexts)
        made += fmt::format(" after {} steps, us |", grouped(context));
    made += fmt::format(" state, numbers | of attention's time at {} |\n|---|", grouped(kContexts.back()));
    for (std::size_t i = 0; i < kContexts.size() + 2; ++i)
        made += "---|";
    const auto attention =
        std::find_if(found.begin(), found.end(), [](const Decoding& one) { return one.spec->id == "attention"; });
    for (const Decoding& one : found) {
        made += fmt::format("\n| {} |", one.spec->title);
        for (const double microseconds : one.microseconds)
            made += fmt::format(" {} |", told(microseconds));
        made += one.state.front() == one.state.back()
                    ? fmt::format(" {} |", grouped(one.state.back()))
                    : fmt::format(" {} to {} |", grouped(one.state.front()), grouped(one.state.back()));
        const double ours = one.microseconds.back();
        const double theirs = attention == found.end() ? -1 : attention->microseconds.back();
        made += ours < 0 || theirs <= 0 ? "  |" : fmt::format(" {:.3f} |", ours / theirs);
    }
    return made + "\n";
}

/// Empty where no model was timed.
std::string table(const std::vector<ModelStep>& models)
{
    if (models.empty())
        return "";
    std::string made = "\nWhole models, four layers each, windows of 64 steps:\n\n"
                       "| model | width | weights | one step, us | of the dense one's time |\n|---|---|---|---|---|";
    for (std::size_t i = 0; i < models.size(); ++i) { // dense, sparse, dense, sparse
        const ModelStep &one = models[i], &dense = models[i - i % 2];
        made += fmt::format("\n| {} | {} | {} | {:.1f} | {:.3f} |", one.name, grouped(one.width),
                            grouped(one.parameters), one.microseconds, one.microseconds / dense.microseconds);
    }
    return made + "\n";
}

void sayJson(const std::vector<Decoding>& found, const std::vector<ModelStep>& models)
{
    for (const ModelStep& one : models)
        fmt::print("{{\"model\": \"{}\", \"width\": {}, \"parameters\": {}, \"us\": {:.3f}}}\n", one.name, one.width,
                   one.parameters, one.microseconds);
    for (const Decoding& one : found)
        for (std::size_t i = 0; i < kContexts.size(); ++i)
            fmt::print("{{\"cell\": \"{}\", \"context\": {}, \"us\": {}, \"state\": {}}}\n", one.spec->id, kContexts[i],
                       one.microseconds[i] < 0 ? "null" : fmt::format("{:.3f}", one.microseconds[i]), one.state[i]);
}

/// Puts the table between its marks; false: the page has none, or cannot be written.
bool put(const std::string& file, const std::string& table)
{
    std::stringstream read;
    read << std::ifstream(file).rdbuf();
    std::string page = read.str();
    const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return false;
    page.replace(begin + kBegin.size(), end - begin - kBegin.size(), "\n" + table);
    return static_cast<bool>(std::ofstream(file) << page);
}

/// False: not understood. unroll-cli passes a filter and JSON on in the words of Google Benchmark.
bool understood(int count, char** words, Options& options)
{
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const bool more = i + 1 < count;
        constexpr std::string_view kFilter = "--benchmark_filter=";
        if (word.starts_with(kFilter))
            options.filter = word.substr(kFilter.size());
        else if (word == "--filter" && more)
            options.filter = words[++i];
        else if (word == "--json" || word == "--benchmark_format=json")
            options.json = true;
        else if (word == "--write" && more)
            options.file = words[++i];
        else if (word == "--threads" && more) {
            const std::string_view number = words[++i];
            if (std::from_chars(number.begin(), number.end(), options.threads).ptr != number.end() ||
                options.threads < 1)
                return false;
        } else
            return false;
    }
    return options.file.empty() || (!options.json && options.filter.empty()); // a page has the whole table
}

/// The fastest after the longest context first; what is not finite last.
std::vector<Decoding> allCells(const std::string& filter)
{
    std::vector<Decoding> found;
    for (const std::string& id : blocksWhere(isLanguageCell))
        if (filter.empty() || std::regex_search(id, std::regex(filter)))
            found.push_back(decoding(*registry().find(id)));
    std::stable_sort(found.begin(), found.end(), [](const Decoding& a, const Decoding& b) {
        return std::pair(a.microseconds.back() < 0, a.microseconds.back()) <
               std::pair(b.microseconds.back() < 0, b.microseconds.back());
    });
    return found;
}

int run(const Options& options)
{
    at::set_num_threads(options.threads);
    const at::NoGradGuard noGradients;
    const bool models = options.filter == "models";
    const std::vector<Decoding> found = models ? std::vector<Decoding>{} : allCells(options.filter);
    const std::vector<ModelStep> whole = models || options.filter.empty() ? modelSteps() : std::vector<ModelStep>{};
    if (found.empty() && whole.empty()) {
        std::fprintf(stderr, "no cell's id holds %s\n", options.filter.c_str());
        return 2;
    }
    if (options.json)
        sayJson(found, whole);
    else if (options.file.empty())
        fmt::print("{}", table(found, options.threads) + table(whole));
    else if (!put(options.file, table(found, options.threads) + table(whole))) {
        std::fprintf(stderr, "%s: has no marks for this table, or cannot be written\n", options.file.c_str());
        return 1;
    }
    return 0;
}

} // namespace
} // namespace unroll::contract

int main(int count, char** words)
{
    using namespace unroll::contract;
    Options options;
    try {
        if (understood(count, words, options))
            return run(options);
    } catch (const std::regex_error&) {
        std::fprintf(stderr, "%s is not a regular expression\n", options.filter.c_str());
        return 2;
    }
    std::fputs(kUsage, stderr);
    return 2;
}
