// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/checker.h"
#include "core/block/diagnostic.h"
#include "core/experiment/experiment.h"
#include "core/graph/edit.h"

#include <QByteArray>
#include <QObject>
#include <QString>
#include <deque>
#include <optional>

namespace unroll {

/// The experiment of one window: graph and training settings with one undo stack, the file, and what the check says.
/// Every change goes through here; views ask it and redraw on its signals. What is viewed (the probe text, the
/// watched signal) is not part of undo. GUI thread only.
class Document : public QObject {
    Q_OBJECT
public:
    Document(const BlockRegistry& registry, DataCache& data, QObject* parent = nullptr);

    const BlockRegistry& registry() const { return m_registry; }
    const Graph& graph() const { return m_history.graph(); }
    const TrainSettings& training() const { return m_experiment.training; }
    std::uint64_t seed() const { return m_experiment.seed; }
    QString title() const; ///< what the window is called: by its file, else by its title
    QString givenTitle() const { return QString::fromStdString(m_experiment.title); } ///< as in the file; may be empty
    QString summary() const { return QString::fromStdString(m_experiment.summary); }
    const std::string& folder() const { return m_experiment.folder; } ///< where relative data paths begin
    const std::string& probeText() const { return m_experiment.probeText; }
    const std::string& watchNode() const { return m_experiment.watchNode; }
    const std::string& watchSignal() const { return m_experiment.watchSignal; }
    Experiment experiment() const; ///< a whole copy, as it would be saved
    /// The newest result; lags behind an edit by the time of one check. Never null; at first empty.
    const std::shared_ptr<const CheckedGraph>& checked() const { return m_checked; }
    /// What a data node of the top graph reads; lags likewise. nullptr: not known yet, or no data node.
    std::shared_ptr<const DataSummary> data(NodeId node) const;
    std::shared_ptr<const DataSummary> sourceData() const
    {
        return data(m_checked->source);
    }                          ///< of the one that trains
    bool readsNumbers() const; ///< it trains on the columns of a table; false while that is not known

    /// How an edit stands in the undo stack.
    enum class Edit {
        Whole,  ///< a step of its own
        Typing, ///< one step with those of the same field before it, until endMerge()
    };
    /// False when the edit was refused: refused() has said why.
    bool apply(const GraphEdit& edit, Edit kind = Edit::Whole);
    bool mend(const Fix& fix); ///< makes the change of a fix; false as above
    bool canUndo() const;
    bool canRedo() const { return m_done < m_steps.size(); }
    std::string undoName() const; ///< of the step that undo takes back; empty when there is none
    std::string redoName() const;
    void undo();
    void redo();
    /// What was typed is whole. One that is as it was before is not a step.
    void endMerge();
    const History& history() const { return m_history; } ///< of the graph alone

    /// Errors: as withTrainSetting.
    Result<void> setTraining(const std::string& name, const ParamValue& value, Edit kind = Edit::Whole);
    void setSeed(std::uint64_t seed, Edit kind = Edit::Whole);
    void setTitle(const QString& title, Edit kind = Edit::Whole);
    void setSummary(const QString& summary, Edit kind = Edit::Whole);
    void setProbeText(const std::string& text);
    /// What the heat map shows now: saved with the file, but looking at something else is no change that asks to be
    /// saved.
    void noteWatched(const std::string& node, const std::string& signal);

    /// Takes over an experiment, as from a file (path) or unsaved (empty path); the undo stack is cleared.
    void replace(Experiment experiment, const QString& path);
    /// Likewise, with changes that were never saved: modified until they are. `path` is that of the open file, which
    /// stays as it is, or empty.
    void restore(Experiment changes, const QString& path);
    /// Into another folder: relative data paths, in the undo stack too, are written so that they name the same files
    /// from there.
    Result<void> save(const QString& path);
    const QString& path() const { return m_path; }
    /// fileStamp of the file when it was last read or written here: differs from now when someone else has written it.
    const QByteArray& stamp() const { return m_stamp; }
    bool isModified() const;

Q_SIGNALS:
    void replaced(); ///< another experiment altogether
    /// With what differs at the top and inside its groups; nothing where replaced() has just said that all does.
    void graphChanged(const unroll::GraphDiff& change);
    void historyChanged(); ///< what undo and redo would do
    void checkedChanged();
    void settingsChanged(); ///< training, seed, title, summary, probe text
    void fileChanged();     ///< path or modified mark
    void refused(const QString& sentence);

private:
    /// What undo covers beside the graph.
    struct Settings {
        TrainSettings training;
        std::uint64_t seed = 0;
        std::string title, summary;
        bool operator==(const Settings&) const = default;
    };
    /// One of the undo stack: a change of settings, or the graph's own next step.
    struct Step {
        std::string name;
        std::string mergeKey;
        std::optional<std::pair<Settings, Settings>> settings{}; ///< before and after; nothing: it is the graph's
    };
    bool merges(const std::string& key, bool isOfGraph) const;
    void addStep(Step step);
    Settings settingsNow() const { return {training(), seed(), m_experiment.title, m_experiment.summary}; }
    void changeSettings(const std::string& name, const std::string& key, const Settings& to, Edit kind);
    void show(const Settings& settings);
    void graphWasEdited(const GraphDiff& change);
    void settingsWereEdited();
    void requestCheck();
    void takeOver(Experiment experiment, Experiment saved, const QString& path, bool isSaved);

    const BlockRegistry& m_registry;
    Checker m_checker;
    Experiment m_experiment; ///< its graph is not used: the history's counts
    History m_history;
    std::deque<Step> m_steps; ///< of graph and settings, in the order in which they were made
    std::size_t m_done = 0;   ///< so many of them stand; the others can be made again
    bool m_typing = false;    ///< the newest may still grow
    std::shared_ptr<const CheckedGraph> m_checked;
    DataSummaries m_data;
    QString m_path;
    QByteArray m_stamp;
    Experiment m_saved; ///< as on disk, without its graph, to tell whether anything differs
    std::optional<std::uint64_t> m_savedGraph =
        0; ///< History::revision of the graph on disk; nothing: it was never in this history
};

} // namespace unroll
