// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/run_controller.h"
#include "app/studio/runs/overlaid_runs.h"
#include "app/studio/runs/runs_bar.h"
#include "app/studio/runs/runs_commands.h"
#include "app/studio/runs/runs_view.h"
#include "core/block/registry.h"

#include <QAction>
#include <QLabel>
#include <QStackedWidget>
#include <QTimer>
#include <functional>

class QMenu;

namespace unroll {

class EmptyState;

/// What can be done with runs of the list.
struct RunsActions {
    QAction* reopen = nullptr;
    QAction* openGraph = nullptr;
    QAction* goOn = nullptr;
    QAction* overlay = nullptr;
    QAction* compare = nullptr; ///< the settings of two
    QAction* rename = nullptr;
    QAction* note = nullptr;
    QAction* showFolder = nullptr;
    QAction* remove = nullptr;
};

/// The runs beside the experiment: a table with a filter and commands on its rows. Everything that touches the disk is
/// done on a thread of its own. What changes the window (another document, a run that goes on) is asked of the window.
class RunsPanel : public QWidget {
    Q_OBJECT
public:
    using Trash = RunsCommands::Trash;

    RunsPanel(RunController& controller, const BlockRegistry& registry, const Appearance& appearance,
              const ColumnSettings& columns, Trash trash, QWidget* parent = nullptr);
    ~RunsPanel() override;

    /// The folder whose runs are listed. Need not be there.
    void setPlace(const QString& place);
    const QString& place() const { return m_place; }
    /// Marks the runs that are drawn, by folder, with their colours.
    void showColors(std::map<QString, Theme::Role> colors) { m_model.setColors(std::move(colors)); }
    /// Reads the list again; at once where it is seen, else when it will be.
    void refresh();

    RunsCommands& commands() const { return *m_commands; }
    RunsView& view() const { return *m_view; }
    const RunsModel& model() const { return m_model; }
    const RunsActions& actions() const { return m_actions; }
    QLineEdit& filterField() const { return m_bar->filterField(); }
    RunsBar& bar() const { return *m_bar; }
    bool isEmpty() const { return m_pages->currentIndex() == NoRuns; }
    bool isReading() const { return m_reading; }

Q_SIGNALS:
    void reopenAsked(const unroll::RunRecord& record);
    void goOnAsked(const QString& folder); ///< who holds it, is found by who goes on with it
    void graphAsked(const QString& folder);
    void folderAsked(const QString& folder);
    void noted(const QString& sentence);  ///< to know
    void failed(const QString& sentence); ///< what went wrong
    void overlaysChanged(const std::vector<unroll::CurveOverlay>& curves);

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum Page { NoRuns, Table, NoneFits };
    void makeActions(const Appearance& appearance);
    void connectParts();
    void showRuns(std::vector<RunSummary> runs);
    void refreshPage();
    void refreshSelection();
    void followRun();
    void showMenu(const QPoint& at);

    RunController& m_controller;
    RunsModel m_model;
    DiskThread m_disk;
    OverlaidRuns m_overlaid;
    RunsActions m_actions;
    RunsBar* m_bar = nullptr;
    QStackedWidget* m_pages;
    EmptyState* m_noRuns;
    EmptyState* m_noneFits;
    RunsView* m_view;
    RunsCommands* m_commands;
    QLabel* m_reason;
    QString m_place;
    std::string m_runFolder; ///< of the window's run, as last seen
    bool m_reading = false;
    bool m_isStale = true; ///< to be read, now or when the panel is seen
    QTimer m_watch;        ///< for runs that others write
};

} // namespace unroll
