// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLineEdit>

namespace unroll {

class Appearance;

/// The requested probe text: applied at Enter and when the focus leaves (editingFinished). While there is one, a button
/// in the field empties it, which stands for the start of the validation text.
class ProbeField : public QLineEdit {
    Q_OBJECT
public:
    explicit ProbeField(const Appearance& appearance, QWidget* parent = nullptr);

    /// Numbers are watched on their first validation window: there is nothing to write.
    void setNumbers(bool numbers);
    /// What is read in its stead, in words, where it is chosen elsewhere; empty: this is read.
    void setElsewhere(const QString& read);
    /// Outlined, with the reason in the tooltip; empty: all is well.
    void setWrong(const QString& reason);

private:
    void reset();
    void showPlace();

    QAction* m_reset;
    bool m_numbers = false;
    QString m_elsewhere;
    QString m_help;
};

} // namespace unroll
