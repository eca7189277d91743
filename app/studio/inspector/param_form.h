// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_editor.h"
#include "core/block/diagnostic.h"

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <map>

namespace unroll {

/// Why a value will not do, and what mends it.
struct ParamFault {
    QString reason;
    std::optional<Fix> fix{};
};
using ParamFaults = std::map<std::string, ParamFault>; ///< by the name of the parameter

/// Rows of named values made from specs: name, editor, a button back to the default where it differs, and below what a choice means, or why
/// a value will not do and a button that mends it. Serves the parameters of a node and the training settings alike.
class ParamForm : public QWidget {
    Q_OBJECT
public:
    ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent = nullptr);

    /// Names that are absent show their default. What does not count with these values is greyed out, and keeps its own.
    void setValues(const Params& given);
    void setWrong(ParamFaults faults); ///< values that are not in it are well
    /// Words under a field that stay until it is edited again: what became of an edit.
    void remark(const std::string& name, const QString& words);
    ParamEditor* editor(const std::string& name) const;
    ParamEditor* firstWrong() const; ///< nullptr: all is well

Q_SIGNALS:
    void edited(const std::string& name, const unroll::ParamValue& value);
    void resetAsked(const std::string& name);
    void finished();
    void mendAsked(const unroll::Fix& fix);

private:
    struct Row {
        ParamSpec spec;
        QLabel* label;
        ParamEditor* editor;
        QToolButton* reset;
        QPushButton* mend;   ///< below the note, where there is a fix
        QLabel* note;        ///< the first of these that is not empty
        QString remark;      ///< on the last edit
        ParamFault wrong;    ///< empty reason: the value will do
        QString explanation; ///< what the choice means
    };
    void addHeading(const QString& text, const Appearance& appearance);
    void addRow(const ParamSpec& spec, const Appearance& appearance);
    static void showNote(const Row& row);
    void mendFault(const std::string& name);

    std::vector<Row> m_rows;
};

/// A small heading with a line under it, as every panel has between its parts.
QWidget* sectionHeading(const QString& text, const Appearance& appearance);

} // namespace unroll
