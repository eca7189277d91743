// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/run/disk_thread.h"
#include "core/runs/run_edits.h"

#include <QMenu>
#include <QToolButton>
#include <functional>
#include <memory>
#include <string>

namespace unroll {

class Appearance;

/// Edits of the run that have a name: to be chosen, kept and forgotten. They are read when the menu opens.
class NamedEditsButton : public QToolButton {
    Q_OBJECT
public:
    /// `folder` is the run's, empty where it is not on disk; `edit` is what is set now.
    NamedEditsButton(const Appearance& appearance, std::function<std::string()> folder,
                     std::function<std::string()> edit, QWidget* parent = nullptr);

    /// Keeps what is set now under the name.
    void keep(const QString& name);
    void forget(const QString& name);

Q_SIGNALS:
    void chosen(const QString& text);
    void listed(); ///< the menu has what there is
    void noted(const QString& words);
    void failed(const QString& sentence);

private:
    void fill();
    void list(const Result<NamedEdits>& named);
    void askForName();
    void write(const QString& name, const std::string& text, const QString& done);

    std::function<std::string()> m_folder, m_edit;
    QMenu* m_menu;
    std::unique_ptr<DiskThread> m_disk; ///< null until it is needed
};

} // namespace unroll
