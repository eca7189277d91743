// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/file_saving.h"

#include "core/format/atomic_file.h"

#include <exception>
#include <utility>

namespace unroll {

namespace {

/// Memory that ran out is an error like a full disk here. Empty: all went well.
QString troubleOf(const QString& path, const std::function<Result<void>()>& work)
{
    try {
        const auto written = work();
        return written ? QString() : QString::fromStdString(written.error().text());
    } catch (const std::exception& exception) {
        return path + ": " + QString::fromUtf8(exception.what());
    }
}

} // namespace

void FileSaving::save(const QString& path, std::function<std::string()> bytes)
{
    write(path,
          [file = path.toStdString(), bytes = std::move(bytes)] { return format::writeFileAtomically(file, bytes()); });
}

void FileSaving::write(const QString& path, std::function<Result<void>()> work)
{
    Q_ASSERT(!m_busy);
    m_busy = true;
    Q_EMIT busyChanged(true);
    m_thread = std::jthread([this, path, work = std::move(work)] {
        const QString trouble = troubleOf(path, work);
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
