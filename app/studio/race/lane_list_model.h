// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/race_places.h"
#include "core/runs/race.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace unroll {

class Appearance;

/// What came of solving the width of a block.
struct LaneFit {
    QString width;        ///< "units = 96", "as it is"; empty where `fault` says why not
    double size = 0;      ///< as it is matched
    double deviation = 0; ///< of it from the target, a part, with its sign
    QString fault;
    RaceLane lane = {}; ///< its figures; not its name
};

/// What can take a node's place as rows: one can be ticked, and has settings of its own.
class LaneListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Block, Settings, Width, Size, Deviation, ColumnCount };

    explicit LaneListModel(const Appearance& appearance, QObject* parent = nullptr);

    /// The first of them, the place's own, is ticked; nothing is solved yet.
    void setPlace(const RacePlace& place);
    void setSizeTitle(const QString& title);                ///< of the column Size: "Parameters"
    int addVariant(int row);                                ///< another row of the same block below it; its number
    void setFit(int row, const QString& wish, LaneFit fit); ///< unless the row wishes for something else by now
    void forgetFits();

    const BlockSpec& specAt(int row) const { return *m_rows[static_cast<std::size_t>(row)].choice.spec; }
    QString titleAt(int row) const; ///< "GRU", "body with GRU"
    QString wishAt(int row) const;  ///< "mru:num_heads=4"
    const std::optional<LaneFit>& fitAt(int row) const { return m_rows[static_cast<std::size_t>(row)].fit; }
    bool isTicked(int row) const { return m_rows[static_cast<std::size_t>(row)].ticked; }
    void tick(int row, bool ticked);
    std::vector<int> tickedRows() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void wishChanged(int row); ///< it is to be solved again
    void ticksChanged();

private:
    struct Row {
        RaceChoice choice;
        QString settings; ///< as typed: "num_heads=4, bias=false"
        bool ticked = false;
        std::optional<LaneFit> fit;
    };
    QString text(const Row& row, int column) const;
    QVariant tip(const Row& row) const;
    void rowChanged(int row);

    const Appearance& m_appearance;
    QString m_sizeTitle;
    std::vector<std::string> m_inside; ///< of a group
    std::vector<Row> m_rows;
};

} // namespace unroll
