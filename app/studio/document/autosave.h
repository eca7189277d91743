// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/document/side_file.h"

#include <QElapsedTimer>
#include <QTimer>
#include <chrono>

namespace unroll {

/// When and where unsaved changes are kept.
struct AutosavePlan {
    QString folder; ///< for what has no file or one where nothing can be written; empty: nothing is kept at all
    std::chrono::milliseconds after{2000};   ///< since the last change
    std::chrono::milliseconds atMost{20000}; ///< since the first one that is not kept yet, while more come
};

/// Keeps the changes of a modified document in a side file, never in the user's, and removes that once they are saved
/// or undone. When it goes without drop() the side file stays, as after a crash. GUI thread only; document and plan
/// outlive it.
class Autosave : public QObject {
    Q_OBJECT
public:
    Autosave(const Document& document, const AutosavePlan& plan, QObject* parent = nullptr);

    /// Goes on with a side file that holds the document as it is now.
    void adopt(std::shared_ptr<SideFile> side);
    /// Removes the side file: the changes are no longer needed.
    void drop();

Q_SIGNALS:
    void failed(const QString& sentence);     ///< once for all failures in a row; every change tries again
    void worksAgain(const QString& sentence); ///< with the sentence of the failure that is over

private:
    void documentChanged();
    void write();
    Result<void> keep(const Experiment& experiment);

    const Document& m_document;
    const AutosavePlan& m_plan;
    std::shared_ptr<SideFile> m_side;
    QTimer m_timer;
    QElapsedTimer m_waiting; ///< since the first change that is not kept; invalid when all are
    QString m_failure;
};

} // namespace unroll
