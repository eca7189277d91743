// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/import/import_dialog.h"

#include <QPointer>

namespace unroll {

class MainWindow;
class TrainingActions;

/// What File > Import Weights does in a window: one dialog; what it writes is what new runs begin with.
class ImportCommand : public QObject {
    Q_OBJECT
public:
    ImportCommand(MainWindow& window, TrainingActions& training);

    ImportDialog* showDialog();
    ImportDialog* dialog() const { return m_dialog; } ///< nullptr: none is open

private:
    QString proposedFile() const;
    void take(const QString& file, int tensors);
    void clear();

    MainWindow& m_window;
    TrainingActions& m_training;
    QPointer<ImportDialog> m_dialog;
};

} // namespace unroll
