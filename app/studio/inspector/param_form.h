// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_editor.h"

#include <QLabel>
#include <QToolButton>
#include <map>

namespace unroll {

/// Rows of named values made from specs: name, editor, a button back to the default where it differs, and below what a choice means or why
/// a value will not do. Serves the parameters of a node and the training settings alike.
class ParamForm : public QWidget {
    Q_OBJECT
public:
    ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent = nullptr);

    /// Names that are absent show their default. What does not count with these values is greyed out, and keeps its own.
    void setValues(const Params& given);
    /// Why values will not do, by name; others are well.
    void setWrong(const std::map<std::string, QString>& reasons);
    /// Words under a field that stay until it is edited again: what became of an edit.
    void remark(const std::string& name, const QString& words);
    ParamEditor* editor(const std::string& name) const;

Q_SIGNALS:
    void edited(const std::string& name, const unroll::ParamValue& value);
    void resetAsked(const std::string& name);
    void finished();

private:
    struct Row {
        ParamSpec spec;
        QLabel* label;
        ParamEditor* editor;
        QToolButton* reset;
        QLabel* note;        ///< the first of these that is not empty
        QString remark;      ///< on the last edit
        QString wrong;       ///< why the value will not do
        QString explanation; ///< what the choice means
    };
    void addHeading(const QString& text, const Appearance& appearance);
    void addRow(const ParamSpec& spec, const Appearance& appearance);
    static void showNote(const Row& row);

    std::vector<Row> m_rows;
};

/// A small heading with a line under it, as every panel has between its parts.
QWidget* sectionHeading(const QString& text, const Appearance& appearance);

} // namespace unroll
