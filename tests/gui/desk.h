// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/recent_menu.h"
#include "core/runs/run_folder.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"
#include "tests/support/plain_user.h"
#include "tests/support/tiny_experiment.h"
#include <QDragEnterEvent>
#include <QFile>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QUuid>
#include <functional>

namespace unroll::test {

// What the tests of files, of unsaved changes and of drops share.

inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void writeContent(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

inline Experiment tinyWith(std::int64_t units)
{
    return testing::tinyExperiment("lstm", units);
}

inline std::int64_t unitsOf(const Graph& graph)
{
    return std::get<std::int64_t>(graph.findByName("lstm")->params.at("units"));
}

inline void setUnits(MainWindow& window, std::int64_t units)
{
    Document& document = window.document();
    QVERIFY(document.apply(edits::setParam(document.graph().findByName("lstm")->id, "units", units)));
}

inline QStringList sideFilesIn(const QString& folder)
{
    return QDir(folder).entryList({"*.autosave*", "*.unroll", "*.lock"}, QDir::Files | QDir::Hidden, QDir::Name);
}

/// The side files in these folders: unsaved changes, with their paths.
inline QStringList keptIn(const QStringList& folders)
{
    QStringList found;
    for (const QString& folder : folders)
        for (const QString& name : sideFilesIn(folder))
            if (name.endsWith(".autosave") ||
                (name.endsWith(".unroll") && !QUuid::fromString(name.chopped(7)).isNull())) // of those without a file
                found << folder + '/' + name;
    return found;
}

/// A studio that keeps changes at once, and a file of the user's beside it.
struct Desk : Studio {
    QString place = folder.filePath("place"), file = place + "/mine.unroll", side = place + "/.mine.unroll.autosave";

    Desk()
    {
        context.autosave.after = std::chrono::milliseconds(10);
        QDir().mkpath(place);
        (void)saveExperiment(tinyWith(24), file.toStdString());
    }
    const QString& ours() const { return context.autosave.folder; }
    std::unique_ptr<MainWindow> open(const QString& path)
    {
        auto made = std::make_unique<MainWindow>(context);
        made->show();
        if (path.isEmpty())
            made->files().openDefault();
        else
            made->files().open(path);
        return made;
    }
    /// What a window leaves behind that ends in the middle of changes.
    bool crash(const QString& path, std::int64_t units)
    {
        const QStringList folders{place, ours()};
        const qsizetype before = keptIn(folders).size();
        auto lost = open(path);
        setUnits(*lost, units);
        return comes([&] { return keptIn(folders).size() > before; });
    }
};

inline QPushButton* answerOf(MainWindow& window, const QString& label)
{
    return buttonIn(window.questions(), label);
}

inline bool choose(MainWindow& window, const QString& label)
{
    return clickOn(window.questions(), label);
}

/// Presses a button of every message box that comes up while it lives.
struct Answering {
    using Pick = std::function<QAbstractButton*(QMessageBox&)>;
    QTimer timer;
    int asked = 0;

    explicit Answering(Pick pick)
    {
        QObject::connect(&timer, &QTimer::timeout, &timer, [this, pick] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (QAbstractButton* button = box != nullptr ? pick(*box) : nullptr) {
                ++asked;
                button->click();
            }
        });
        timer.start(20);
    }
    explicit Answering(QMessageBox::StandardButton standard)
        : Answering([standard](QMessageBox& box) { return box.button(standard); })
    {}
    explicit Answering(const QString& label)
        : Answering([label](QMessageBox& box) -> QAbstractButton* {
              for (QAbstractButton* button : box.buttons())
                  if (QString(button->text()).remove('&') == label)
                      return button;
              return nullptr;
          })
    {}
};

/// As a file manager drags them in.
inline bool drop(QWidget& window, const QStringList& paths)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths)
        urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    const Qt::DropActions actions = Qt::CopyAction | Qt::MoveAction;
    QDragEnterEvent enter(QPoint(20, 20), actions, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted())
        return false;
    QDropEvent event(QPointF(20, 20), actions, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
    return event.isAccepted() && event.dropAction() == Qt::CopyAction;
}

inline QList<MainWindow*> otherWindows(const MainWindow& than)
{
    QList<MainWindow*> found;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window != &than)
            found << window;
    return found;
}

} // namespace unroll::test
