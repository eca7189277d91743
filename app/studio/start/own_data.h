// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace unroll {

/// The first experiment of the gallery that can read such a file, reading this one: a text, or a table of numbers.
/// Nothing of it is read yet: the check says what is wrong with it. Errors: there is no such experiment, or it cannot
/// be read.
Result<Experiment> experimentOnData(const QString& path, const BlockRegistry& registry);

/// A file of the user's to learn from: chosen in a dialog, or a text that is pasted and saved where the user says.
class OwnData : public QObject {
    Q_OBJECT
public:
    /// The path chosen in a dialog over the window; empty: none. Tests put their own in the place of the dialogs.
    using Ask = std::function<QString(QWidget* window)>;

    explicit OwnData(QWidget& window);

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
