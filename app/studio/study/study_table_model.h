// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/study_view_state.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <optional>
#include <set>

namespace unroll {

class Appearance;

/// The trials of a study as rows; behind the fixed columns one for each setting. Rows stay while their figures change.
class StudyTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Trial, State, Value, Report, Step, Time, Parameters, FixedCount };
    enum Role {
        SortRole = Qt::UserRole, ///< a number or a text; invalid where it is not known
        NumberRole,              ///< of the trial
        FolderRole               ///< of its run; empty: it has none
    };

    explicit StudyTableModel(const Appearance& appearance, QObject* parent = nullptr);

    void setPlot(const StudyPlot& plot);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool isKnown(int column) const; ///< of one trial at least

private:
    QVariant value(std::size_t trial, int column) const;
    QString text(std::size_t trial, int column) const;
    QString tip(std::size_t trial) const;
    bool isOfNumbers(int column) const;

    const Appearance& m_appearance;
    StudyPlot m_plot;
    std::optional<std::size_t> m_best;
};

/// In the order of a column, what is not known last either way; trials outside the brushes are left out.
class StudyOrder : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit StudyOrder(StudyTableModel& model, QObject* parent = nullptr);
    void setShown(std::set<std::int64_t> trials);

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    std::set<std::int64_t> m_shown;
};

} // namespace unroll
