// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/disk_thread.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/runs/runs_model.h"
#include "app/studio/runs/runs_view.h"
#include "core/block/registry.h"
#include "core/session/run_record.h"

#include <QPointer>
#include <functional>

class QMessageBox;

namespace unroll {

/// What is done with the runs that are selected in the list. Everything that touches the disk is done on its thread.
/// What changes the window (another document, a run that goes on) is asked of it.
class RunsCommands : public QObject {
    Q_OBJECT
public:
    /// Puts a folder into the trash; false: it is where it was. Called on the disk's thread.
    using Trash = std::function<bool(const QString& path)>;
    /// The list, and what its commands need.
    struct List {
        RunController& controller;
        const BlockRegistry& registry;
        RunsModel& model;
        RunsView& view;
        DiskThread& disk;
        Trash trash;
    };

    /// All must outlive it but for its destructor; it belongs to the panel.
    RunsCommands(List list, QWidget& panel);

    const RunSummary* single() const; ///< the one that is selected; null: none, or several
    /// Reads a run beside, and tells of it, or why it cannot be read.
    void readRecord(const QString& folder, std::function<void(const RunRecord& record)> found);
    void reopen();
    void goOn();
    void toggleOverlays();
    void compareSettings();
    void edit(RunsModel::Column column);
    void rename(const QString& folder, const QString& name);
    void takeNote(const QString& folder, const QString& words);
    void askToDelete();

Q_SIGNALS:
    void reopenAsked(const unroll::RunRecord& record);
    void goOnAsked(const QString& folder); ///< who holds it, is found by who goes on with it
    void noted(const QString& sentence);   ///< to know
    void failed(const QString& sentence);  ///< what went wrong
    void moved();                          ///< a run lies elsewhere; changed() comes too
    void changed();                        ///< the list is to be read again

private:
    bool isMine(const RunSummary& run) const; ///< the run that this window shows
    /// Why it cannot be moved about now; empty: it can.
    QString hindrance(const RunSummary& run) const;
    void moveToTrash(const QStringList& folders);

    const List m_list;
    QWidget& m_panel;
    QPointer<QMessageBox> m_question;
};

} // namespace unroll
