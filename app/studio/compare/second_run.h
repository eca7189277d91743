// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/compare/second_side.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/run/run_controller.h"

#include <QTimer>

namespace unroll {

/// A run on disk that is opened read-only beside that of the window, and asked the same. Neither reading its folder nor
/// opening its network holds up the window. Of a run that goes on elsewhere the newest checkpoint is opened again when
/// there is another one.
class SecondRun : public QObject {
    Q_OBJECT
public:
    static constexpr int kNewsMilliseconds = 4000; ///< between looks for a newer checkpoint

    /// `beside`: the window's run, which may go first; the other network reads what that one reads, with as many
    /// threads.
    SecondRun(StartRun start, const RunController& beside, SecondSide side, QObject* parent = nullptr);

    const SecondSide& side() const { return m_side; }
    void ask(std::optional<LensQuery> query);
    /// The newest frame of the query; null: there is none.
    std::shared_ptr<const LensFrame> frame() const;
    QString trouble() const; ///< why it cannot be shown; empty: it can, or is being opened
    bool isOpen() const { return m_run.isRecord(); }

Q_SIGNALS:
    void changed();

private:
    void open();
    void show(const RunRecord& record);
    void follow();
    void lookForNews();

    SecondSide m_side;
    QPointer<const RunController> m_beside;
    RunController m_run;
    std::optional<LensQuery> m_query;
    std::int64_t m_checkpoint = -1; ///< step of the newest one when it was opened
    bool m_opening = false;
    QString m_trouble;
    QTimer m_news;
    DiskThread m_disk; ///< last: it goes first
};

} // namespace unroll
