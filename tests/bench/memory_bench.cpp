// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that training the gallery's experiments takes on the CPU, beside the estimate that the check prints: the
// most that torch's tensors hold at one moment, weights and moments included, over a few updates. Each case runs in a
// process of its own.
#include "core/block/registry.h"
#include "core/check/memory.h"
#include "core/experiment/adjust.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/gallery.h"
#include "core/linalg/products.h"
#include "core/model/builders.h"
#include "core/train/trainer.h"
#include "tests/bench/tensor_bytes.h"

#include <fmt/format.h>

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace unroll::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> names; ///< of files in the gallery; none: all
    std::vector<std::int64_t> batches;
    std::vector<std::string> assignments; ///< layer.repeat=16, as of --set in unroll-cli
    std::int64_t steps = 0;               ///< updates; 0: as many as it takes, see kFewUpdates
    std::int64_t within = 0;              ///< per cent that the estimate may be off; 0: any
    bool nodes = false;
    bool amx = false; ///< products by AMX, which lays factors out again in memory of its own; else by the library
};

/// Two updates show all of most large models. Of a small one, and where states are large, the generators and states of
/// earlier updates count, which are remembered.
constexpr std::int64_t kFewUpdates = 2, kAllUpdates = kRememberedUpdates + 2;

double megabytes(std::int64_t bytes)
{
    return static_cast<double>(bytes) / 1e6;
}

/// Prints what tensors hold when a node's outputs are there, and when the gradient of one arrives; with each the most
/// since the line before.
class NodeLines final : public Observer {
public:
    explicit NodeLines(CountingAllocator& memory) : m_memory(memory) {}
    bool wants(const std::string&, const std::string&) const override { return false; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        line("forward", node + "." + port);
        if (value.requires_grad())
            value.register_hook([this, name = node + "." + port](const at::Tensor&) { line("backward", name); });
    }
    void line(const char* pass, const std::string& name)
    {
        fmt::print("    {:8} {:40} now {:10.4f}  peak {:10.4f}\n", pass, name, megabytes(m_memory.now()),
                   megabytes(m_memory.peak()));
        m_memory.restart();
    }

private:
    CountingAllocator& m_memory;
};

at::Tensor indices(const std::vector<std::int32_t>& values, const Batch& batch)
{
    if (values.empty())
        return {};
    return at::tensor(values).to(at::kLong).view({batch.steps, batch.sequences});
}

at::Tensor numbers(const std::vector<float>& values, const Batch& batch)
{
    return values.empty() ? at::Tensor() : at::tensor(values).view({batch.steps, batch.sequences, -1});
}

void printNodes(const Experiment& experiment, Model& model, const Dataset& data, CountingAllocator& memory)
{
    const Batch batch = data.batch(Split::Train, 0, experiment.training.batch, experiment.seed);
    at::Tensor mask;
    if (!batch.mask.empty())
        mask = at::tensor(std::vector<std::int32_t>(batch.mask.begin(), batch.mask.end()))
                   .to(at::kBool)
                   .view({batch.steps, batch.sequences});
    ModelInput input{.tokens = indices(batch.tokens, batch),
                     .targets = batch.values.empty() ? indices(batch.targets, batch) : numbers(batch.values, batch),
                     .mask = mask,
                     .features = numbers(batch.features, batch)};
    at::Generator dropout = makeGenerator(at::kCPU, 1);
    for (const Weight& weight : model.weights())
        weight.tensor.mutable_grad().reset();
    NodeLines lines(memory);
    lines.line("", "before");
    at::Tensor loss =
        model
            .forward(input, {},
                     {.training = true, .dropout = &dropout, .observer = &lines, .keepsState = data.carriesState()})
            .loss;
    lines.line("", "outputs given back");
    loss.backward();
    lines.line("", "after");
}

