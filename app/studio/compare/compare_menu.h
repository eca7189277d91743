// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/compare/second_side.h"
#include "app/studio/lenses/lens_view.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/run/start_run.h"

#include <QMenu>
#include <memory>

namespace unroll {

/// What a comparison needs beyond what its view was made from. The functions may be called as long as the view is
/// there.
struct CompareDesk {
    LensDesk lens;
    StartRun startRun;                ///< opens the other network
    std::function<QString()> place{}; ///< where the runs of the document lie
};

/// What a lens can be compared with, made again each time it is opened. What lies on disk is read meanwhile, and comes
/// into the open menu.
class CompareMenu : public QMenu {
    Q_OBJECT
public:
    CompareMenu(const LensView& view, const CompareDesk& desk, QWidget* parent = nullptr);

    void setNow(const SecondSide& side) { m_now = side; } ///< has the tick

Q_SIGNALS:
    void chosen(const unroll::SecondSide& side);

private:
    void fill();
    void addSide(QMenu& menu, const QString& words, const SecondSide& side);
    QMenu* addPart(const QString& words);
    void addRuns();
    void addCheckpoints();
    void addCopies();
    void addTouched();
    void say(QMenu& menu, const QString& words);

    const LensView& m_view;
    const CompareDesk m_desk;
    SecondSide m_now;
    int m_filled = 0;                   ///< times: answers of the disk are for one of them
    std::unique_ptr<DiskThread> m_disk; ///< once the menu was opened
};

} // namespace unroll
