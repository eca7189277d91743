// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_editor.h"

#include <QLabel>
#include <QToolButton>
#include <map>

namespace unroll {

/// Rows of named values made from specs: name, editor, a button back to the default where it differs, and below what can be, where the
/// value cannot. Serves the parameters of a node and the training settings alike.
class ParamForm : public QWidget {
    Q_OBJECT
public:
    ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent = nullptr);

    /// Names that are absent show their default.
    void setValues(const Params& values);
    /// Why values will not do, by name; others are well.
    void setWrong(const std::map<std::string, QString>& reasons);
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
        QLabel* range; ///< shown while the value is wrong; nullptr: anything goes
    };
    void addRow(const ParamSpec& spec, const Appearance& appearance);

    std::vector<Row> m_rows;
};

/// A small heading with a line under it, as every panel has between its parts.
QWidget* sectionHeading(const QString& text, const Appearance& appearance);

} // namespace unroll
