// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/lane_list_model.h"
#include "app/studio/race/race_form.h"
#include "app/studio/race/race_places.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/theme/message_bar.h"
#include "core/experiment/data_cache.h"
#include "core/runs/race_plan.h"

#include <QDialog>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <memory>

class QPushButton;

namespace unroll {

/// What a race is asked from: an experiment as it is now, and the nodes whose block may differ (at least one).
struct RaceSource {
    const BlockRegistry& registry;
    DataCache& data;
    const Appearance& appearance;
    Experiment experiment;
    QString name; ///< of the experiment
    std::vector<RacePlace> places;
    QString folder; ///< proposed
};

/// "Compare Cells": which blocks, made equal in what, for how long, where to. Widths are solved on a thread of its own
/// as soon as they are asked for; nothing is trained here. Start writes the race's folder.
class RaceDialog : public QDialog {
    Q_OBJECT
public:
    explicit RaceDialog(RaceSource source, QWidget* parent = nullptr);

    LaneListModel& lanes() { return m_lanes; }
    QTreeView& view() const { return *m_view; }
    RaceForm& form() const { return *m_form; }
    QString note() const; ///< what would be done, or why nothing can be
    MessageBar& messages() const { return *m_messages; }

Q_SIGNALS:
    /// The folder is written: its runs can be trained, so many at once.
    void started(const QString& folder, int parallel);

private:
    void makeList();
    QLayout* makeButtons();
    QWidget* makePlaceRow();
    void choosePlace(int index);
    void solveAll();
    void solve(int row);
    CheckLane check() const;
    void takeTarget(quint64 asked, const Result<double>& target, std::int64_t tokens);
    void addVariant();
    void editSettings(int row);
    void showFault();
    QString fault() const;
    QString plan() const;
    QString leftOut() const;              ///< ticked blocks that cannot be matched, with the reason
    QString warnings() const;             ///< raceWarnings of those that can
    std::vector<int> matchedRows() const; ///< ticked, and not known to be unmatched
    void refresh();
    void start();

    RaceSource m_source;
    std::shared_ptr<const Experiment> m_experiment;
    LaneListModel m_lanes;
    QSortFilterProxyModel m_shown;
    std::size_t m_place = 0;
    MessageBar* m_messages;
    QLineEdit* m_filter;
    QTreeView* m_view;
    QLabel* m_fault; ///< why the selected block cannot be matched
    RaceForm* m_form;
    QLabel* m_note;
    QPushButton* m_variant = nullptr;
    QPushButton* m_start = nullptr;
    std::optional<double> m_target; ///< nothing: not known yet, or there is none
    QString m_trouble;              ///< why nothing can be matched
    quint64 m_asked = 0;            ///< counts what was asked for: answers to earlier questions are dropped
    bool m_isStarting = false;
    DiskThread m_thread; ///< last member: it ends before what it reads goes
};

} // namespace unroll
