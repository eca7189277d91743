// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <QWidget>
#include <optional>

class QLineEdit;

namespace unroll {

class Appearance;

/// Edits one value of the type its spec says: a tick box, a number, a choice, a text, a path with a file dialog and
/// room for a dropped file. When an edit is finished the value that was last given stands there again: the edit itself,
/// or what it was refused for.
class ParamEditor : public QWidget {
    Q_OBJECT
public:
    ParamEditor(const ParamSpec& spec, const Appearance& appearance, QWidget* parent = nullptr);
    ~ParamEditor() override;

    /// Shows a value; text under the cursor is not touched while it says the same. A value that differs by copy is a
    /// text, in which a plain one ends that.
    void setValue(const ParamValue& value);
    /// Says that there are several values; the next edit is for all of them.
    void setMixed();
    /// Outlined, with the reason in the tooltip; empty: all is well.
    void setWrong(const QString& reason);

Q_SIGNALS:
    void edited(const unroll::ParamValue& value);
    void misread(const QString& words); ///< what is wrong with a text that is not a value; empty: nothing any more
    void finished();                    ///< focus left, Enter, or steps came to rest: the change is whole

private:
    void makeFlag();
    void makeNumber();
    void makeChoice();
    void makeText(QLineEdit* line);
    void makePath(const Appearance& appearance);
    void use(QWidget* field);
    void showPlain();
    void showByCopy(const ParamValue& value);
    void readByCopy(const QString& text, bool isWhole);

    ParamSpec m_spec;
    QWidget* m_field = nullptr;
    QLineEdit* m_byCopy = nullptr; ///< in its place while values differ by copy; made when they first do
    std::function<void(const ParamValue&)> m_show;
    std::function<void()> m_showMixed;
    std::optional<ParamValue> m_given; ///< by setValue
};

} // namespace unroll
