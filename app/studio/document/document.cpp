// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/document.h"

#include "app/studio/document/file_identity.h"
#include "core/experiment/data_paths.h"
#include "core/runs/run_names.h"

#include <QFileInfo>
#include <utility>

namespace unroll {

Document::Document(const BlockRegistry& registry, DataCache& data, QObject* parent)
    : QObject(parent),
      m_registry(registry),
      m_checker(registry, data),
      m_history(Graph{}),
      m_checked(std::make_shared<const CheckedGraph>())
{
    connect(&m_checker, &Checker::checked, this,
            [this](std::shared_ptr<const CheckedGraph> result, const DataSummaries& summaries) {
                m_checked = std::move(result);
                m_data = summaries;
                Q_EMIT checkedChanged();
            });
}

std::shared_ptr<const DataSummary> Document::data(NodeId node) const
{
    const auto found = m_data.find(node);
    return found == m_data.end() ? nullptr : found->second;
}

bool Document::readsNumbers() const
{
    const auto source = sourceData();
    return source != nullptr && !source->columns.empty();
}

QString Document::title() const
{
    if (!m_path.isEmpty())
        return QFileInfo(m_path).completeBaseName();
    return m_experiment.title.empty() ? tr("Untitled") : QString::fromStdString(m_experiment.title);
}

Experiment Document::experiment() const
{
    Experiment whole = m_experiment;
    whole.graph = graph();
    return whole;
}

bool Document::merges(const std::string& key, bool isOfGraph) const
{
    return m_typing && m_done > 0 && !key.empty() && m_steps[m_done - 1].mergeKey == key &&
           m_steps[m_done - 1].settings.has_value() != isOfGraph;
}

/// What had been taken back cannot be made again.
void Document::addStep(Step step)
{
    m_steps.resize(m_done);
    m_steps.push_back(std::move(step));
    ++m_done;
}

bool Document::apply(const GraphEdit& edit, Edit kind)
{
    if (kind == Edit::Whole)
        endMerge();
    const bool isSame = merges(edit.mergeKey, true);
    if (!isSame)
        endMerge();
    const std::uint64_t before = m_history.revision();
    const auto result = m_history.apply(edit);
    if (!result) {
        Q_EMIT refused(QString::fromStdString(result.error().text()));
        return false;
    }
    if (m_history.revision() == before)
        return true;
    if (isSame)
        m_steps.resize(m_done);
    else
        addStep({edit.name, edit.mergeKey});
    m_typing = true;
    if (kind == Edit::Whole)
        endMerge();
    graphWasEdited(*result);
    return true;
}

void Document::endMerge()
{
    m_history.endMerge();
    if (!std::exchange(m_typing, false) || m_done == 0 || m_done < m_steps.size())
        return;
    const Step& last = m_steps.back();
    bool isNothing = last.settings && last.settings->first == last.settings->second;
    if (!last.settings && !last.mergeKey.empty()) {
        const Graph after = graph();
        m_history.undo();
        isNothing = graph() == after;
        if (!isNothing)
            m_history.redo();
    }
    if (!isNothing)
        return;
    m_steps.pop_back();
    --m_done;
    Q_EMIT historyChanged();
}

bool Document::mend(const Fix& fix)
{
    if (!fix.setting)
        return apply(fix.edit);
    const auto set = setTraining(fix.setting->name, fix.setting->value);
    if (!set)
        Q_EMIT refused(QString::fromStdString(set.error().text()));
    return set.has_value();
}

/// The graph's history is bounded: the oldest steps may be gone from it.
bool Document::canUndo() const
{
    return m_done > 0 && (m_steps[m_done - 1].settings || m_history.canUndo());
}

std::string Document::undoName() const
{
    return canUndo() ? m_steps[m_done - 1].name : std::string();
}

std::string Document::redoName() const
{
    return canRedo() ? m_steps[m_done].name : std::string();
}

void Document::undo()
{
    endMerge();
    if (!canUndo())
        return;
    const Step& step = m_steps[--m_done];
    if (step.settings)
        return show(step.settings->first);
    graphWasEdited(m_history.undo());
}

void Document::redo()
{
    endMerge();
    if (!canRedo())
        return;
    const Step& step = m_steps[m_done++];
    if (step.settings)
        return show(step.settings->second);
    graphWasEdited(m_history.redo());
}

void Document::show(const Settings& settings)
{
    m_experiment.training = settings.training;
    m_experiment.seed = settings.seed;
    m_experiment.title = settings.title;
    m_experiment.summary = settings.summary;
    Q_EMIT historyChanged();
    settingsWereEdited();
    requestCheck(); // the batch counts for memory
}

void Document::graphWasEdited(const GraphDiff& change)
{
    Q_EMIT historyChanged();
    Q_EMIT graphChanged(change);
    Q_EMIT fileChanged();
    requestCheck();
}

void Document::settingsWereEdited()
{
    Q_EMIT settingsChanged();
    Q_EMIT fileChanged();
}

void Document::requestCheck()
{
    m_checker.request(experiment());
}

void Document::changeSettings(const std::string& name, const std::string& key, const Settings& to, Edit kind)
{
    const Settings before = settingsNow();
    if (to == before)
        return;
    if (kind == Edit::Whole || !merges(key, false))
        endMerge();
    if (merges(key, false))
        m_steps.back().settings->second = to;
    else
        addStep({name, key, std::pair(before, to)});
    m_typing = true;
    if (kind == Edit::Whole)
        endMerge();
    show(to);
}

Result<void> Document::setTraining(const std::string& name, const ParamValue& value, Edit kind)
{
    auto changed = withTrainSetting(m_experiment.training, name, value);
    if (!changed)
        return tl::unexpected(changed.error());
    Settings to = settingsNow();
    to.training = std::move(*changed);
    changeSettings("Set " + name, "training/" + name, to, kind);
    return {};
}

void Document::setSeed(std::uint64_t seed, Edit kind)
{
    Settings to = settingsNow();
    to.seed = seed;
    changeSettings("Set seed", "seed", to, kind);
}

void Document::setTitle(const QString& title, Edit kind)
{
    Settings to = settingsNow();
    to.title = title.toStdString();
    changeSettings("Set title", "title", to, kind);
}

void Document::setSummary(const QString& summary, Edit kind)
{
    Settings to = settingsNow();
    to.summary = summary.toStdString();
    changeSettings("Set summary", "summary", to, kind);
}

void Document::setProbeText(const std::string& text)
{
    if (text == m_experiment.probeText)
        return;
    m_experiment.probeText = text;
    settingsWereEdited();
    requestCheck(); // whether the data have its characters
}

void Document::noteWatched(const std::string& node, const std::string& signal)
{
    m_experiment.watchNode = m_saved.watchNode = node;
    m_experiment.watchSignal = m_saved.watchSignal = signal;
}

void Document::replace(Experiment experiment, const QString& path)
{
    m_stamp = fileStamp(path);
    Experiment saved = experiment;
    takeOver(std::move(experiment), std::move(saved), path, true);
}

void Document::restore(Experiment changes, const QString& path)
{
    Q_ASSERT(path.isEmpty() || path == m_path);
    if (!path.isEmpty())
        changes.folder = m_saved.folder;
    takeOver(std::move(changes), path.isEmpty() ? Experiment{} : m_saved, path, false);
}

void Document::takeOver(Experiment experiment, Experiment saved, const QString& path, bool isSaved)
{
    m_history = History(experiment.graph);
    m_steps.clear();
    m_done = 0;
    m_typing = false;
    m_experiment = std::move(experiment);
    m_saved = std::move(saved);
    m_experiment.graph = m_saved.graph = {};
    m_savedGraph = isSaved ? std::optional(m_history.revision()) : std::nullopt;
    m_path = path;
    m_checked = std::make_shared<const CheckedGraph>();
    m_data.clear();
    Q_EMIT replaced();
    Q_EMIT historyChanged();
    Q_EMIT graphChanged({});
    Q_EMIT settingsChanged();
    Q_EMIT fileChanged();
    requestCheck();
}

Result<void> Document::save(const QString& path)
{
    if (auto outside = outsideRuns(path.toStdString()); !outside) // what the run was trained as is its record
        return outside;
    const std::string from = m_experiment.folder, to = QFileInfo(path).absolutePath().toStdString();
    const auto move = [&](const Graph& graph) { return moveDataPaths(graph, m_registry, from, to); };
    Experiment whole = experiment();
    whole.graph = move(whole.graph);
    if (auto saved = saveExperiment(whole, path.toStdString()); !saved)
        return saved;
    m_path = path;
    m_stamp = fileStamp(path);
    m_experiment.folder = whole.folder = to;
    m_saved = std::move(whole);
    m_saved.graph = {};
    endMerge();
    const Graph before = graph();
    if (from != to)
        m_history.rewrite(move);
    m_savedGraph = m_history.revision();
    if (const GraphDiff moved = diff(before, graph()); !moved.empty())
        graphWasEdited(moved);
    else
        Q_EMIT fileChanged();
    return {};
}

bool Document::isModified() const
{
    return m_savedGraph != m_history.revision() || !(m_experiment == m_saved);
}

} // namespace unroll