int measure(const fs::path& file, std::int64_t batch, const Options& options)
{
    Experiment experiment = loadExperiment(file.string()).value();
    experiment.training.batch = batch;
    experiment.training.device = "cpu";
    const BlockRegistry registry = allSpecs();
    auto changed = withChanges(std::move(experiment), registry, "", options.assignments);
    if (!changed) {
        fmt::print(stderr, "{}\n", changed.error().text());
        return 1;
    }
    experiment = std::move(*changed);
    linalg::setBackend(options.amx ? linalg::Backend::Amx : linalg::Backend::Library);
    DataCache cache(allBuilders());
    const CheckedGraph checked = checkExperiment(experiment, registry, cache);
    const CheckedNode& source = checked.nodes.at(checked.source);
    const auto data = cache.open(source.spec->id, source.params, experiment.folder).value();
    CountingAllocator& memory = CountingAllocator::install();
    const auto model = Model::build(experiment.graph, checked, registry, allBuilders(), experiment.seed).value();
    Trainer trainer(experiment, *model, *data);
    std::int64_t made = 0;
    const auto ratioAfter = [&](std::int64_t updates) {
        for (; made < updates; ++made)
            trainer.step();
        return megabytes(checked.trainingBytes) / megabytes(memory.peak());
    };
    const auto isOff = [&](double ratio) {
        return options.within > 0 && std::abs(ratio - 1) * 100 > static_cast<double>(options.within);
    };
    const bool isLarge = checked.trainingBytes > 10'000'000;
    double ratio = ratioAfter(options.steps > 0 ? options.steps : isLarge ? kFewUpdates : kAllUpdates);
    if (options.steps == 0 && isOff(ratio))
        ratio = ratioAfter(kAllUpdates);
    const bool off = isOff(ratio);
    fmt::print("{:20} {:6} {:12.3f} {:12.3f} {:8.2f}{}\n", file.stem().string(), batch,
               megabytes(checked.trainingBytes), megabytes(memory.peak()), ratio, off ? "  off" : "");
    if (options.nodes)
        printNodes(experiment, *model, *data, memory);
    std::fflush(stdout);
    return off ? 1 : 0;
}

/// Whether it worked, and the estimate is near enough.
bool measureInChild(const fs::path& file, std::int64_t batch, const Options& options)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(measure(file, batch, options));
    int status = 0;
    if (waitpid(child, &status, 0) == child && status == 0)
        return true;
    fmt::print(stderr, "{} with batch {}: the estimate is off, or nothing could be measured\n", file.string(), batch);
    return false;
}

/// Nothing when a word is not understood.
bool read(int count, char** words, Options& options)
{
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        std::int64_t number = 0;
        const auto follows = [&](std::string_view name) {
            return word.starts_with(name) &&
                   std::from_chars(word.data() + name.size(), word.data() + word.size(), number).ec == std::errc() &&
                   number > 0;
        };
        if (word == "--nodes")
            options.nodes = true;
        else if (word == "--amx")
            options.amx = true;
        else if (follows("--batch="))
            options.batches.push_back(number);
        else if (follows("--steps="))
            options.steps = number;
        else if (follows("--within="))
            options.within = number;
        else if (word.starts_with("--set="))
            options.assignments.emplace_back(word.substr(word.find('=') + 1));
        else if (word.starts_with("-"))
            return false;
        else
            options.names.emplace_back(word);
    }
    if (options.batches.empty())
        options.batches = {16, 64};
    return true;
}

int run(int count, char** words)
{
    Options options;
    if (!read(count, words, options)) {
        fmt::print(stderr,
                   "usage: unroll_memory_bench [NAME...] [--batch=N]... [--set=NODE.PARAM=VALUE]... [--steps=N] "
                   "[--within=PERCENT] [--nodes] [--amx]\n");
        return 2;
    }
    fmt::print("{:20} {:>6} {:>12} {:>12} {:>8}\n", "experiment", "batch", "estimate MB", "measured MB", "ratio");
    std::fflush(stdout);
    bool good = true;
    for (const fs::path& file : galleryExperiments())
        if (options.names.empty() || std::ranges::find(options.names, file.stem().string()) != options.names.end())
            for (const std::int64_t batch : options.batches)
                good = measureInChild(file, batch, options) && good;
    return good ? 0 : 1;
}

} // namespace
} // namespace unroll::bench

int main(int count, char** words)
{
    return unroll::bench::run(count, words);
}
