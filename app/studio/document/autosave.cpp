// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/autosave.h"

#include <algorithm>

namespace unroll {

using std::chrono::milliseconds;

Autosave::Autosave(const Document& document, const AutosavePlan& plan, QObject* parent)
    : QObject(parent), m_document(document), m_plan(plan)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Autosave::write);
    connect(&document, &Document::fileChanged, this, &Autosave::documentChanged);
}

void Autosave::adopt(std::shared_ptr<SideFile> side)
{
    drop();
    m_side = std::move(side);
}

void Autosave::drop()
{
    m_timer.stop();
    m_waiting.invalidate();
    if (m_side)
        m_side->remove();
    m_side.reset();
}

void Autosave::documentChanged()
{
    if (!m_document.isModified()) {
        drop();
        return;
    }
    if (m_plan.folder.isEmpty())
        return;
    if (!m_waiting.isValid())
        m_waiting.start();
    const milliseconds left = m_plan.atMost - milliseconds(m_waiting.elapsed());
    m_timer.start(std::max(milliseconds(0), std::min(left, m_plan.after)));
}

void Autosave::write()
{
    m_waiting.invalidate();
    const auto kept = keep(m_document.experiment());
    const bool failedBefore = !m_failure.isEmpty();
    if (!kept && !failedBefore) {
        m_failure = tr("Unsaved changes cannot be backed up. %1").arg(QString::fromStdString(kept.error().text()));
        Q_EMIT failed(m_failure);
    } else if (kept && failedBefore) {
        Q_EMIT worksAgain(std::exchange(m_failure, {}));
    }
}

/// A place that failed keeps what it has until another one has the changes.
Result<void> Autosave::keep(const Experiment& experiment)
{
    if (m_side && m_side->write(experiment))
        return {};
    auto next = SideFile::claim(m_document.path(), m_plan.folder);
    if (!next)
        return fail("the folder is not writable", m_plan.folder.toStdString());
    if (auto written = next->write(experiment); !written) {
        next->remove();
        return written;
    }
    if (m_side)
        m_side->remove();
    m_side = std::move(next);
    return {};
}

} // namespace unroll
