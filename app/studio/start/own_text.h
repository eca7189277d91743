// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/experiment.h"

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace unroll {

/// The default experiment of the gallery, reading this text in place of its own data; for a table the first one that forecasts. Nothing is read
/// yet: the check says what is wrong with it. Errors: the gallery is not there, or nothing in it reads such a file.
Result<Experiment> experimentOnText(const QString& path, const BlockRegistry& registry);

/// A text of the user's: chosen in a dialog, or pasted and saved where the user says.
class OwnText : public QObject {
    Q_OBJECT
public:
    /// The path chosen in a dialog over the window; empty: none. Tests put their own in the place of the dialogs.
    using Ask = std::function<QString(QWidget* window)>;

    explicit OwnText(QWidget& window);

    Ask askWhich;
    Ask askWhereTo;

    void choose();
    void paste();

Q_SIGNALS:
    void chosen(const QString& path);
    void failed(const QString& sentence);

private:
    QWidget& m_window;
};

} // namespace unroll
