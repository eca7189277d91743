// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/experiment.h"

#include <QDateTime>
#include <QLockFile>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

namespace unroll {

/// Changes that no file of the user's holds: a copy of the experiment that says of which file it is, and a lock beside
/// it while a window answers for it. Whoever has one of these holds the lock; when it goes, the copy stays and the lock
/// does not.
class SideFile {
public:
    /// A place for the changes of `file` (empty: untitled): hidden beside it, or else in `folder`, where nothing can be
    /// written there, another window is there first or older changes wait to be decided on. Null when `folder` cannot
    /// be written either.
    static std::shared_ptr<SideFile> claim(const QString& file, const QString& folder);
    /// What windows that live no more have left of `file` (empty: of untitled ones) beside it and in `folder`, newest
    /// first. Nothing where `folder` is empty: nothing is kept then.
    static std::vector<std::shared_ptr<SideFile>> abandoned(const QString& file, const QString& folder);
    /// Likewise of untitled ones, of these files, and of whatever else is in `folder`.
    static std::vector<std::shared_ptr<SideFile>> allAbandoned(const QStringList& files, const QString& folder);

    SideFile(const SideFile&) = delete;
    SideFile& operator=(const SideFile&) = delete;

    const QString& path() const { return m_path; }
    const QString& file() const { return m_file; } ///< what it has changes of, as realPath gives it; empty: untitled
    QDateTime time() const;                        ///< of the last write

    /// Whole or not at all; nobody but the user may read it. Errors: as saveExperiment.
    Result<void> write(const Experiment& experiment);
    /// As it was written, `folder` included. Errors: as loadExperiment.
    Result<Experiment> read() const;
    void remove(); ///< with its lock

private:
    struct Place {
        QString path;
        QString of; ///< empty: untitled
    };
    SideFile(QString path, QString file);
    bool hold() { return m_lock.tryLock(); }
    /// Those of these places that can be held, newest first.
    static std::vector<std::shared_ptr<SideFile>> held(const std::vector<Place>& places);

    QString m_path;
    QString m_file;
    QLockFile m_lock;
};

} // namespace unroll
