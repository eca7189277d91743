// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <functional>
#include <string>
#include <thread>

namespace unroll {

/// Makes the bytes of a file and writes them, whole or not at all, on a thread of its own: no disk holds up the window.
class FileSaving : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    bool isBusy() const { return m_busy; }
    /// Only while it is not busy. `bytes` is called on the other thread.
    void save(const QString& path, std::function<std::string()> bytes);
    /// The same where `work` writes the file itself.
    void write(const QString& path, std::function<Result<void>()> work);

Q_SIGNALS:
    void saved(const QString& path);
    void failed(const QString& sentence); ///< with the file that it is about
    void busyChanged(bool busy);

private:
    void finish(const QString& path, const QString& trouble);

    bool m_busy = false;
    std::jthread m_thread; ///< last member: joined before the others go
};

} // namespace unroll
