// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_editor.h"
#include "core/block/diagnostic.h"

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <map>
#include <set>

namespace unroll {

/// Why a value will not do, and what mends it.
struct ParamFault {
    QString reason;
    std::optional<Fix> fix{};
};
using ParamFaults = std::map<std::string, ParamFault>; ///< by the name of the parameter

/// A value that is set elsewhere: its field shows it and takes none, as a value given here would be without effect.
struct ParamElsewhere {
    ParamValue value;
    QString words;  ///< who sets it
    QString action; ///< of the button that leads there
};

/// Rows of named values made from specs: name, editor, a button back to the default where it differs, one that has a
/// group show the parameter, and below what a choice means, or why a value will not do and a button that mends it.
/// Serves the parameters of a node, those that several nodes share, and the training settings alike.
class ParamForm : public QWidget {
    Q_OBJECT
public:
    ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent = nullptr);

    /// Names that are absent show their default, and those of which there are several values show that. What does not
    /// count with these values is greyed out, and keeps its own.
    void setValues(const Params& given, const std::set<std::string>& mixed = {});
    /// By the name of the parameter. Shown by the next setValues.
    void setElsewhere(std::map<std::string, ParamElsewhere> elsewhere) { m_elsewhere = std::move(elsewhere); }
    /// A button in each row has this group show the parameter, or take it back; `shownAs` has the group's names for
    /// those it shows. An empty group: no buttons.
    void setPromotable(const QString& group, const std::map<std::string, QString>& shownAs);
    /// A button in each row gives it a value for each of so many copies, or one for all again; 0: no buttons. Shown by
    /// the next setValues.
    void setCopies(std::int64_t copies) { m_copies = copies; }
    void setResetText(const QString& words); ///< in place of which default each row goes back to
    void setWrong(ParamFaults faults);       ///< values that are not in it are well
    /// Words under a field that stay until it is edited again: what became of an edit.
    void remark(const std::string& name, const QString& words);
    ParamEditor* editor(const std::string& name) const;
    ParamEditor* firstWrong() const; ///< nullptr: all is well
    const std::vector<ParamSpec>& specs() const { return m_specs; }

Q_SIGNALS:
    void edited(const std::string& name, const unroll::ParamValue& value);
    void resetAsked(const std::string& name);
    void finished();
    void mendAsked(const unroll::Fix& fix);
    void elsewhereAsked(const std::string& name); ///< where the value is set is to be shown
    void promotionAsked(const std::string& name, bool shown);

private:
    struct Row {
        ParamSpec spec;
        QLabel* label;
        ParamEditor* editor;
        QToolButton* reset;
        QToolButton* promote;
        QToolButton* byCopy;
        QPushButton* mend;        ///< below the note, where there is a fix
        QPushButton* go;          ///< below the note, where the value is set elsewhere
        QLabel* note;             ///< the first of these that is not empty
        QString remark;           ///< on the last edit
        ParamFault wrong;         ///< empty reason: the value will do
        QString explanation;      ///< what the choice means, or who sets the value
        bool isShown = false;     ///< by the group around
        ParamValue value = false; ///< that the row shows
    };
    void addHeading(const QString& text, const Appearance& appearance);
    void addRow(const ParamSpec& spec, const Appearance& appearance);
    static void showNote(const Row& row);
    void mendFault(const std::string& name);
    void setRow(Row& row, const Params& values, bool isMixed);
    void showCopies(Row& row, const ParamValue& value, bool isHere) const;
    void askPromotion(const std::string& name, bool shown);
    void askByCopy(const std::string& name, bool differs);
    QToolButton* promoteButton(const ParamSpec& spec, const Appearance& appearance);
    QToolButton* byCopyButton(const ParamSpec& spec, const Appearance& appearance);

    std::vector<ParamSpec> m_specs;
    std::vector<Row> m_rows;
    std::map<std::string, ParamElsewhere> m_elsewhere;
    std::int64_t m_copies = 0;
};

/// Whether a form of the one will do for the other.
bool makeOneForm(const std::vector<ParamSpec>& a, const std::vector<ParamSpec>& b);

/// A small heading with a line under it, as every panel has between its parts.
QWidget* sectionHeading(const QString& text, const Appearance& appearance);

} // namespace unroll
