// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"
#include "core/runs/race_results.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <optional>
#include <vector>

namespace unroll {

class Appearance;

/// The colour of a lane's curve, by its number; lanes behind those that are drawn have none.
std::optional<Theme::Role> laneColor(std::size_t lane);

/// The lanes of a race as rows, below each its runs. Lanes and runs keep their rows while their figures change.
class RaceTableModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column {
        Name,
        Width,
        Runs,
        Loss,
        Spread,
        Bits,
        Best,
        Accuracy,
        Parameters,
        State,
        Flops,
        Speed,
        Memory,
        Time,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, ///< a number or a text; invalid where it is not known
        FolderRole, ///< of a run; of a lane that of its best run, or its first that has started; may be empty
    };

    explicit RaceTableModel(const Appearance& appearance, QObject* parent = nullptr);

    void setResults(std::shared_ptr<const RaceResults> results);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool isLane(const QModelIndex& index) const { return index.internalId() == 0; }
    const RaceLaneResults& laneOf(const QModelIndex& index) const;
    const RaceRun& runOf(const QModelIndex& index) const;
    QVariant laneValue(std::size_t lane, int column) const;
    QVariant runValue(const RaceRun& run, const RaceLaneResults& lane, int column) const;
    QString laneText(std::size_t lane, int column) const;
    QString runText(const RaceRun& run, const RaceLaneResults& lane, int column) const;
    QVariant mark(std::size_t lane) const;
    QString tip(const QModelIndex& index) const;
    QString folder(const QModelIndex& index) const;

    const Appearance& m_appearance;
    std::shared_ptr<const RaceResults> m_results;
    std::vector<RaceRow> m_rows; ///< of the lanes, in the race's order
};

/// In the order of a column; what is not known comes last either way.
class RaceOrder : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RaceOrder(RaceTableModel& model, QObject* parent = nullptr);

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

} // namespace unroll
