// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_job.h"

#include <exception>
#include <utility>

namespace unroll {

namespace {

/// What the engine throws besides, memory that ran out above all, is an error like any other here.
Result<ExportReport> exportSafely(const ExportRequest& request, const BlockRegistry& registry, const Builders& builders)
{
    try {
        return exportRun(request, registry, builders, onnx::allStepWriters());
    } catch (const std::exception& exception) {
        return fail(exception.what(), request.run);
    }
}

} // namespace

ExportJob::ExportJob(const BlockRegistry& registry, Builders builders, QObject* parent)
    : QObject(parent), m_registry(registry), m_builders(std::move(builders))
{}

ExportJob::~ExportJob() = default;

void ExportJob::start(const ExportRequest& request)
{
    Q_ASSERT(!m_running);
    m_running = true;
    m_thread = std::jthread([this, request](const std::stop_token& stop) { work(stop, request); });
}

void ExportJob::cancel()
{
    m_thread.request_stop();
}

void ExportJob::work(const std::stop_token& stop, ExportRequest request)
{
    request.stop = stop;
    request.beforeFile = [this](const std::string& file) {
        const auto tell = [this, path = QString::fromStdString(file)] { Q_EMIT fileStarted(path); };
        QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        return true;
    };
    auto outcome = exportSafely(request, m_registry, m_builders);
    const auto tell = [this, outcome = std::move(outcome), stopped = stop.stop_requested()] {
        finish(outcome, stopped);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
}

/// What was whole before the wish to stop came is done.
void ExportJob::finish(const Result<ExportReport>& outcome, bool stopped)
{
    m_running = false;
    if (outcome)
        Q_EMIT done(*outcome);
    else if (stopped)
        Q_EMIT cancelled();
    else
        Q_EMIT failed(QString::fromStdString(outcome.error().text()));
}

} // namespace unroll
