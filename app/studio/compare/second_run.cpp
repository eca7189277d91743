// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/second_run.h"

#include "core/runs/run_checkpoints.h"

#include <memory>
#include <utility>

namespace unroll {

SecondRun::SecondRun(StartRun start, const RunController& beside, SecondSide side, QObject* parent)
    : QObject(parent), m_side(std::move(side)), m_beside(&beside), m_run(std::move(start))
{
    connect(&m_run, &RunController::snapshotChanged, this, &SecondRun::changed);
    connect(&m_run, &RunController::stateChanged, this, &SecondRun::changed);
    connect(&beside, &RunController::snapshotChanged, this, &SecondRun::follow);
    connect(&m_disk, &DiskThread::failed, this, [this](const QString& sentence) {
        m_opening = false;
        m_trouble = sentence;
        Q_EMIT changed();
    });
    m_news.setInterval(kNewsMilliseconds);
    connect(&m_news, &QTimer::timeout, this, &SecondRun::lookForNews);
    if (m_side.kind == SecondSide::Kind::Run)
        m_news.start();
    open();
}

void SecondRun::open()
{
    if (std::exchange(m_opening, true))
        return;
    m_disk.ask([this, folder = m_side.folder](const std::stop_token&) -> DiskThread::Answer {
        auto record = std::make_shared<const Result<RunRecord>>(readRunRecord(folder));
        return [this, record] {
            m_opening = false;
            m_trouble = *record ? QString() : QString::fromStdString(record->error().text());
            if (*record)
                show(**record);
            Q_EMIT changed();
        };
    });
}

/// The count of threads is one of the process: another one here would be another one there.
void SecondRun::show(const RunRecord& record)
{
    m_checkpoint = record.snapshot.checkpointed;
    RunRecord opened = record;
    if (m_beside && m_beside->experiment())
        opened.experiment.training.threads = m_beside->experiment()->training.threads;
    m_run.show(opened.experiment, opened,
               m_side.kind == SecondSide::Kind::Checkpoint ? m_side.checkpoint : std::string(kNewestCheckpoint));
    follow();
}

/// What the window's run reads, this one reads.
void SecondRun::follow()
{
    if (m_beside && isOpen() && m_run.reading() != m_beside->reading())
        m_run.setReading(m_beside->reading());
}

void SecondRun::lookForNews()
{
    if (m_opening || !m_query)
        return;
    m_disk.ask([this, folder = m_side.folder](const std::stop_token&) -> DiskThread::Answer {
        const auto places = RunCheckpoints(folder).all();
        const std::int64_t newest = places.empty() ? -1 : places.front().step;
        return [this, newest] {
            if (newest >= 0 && newest != m_checkpoint)
                open();
        };
    });
}

void SecondRun::ask(std::optional<LensQuery> query)
{
    m_query = std::move(query);
    m_run.ask(*this, m_query);
}

std::shared_ptr<const LensFrame> SecondRun::frame() const
{
    return m_query ? m_run.snapshot()->frameOf(*m_query) : nullptr;
}

QString SecondRun::trouble() const
{
    return m_trouble.isEmpty() ? QString::fromStdString(m_run.snapshot()->notOpened) : m_trouble;
}

} // namespace unroll
