// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/edit.h"

#include <QLineEdit>
#include <QToolButton>
#include <QWidget>

namespace unroll {

class Appearance;
class ElidedLabel;

/// Ports and parameters that a group exposes, each with the one inside. Here they are renamed, put in another order and
/// taken back. One name is one row, also where one value sets several parameters.
class PromotedList : public QWidget {
    Q_OBJECT
public:
    explicit PromotedList(const Appearance& appearance, QWidget* parent = nullptr);
    ~PromotedList() override;

    void setGroup(const Group& group);

Q_SIGNALS:
    void renameAsked(unroll::edits::Promoted kind, const std::string& name, const std::string& to);
    void moveAsked(unroll::edits::Promoted kind, const std::string& name, int by);
    void takeBackAsked(unroll::edits::Promoted kind, const std::string& name);

private:
    /// One row as the group has it.
    struct Entry {
        edits::Promoted kind;
        std::string name;
        QString ends; ///< "lstm.units, lstm_2.units"
    };
    struct Row {
        Entry entry;
        QLineEdit* field;
        ElidedLabel* ends;
        QToolButton *up, *down, *takeBack;
    };
    static std::vector<Entry> entriesOf(const Group& group);
    void build(const std::vector<Entry>& entries);
    void addRow(const Entry& entry);
    void fill(const std::vector<Entry>& entries);
    QToolButton* button(const char* icon) const;
    void connectRow(std::size_t at);
    void forgetRows();
    void finishName(std::size_t at);
    void finishNames();
    void move(std::size_t at, int by);
    void takeBack(std::size_t at);

    const Appearance& m_appearance;
    QWidget* m_body = nullptr;
    std::vector<Row> m_rows;
};

} // namespace unroll
