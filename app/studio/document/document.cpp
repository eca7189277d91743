// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/document.h"

#include "app/studio/document/file_identity.h"
#include "core/train/data_paths.h"

#include <QFileInfo>

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

bool Document::apply(const GraphEdit& edit)
{
    const auto result = m_history.apply(edit);
    if (!result) {
        Q_EMIT refused(QString::fromStdString(result.error().text()));
        return false;
    }
    if (!result->empty())
        graphWasEdited();
    return true;
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

void Document::undo()
{
    if (!m_history.canUndo())
        return;
    m_history.undo();
    graphWasEdited();
}

void Document::redo()
{
    if (!m_history.canRedo())
        return;
    m_history.redo();
    graphWasEdited();
}

void Document::graphWasEdited()
{
    Q_EMIT graphChanged();
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

Result<void> Document::setTraining(const std::string& name, const ParamValue& value)
{
    auto changed = withTrainSetting(m_experiment.training, name, value);
    if (!changed)
        return tl::unexpected(changed.error());
    if (*changed == m_experiment.training)
        return {};
    m_experiment.training = *changed;
    settingsWereEdited();
    requestCheck(); // the batch counts for memory
    return {};
}

void Document::setSeed(std::uint64_t seed)
{
    if (seed == m_experiment.seed)
        return;
    m_experiment.seed = seed;
    settingsWereEdited();
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
    takeOver(std::move(experiment), std::move(saved), path);
}

void Document::restore(Experiment changes, const QString& path)
{
    Q_ASSERT(path.isEmpty() || path == m_path);
    if (!path.isEmpty())
        changes.folder = m_saved.folder;
    takeOver(std::move(changes), path.isEmpty() ? Experiment{} : m_saved, path);
}

void Document::takeOver(Experiment experiment, Experiment saved, const QString& path)
{
    m_history = History(experiment.graph);
    m_experiment = std::move(experiment);
    m_saved = std::move(saved);
    m_experiment.graph = {};
    m_path = path;
    m_checked = std::make_shared<const CheckedGraph>();
    m_data.clear();
    Q_EMIT replaced();
    Q_EMIT graphChanged();
    Q_EMIT settingsChanged();
    Q_EMIT fileChanged();
    requestCheck();
}

Result<void> Document::save(const QString& path)
{
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
    const bool hasMoved = !(m_saved.graph == graph());
    if (from != to)
        m_history.rewrite(move);
    if (hasMoved)
        graphWasEdited();
    else
        Q_EMIT fileChanged();
    return {};
}

bool Document::isModified() const
{
    return !(experiment() == m_saved);
}

} // namespace unroll
