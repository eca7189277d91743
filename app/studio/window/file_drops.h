// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPoint>
#include <optional>

class QMimeData;

namespace unroll {

class Document;
class GraphView;
class MainWindow;
class MessageBar;
struct BlockSpec;

/// What becomes of files that are dropped on a window: an experiment, a run and a race are opened, data are read by a
/// node.
class FileDrops : public QObject {
    Q_OBJECT
public:
    explicit FileDrops(MainWindow& window); ///< belongs to it

    /// Whether handleDrop would do something with what is dragged: an .unroll file, the folder of a run or a
    /// race, data.
    static bool accepts(const QMimeData& dragged);
    /// Opens it, or has a data node read it: the one at `at` (in the window), or the only one that reads such files; a
    /// table makes a node where none reads tables. Says so. False: nothing was done, and the window says why where
    /// there is more to it.
    bool handleDrop(const QMimeData& dropped, const std::optional<QPoint>& at = {});

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    MessageBar* openData(const QString& path, const std::optional<QPoint>& at);
    bool readData(const QString& path, const std::optional<QPoint>& at);
    bool addReader(const BlockSpec& spec, const QString& path);

    MainWindow& m_window;
    Document& m_document;
    GraphView& m_view;
    MessageBar& m_messages;
};

} // namespace unroll
