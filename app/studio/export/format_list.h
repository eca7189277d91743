// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_format.h"

#include <QButtonGroup>
#include <QFrame>
#include <QLabel>
#include <QRadioButton>
#include <vector>

namespace unroll {

class Appearance;

/// One format: its title to be chosen by, what it holds, and once it is chosen who reads it and which files it makes.
/// All of it can be clicked.
class FormatCard : public QFrame {
    Q_OBJECT
public:
    FormatCard(const ExportFormat& format, const Appearance& appearance, QWidget* parent = nullptr);

    QRadioButton& button() { return *m_button; }

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void addLine(const QString& text, bool dim);
    void showChosen(bool chosen);

    QRadioButton* m_button;
    std::vector<QLabel*> m_details; ///< shown of the chosen format: who reads it, which files it writes
};

/// Every format that exportFormats() knows, one of them chosen; the arrow keys go from one to the next.
class FormatList : public QWidget {
    Q_OBJECT
public:
    explicit FormatList(const Appearance& appearance, QWidget* parent = nullptr);

    const ExportFormat& chosen() const;
    void focusChosen(); ///< gives it the keyboard

Q_SIGNALS:
    void chosenChanged();

private:
    QButtonGroup m_group; ///< a button's id is its place in exportFormats()
};

} // namespace unroll
