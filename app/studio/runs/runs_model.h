// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/overlay.h"
#include "core/runs/run_summary.h"
#include "core/session/snapshot.h"

#include <QAbstractTableModel>
#include <map>
#include <set>
#include <vector>

namespace unroll {

class Appearance;

/// Runs as rows, in no order of its own. A run keeps its row, and what is selected or typed there, for as long as its
/// folder is there. Editing a name or a note only asks for it: the disk decides.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Name,
        State,
        Best,
        Last,
        Steps,
        Time,
        Started,
        Experiment,
        Parameters,
        Seed,
        Rate,
        Device,
        Size,
        Note,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, ///< a number or a text; invalid where it is not known
        ExperimentRole,          ///< title of its experiment, of any column; invalid where none can be read
        WordsRole,               ///< all that a filter looks at, of any column
    };
    static constexpr std::size_t kMostOverlaid = kOverlayColors.size();

    explicit RunsModel(const Appearance& appearance, QObject* parent = nullptr);

    void setRuns(std::vector<RunSummary> runs);
    /// Figures of the window's own run, newer than those on disk. None is in progress: those of the disk count.
    void follow(const Snapshot& snapshot);
    /// A folder has another path now: the row stays.
    void setFolder(const QString& from, const QString& to);

    /// In which colour a run's curves are drawn, by folder.
    void setColors(std::map<QString, Theme::Role> colors);

    const RunSummary& at(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    QString folderAt(int row) const;
    int rowOf(const QString& folder) const; ///< -1: not there
    const std::set<QString>& overlaid() const { return m_overlaid; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void renameAsked(const QString& folder, const QString& name);
    void noteAsked(const QString& folder, const QString& words);
    void overlaidChanged();
    void tooManyOverlaid();

private:
    QString text(const RunSummary& run, Column column) const;
    QVariant sortKey(const RunSummary& run, Column column) const;
    bool setOverlaid(const QModelIndex& index, bool overlaid);
    void removeGone(const std::vector<RunSummary>& runs);
    void update(int row, RunSummary run);
    void figuresChanged(int row);
    QVariant mark(const QString& folder) const;

    const Appearance& m_appearance;
    std::vector<RunSummary> m_runs;
    std::set<QString> m_overlaid; ///< folders
    std::map<QString, Theme::Role> m_colors;
};

} // namespace unroll
