// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/experiment.h"

#include "core/data/dataset.h"
#include "core/train/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <mutex>
#include <variant>

namespace unroll {

namespace {

std::string valueText(const ParamValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return std::to_string(*whole);
    return fmt::format("{}", std::get<double>(value));
}

/// Size and time of a file that a parameter names, so that a changed file is read again.
std::string fileStamp(const std::string& text, const std::string& folder)
{
    std::error_code error;
    const std::filesystem::path path = std::filesystem::path(folder) / text;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        return "-";
    return fmt::format("{}@{}", size, std::filesystem::last_write_time(path, error).time_since_epoch().count());
}

std::string keyOf(const std::string& block, const Params& params, const std::string& folder)
{
    std::string key = block + "\n" + folder;
    for (const auto& [name, value] : params) {
        const std::string text = valueText(value);
        key += "\n" + name + "=" + text;
        if (std::holds_alternative<std::string>(value) && !text.empty())
            key += " " + fileStamp(text, folder);
    }
    return key;
}

} // namespace

struct DataCache::State {
    using Opened = Result<std::shared_ptr<const Dataset>>;

    Builders builders;
    std::string alphabet;
    std::mutex mutex;
    std::map<std::string, Opened> opened;
};

DataCache::DataCache(Builders builders, std::string alphabet) : m_state(std::make_unique<State>())
{
    m_state->builders = std::move(builders);
    m_state->alphabet = std::move(alphabet);
}

DataCache::~DataCache() = default;

Result<std::shared_ptr<const Dataset>> DataCache::open(const std::string& block, const Params& params,
                                                       const std::string& folder)
{
    OpenSource source = m_state->builders.source(block);
    if (source == nullptr)
        return fail(fmt::format("the data block {} cannot be opened in this version", block));
    const std::string key = keyOf(block, params, folder);
    const std::lock_guard lock(m_state->mutex);
    auto found = m_state->opened.find(key);
    if (found != m_state->opened.end())
        return found->second;
    constexpr std::size_t kept = 16; // typing in a field asks for many; old ones go
    if (m_state->opened.size() >= kept)
        m_state->opened.erase(m_state->opened.begin());
    return m_state->opened.emplace(key, source({params, folder, m_state->alphabet})).first->second;
}

std::function<SourceFacts(const std::string&, const Params&)> DataCache::facts(std::string folder)
{
    return [this, folder = std::move(folder)](const std::string& block, const Params& params) {
        SourceFacts facts;
        auto dataset = open(block, params, folder);
        if (!dataset) {
            facts.error = dataset.error().text();
            // An error's place is a parameter or a file.
            const std::string& place = dataset.error().place;
            facts.errorParam = params.count(place) > 0 ? place : params.count("file") > 0 ? "file" : "";
            return facts;
        }
        facts.classes = (*dataset)->classes();
        facts.steps = (*dataset)->steps();
        return facts;
    };
}

namespace {

/// What the batch asks of the data, as the check reports it.
void checkBatch(const Experiment& experiment, DataCache& data, CheckedGraph& checked)
{
    if (checked.source == 0)
        return;
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto dataset = data.open(source.spec->id, source.params, experiment.folder);
    if (!dataset)
        return; // the check has said so
    auto accepted = (*dataset)->accepts(experiment.training.batch);
    if (accepted)
        return;
    Diagnostic diagnostic;
    diagnostic.node = checked.source;
    diagnostic.nodeName = experiment.graph.find(checked.source)->name;
    diagnostic.code = "batch-too-large";
    diagnostic.sentence = accepted.error().text();
    checked.diagnostics.push_back(std::move(diagnostic));
}

} // namespace

CheckedGraph checkExperiment(const Experiment& experiment, const BlockRegistry& registry, DataCache& data,
                             const std::string& device)
{
    const DeviceMemory memory = memoryFor(device.empty() ? experiment.training.device : device);
    CheckOptions options;
    options.sourceFacts = data.facts(experiment.folder);
    options.batch = experiment.training.batch;
    options.memoryAvailable =
        static_cast<std::int64_t>(std::min<std::uint64_t>(memory.bytes, std::numeric_limits<std::int64_t>::max()));
    options.memoryOwner = memory.owner;
    CheckedGraph checked = check(experiment.graph, registry, options);
    checkBatch(experiment, data, checked);
    return checked;
}

} // namespace unroll
