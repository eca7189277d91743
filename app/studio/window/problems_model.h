// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/problems.h"

#include <QAbstractTableModel>

namespace unroll {

class Appearance;

/// The problems as rows: what is wrong, where, and the words of the fix where there is one.
class ProblemsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Sentence, Where, FixTitle, ColumnCount };

    ProblemsModel(const Problems& problems, const Appearance& appearance, QObject* parent = nullptr);

    const Diagnostic& at(int row) const { return m_shown[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Problems& m_problems;
    const Appearance& m_appearance;
    std::vector<Diagnostic> m_shown;
};

} // namespace unroll
