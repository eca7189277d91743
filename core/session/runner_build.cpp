// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include "core/train/device.h"
#include "core/train/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

void Runner::build()
{
    setState(RunState::Building);
    if (auto prepared = prepare(); !prepared) {
        m_view.failure = prepared.error().text();
        if (!hasErrors(m_view.problems))
            problem("build", prepared.error().place, prepared.error().message);
        setState(RunState::Failed);
        return;
    }
    if (m_trainer->done())
        setState(RunState::Finished);
    else
        setState(RunState::Paused);
}

Result<void> Runner::prepare()
{
    if (auto loaded = loadCudaPlugin(); !loaded) // before anything else of torch
        return loaded;
    keepTensorMemory();
    m_experiment.training.threads = prepareWorkerThread(m_experiment.training.threads, m_options.behindWindow);
    auto device = resolveDevice(m_experiment.training.device);
    if (!device)
        return tl::unexpected(device.error());
    auto checked = checkAll();
    if (!checked)
        return tl::unexpected(checked.error());
    if (auto built = buildModel(*checked, *device); !built)
        return built;
    if (auto loaded = loadInitialWeights(); !loaded)
        return loaded;
    if (auto opened = openRunFolder(*device); !opened)
        return opened;
    describeRun(*device);
    return {};
}

Result<CheckedGraph> Runner::checkAll()
{
    DataCache cache(m_builders);
    CheckedGraph checked = checkExperiment(m_experiment, m_registry, cache);
    if (!checked.runnable()) {
        m_view.problems = checked.diagnostics;
        const auto& all = checked.diagnostics;
        const auto first =
            std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
        return unroll::fail(first->sentence, first->nodeName);
    }
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto data = cache.open(source.spec->id, source.params, m_experiment.folder);
    if (!data)
        return tl::unexpected(data.error());
    m_data = *data;
    return checked;
}

Result<void> Runner::buildModel(const CheckedGraph& checked, const std::string& device)
{
    auto model = Model::build(m_experiment.graph, checked, m_registry, m_builders, m_experiment.seed);
    if (!model)
        return tl::unexpected(model.error());
    m_model = std::move(*model);
    m_model->to(at::Device(device));
    m_trainer = std::make_unique<Trainer>(m_experiment, *m_model, *m_data);
    return {};
}

Result<void> Runner::loadInitialWeights()
{
    if (m_options.initialWeights.empty())
        return {};
    auto report = loadWeights(m_options.initialWeights, *m_model, false);
    if (!report)
        return tl::unexpected(report.error());
    note(fmt::format("initial weights from {}: {} taken, {} not in the file, {} not in the model, {} of another shape",
                     m_options.initialWeights, report->loaded.size(), report->missing.size(), report->unexpected.size(),
                     report->mismatched.size()));
    for (const std::string& name : report->missing)
        note("not in the file: " + name);
    for (const std::string& name : report->unexpected)
        note("not in the model: " + name);
    for (const std::string& line : report->mismatched)
        note("another shape: " + line);
    return {};
}

Result<void> Runner::openRunFolder(const std::string& device)
{
    if (m_options.runFolder.empty())
        return {};
    if (m_options.resume)
        return resume();
    const RunEnvironment environment =
        unroll::describeRun(*m_data, device, m_experiment.training.threads, m_experiment.seed);
    auto folder = RunFolder::create(m_options.runFolder, m_experiment, environment);
    if (!folder)
        return tl::unexpected(folder.error());
    m_folder.emplace(std::move(*folder));
    return {};
}

/// The newest checkpoint that can be read; what is wrong with newer ones is noted.
Result<RunProgress> Runner::readNewest(const RunCheckpoints& checkpoints)
{
    Result<RunProgress> progress = unroll::fail("has no checkpoint to go on from", m_options.runFolder);
    for (const CheckpointPlace& place : checkpoints.all()) {
        progress = readCheckpoint(place.folder.string(), *m_model, *m_trainer);
        if (progress)
            return progress;
        note("checkpoint passed over: " + progress.error().text());
    }
    return progress;
}

Result<void> Runner::resume()
{
    auto folder = RunFolder::open(m_options.runFolder);
    if (!folder)
        return tl::unexpected(folder.error());
    auto progress = readNewest(folder->checkpoints());
    if (!progress)
        return tl::unexpected(progress.error());
    if (auto resumed = folder->resumeAt(progress->step); !resumed)
        return resumed;
    m_folder.emplace(std::move(*folder));
    m_best = *progress;
    m_secondsBefore = progress->seconds;
    m_checkpointed = progress->step;
    m_view.step = progress->step;
    m_view.bestValidationLoss = progress->bestValidationLoss;
    m_view.bestStep = progress->bestStep;
    note(fmt::format("resumed at step {}", progress->step));
    return {};
}

void Runner::describeRun(const std::string& device)
{
    const std::int64_t threads = m_experiment.training.threads;
    m_view.device = device == "cpu" ? fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s") : device;
    m_view.steps = m_experiment.training.steps;
    m_view.runFolder = m_options.runFolder;
    m_view.entropyFloor = m_data->entropyFloor(Split::Validation);
    for (const std::string& node : m_model->recurrentNodes())
        if (const std::string path = m_model->trainingPath(node); !path.empty())
            m_view.trainingPaths.push_back(node + ": " + path);
    for (const std::string& line : m_data->notices())
        note(line);
    m_probeText = makeProbeText(*m_data, m_experiment.probeText);
}

} // namespace unroll
