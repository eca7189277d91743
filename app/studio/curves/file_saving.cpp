// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/file_saving.h"

#include "core/format/atomic_file.h"

#include <exception>
#include <utility>

namespace unroll {

namespace {

/// Memory that ran out is an error like a full disk here. Empty: all went well.
QString write(const QString& path, const std::function<std::string()>& bytes)
{
    const std::string file = path.toStdString();
    try {
        const auto written = format::writeFileAtomically(file, bytes());
        return written ? QString() : QString::fromStdString(written.error().text());
    } catch (const std::exception& exception) {
        return QString::fromStdString(file + ": " + exception.what());
    }
}

} // namespace

void FileSaving::save(const QString& path, std::function<std::string()> bytes)
{
    Q_ASSERT(!m_busy);
    m_busy = true;
    Q_EMIT busyChanged(true);
    m_thread = std::jthread([this, path, bytes = std::move(bytes)] {
        const QString trouble = write(path, bytes);
        QMetaObject::invokeMethod(
            this, [this, path, trouble] { finish(path, trouble); }, Qt::QueuedConnection);
    });
}

void FileSaving::finish(const QString& path, const QString& trouble)
{
    m_busy = false;
    Q_EMIT busyChanged(false);
    if (trouble.isEmpty())
        Q_EMIT saved(path);
    else
        Q_EMIT failed(trouble);
}

} // namespace unroll
