// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QStringList>
#include <string>
#include <vector>

namespace unroll {

/// The path of a file: typed, chosen in a dialog, or dropped onto the field.
class PathField : public QLineEdit {
    Q_OBJECT
public:
    /// `suffixes` are the endings of the files that are meant; none: any.
    explicit PathField(const std::vector<std::string>& suffixes = {}, QWidget* parent = nullptr);

    /// Opens a dialog at the file that is named now; it stays while the window lives on.
    void choose();

Q_SIGNALS:
    void chosen(const QString& path); ///< by dialog or drop, and written already

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void take(const QString& path);

    QStringList m_filters; ///< as a file dialog has them: those that are meant first, all files last
};

} // namespace unroll
