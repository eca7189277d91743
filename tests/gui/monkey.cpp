// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/monkey.h"
#include "app/studio/palette/palette_popup.h"

#include "app/studio/export/export_dialog.h"
#include "tests/support/tiny_experiment.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <array>

namespace unroll::test {

namespace {

constexpr qsizetype kTold = 20;
constexpr int kMostWindows = 3;
constexpr std::size_t kMostNodes = 40;

/// What Qt says that is not a fault of ours.
constexpr std::array kKnown{
    "propagateSizeHints", // of the offscreen platform: it has no window manager to tell
    "does not support",   // likewise, of raise() and the like
};

Monkey* listening = nullptr;
QtMessageHandler handlerBefore = nullptr;

std::size_t countAll(const Graph& graph)
{
    std::size_t count = graph.nodes.size();
    for (const auto& [id, node] : graph.nodes)
        if (node->group)
            count += countAll(*node->group->graph);
    return count;
}

void makeGround(const QString& ground)
{
    QDir().mkpath(ground + "/runs");
    Experiment tiny = testing::tinyExperiment();
    tiny.training.steps = 100000;
    tiny.training.threads = 1;
    tiny.training.sampleEvery = 50;
    tiny.training.sampleTokens = 40;
    for (const char* name : {"/one.unroll", "/two.unroll", "/three.unroll"})
        (void)saveExperiment(tiny, (ground + name).toStdString());
    for (const char* name : {"/broken.unroll", "/text.txt"})
        if (QFile file(ground + name); file.open(QIODevice::WriteOnly))
            file.write("{ \"unroll\": 1, once upon a time, once upon a time there was no brace");
}

} // namespace

Monkey::Monkey(StudioContext& context, QString ground, std::uint64_t seed)
    : m_workshop(context), m_ground(std::move(ground)), m_bits(seed)
{
    makeGround(m_ground);
    m_workshop.settings.setValue("export/folder", m_ground + "/out");
    for (const char* scheme : {"file", "http", "https", "mailto"})
        QDesktopServices::setUrlHandler(scheme, this, "refuseUrl");
    listening = this;
    handlerBefore = qInstallMessageHandler(&Monkey::hear);
}

Monkey::~Monkey()
{
    qInstallMessageHandler(handlerBefore);
    listening = nullptr;
    for (const char* scheme : {"file", "http", "https", "mailto"})
        QDesktopServices::unsetUrlHandler(scheme);
}

void Monkey::refuseUrl(const QUrl& url)
{
    note("the studio asks for " + url.toString());
}

void Monkey::hear(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    const auto isKnown = [&](const char* words) { return message.contains(QLatin1String(words)); };
    if (type == QtDebugMsg || type == QtInfoMsg || std::any_of(kKnown.begin(), kKnown.end(), isKnown))
        return;
    if (listening != nullptr)
        listening->blame("Qt: " + message);
    if (type == QtFatalMsg && handlerBefore != nullptr)
        handlerBefore(type, context, message);
}

void Monkey::note(const QString& act)
{
    const MutexLock lock(m_mutex);
    m_story.append(act);
    if (m_story.size() > kTold)
        m_story.removeFirst();
}

void Monkey::blame(const QString& fault)
{
    const MutexLock lock(m_mutex);
    m_faults.append(QStringLiteral("%1 (act %2: %3)").arg(fault).arg(m_acts).arg(m_story.value(m_story.size() - 1)));
}

QStringList Monkey::faults() const
{
    const MutexLock lock(m_mutex);
    return m_faults;
}

QString Monkey::story() const
{
    const MutexLock lock(m_mutex);
    return m_story.join('\n');
}

QList<MainWindow*> Monkey::windows() const
{
    QList<MainWindow*> found;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window->isVisible())
            found << window;
    return found;
}

void Monkey::play(std::chrono::milliseconds time)
{
    m_end.setRemainingTime(time);
    QEventLoop loop;
    m_loop = &loop;
    openWindow();
    schedule();
    while (m_loop != nullptr) // whoever says that the program ends, ends loops too
        loop.exec();
}

void Monkey::schedule()
{
    if (!std::exchange(m_scheduled, true))
        QTimer::singleShot(0, this, &Monkey::next);
}

/// A dialog runs a loop of its own within an act, and the next act is to come in there: it is on its way before this
/// one begins. While the hand's own events are worked off, no other begins.
void Monkey::next()
{
    m_scheduled = false;
    if (m_loop == nullptr)
        return;
    schedule();
    const int level = QThread::currentThread()->loopLevel();
    if (!m_levels.isEmpty() && m_levels.back() >= level)
        return;
    m_levels.push_back(level);
    const bool over = m_end.hasExpired();
    const bool calm = over && callOff();
    if (!over)
        act();
    m_levels.pop_back();
    if (calm && m_levels.isEmpty())
        std::exchange(m_loop, nullptr)->quit();
}

/// One thing at a time. True: there is none left.
bool Monkey::callOff()
{
    if (m_pressed != Qt::NoButton) {
        for (MainWindow* window : windows())
            return release({window, window->rect().center()}), false;
        m_pressed = Qt::NoButton;
    }
    if (QWidget* popup = QApplication::activePopupWidget())
        return popup->close(), false;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* dialog = qobject_cast<QDialog*>(widget); dialog != nullptr && dialog->isVisible())
            return dialog->reject(), false;
    for (MainWindow* window : windows())
        window->findChild<PalettePopup*>()->dismiss();
    return true;
}

/// True: that was the act.
bool Monkey::tend()
{
    if (auto* files = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        answer(*files);
        return true;
    }
    keepInside();
    const auto open = windows();
    if (open.isEmpty())
        openWindow();
    else if (open.size() > kMostWindows && QApplication::activeModalWidget() == nullptr)
        open.back()->close();
    for (MainWindow* window : windows()) {
        if (countAll(window->document().graph()) > kMostNodes)
            sweep(*window);
        if (m_pressed == Qt::NoButton && m_acts % 16 == 0)
            compare(*window);
    }
    return false;
}

/// Closed, or with a name below the ground: what it lists there could be renamed and deleted.
void Monkey::answer(QFileDialog& dialog)
{
    static const QStringList names{"one.unroll", "two.unroll", "new.unroll", "broken.unroll", "text.txt"};
    const bool folder = dialog.fileMode() == QFileDialog::Directory;
    const QString path = m_ground + (folder ? "/runs" : '/' + names[static_cast<qsizetype>(below(5))]);
    if (chance(3) || (dialog.fileMode() == QFileDialog::ExistingFile && !QFile::exists(path))) {
        note("closes " + dialog.windowTitle());
        return dialog.reject();
    }
    note(QStringLiteral("answers %1 with %2").arg(dialog.windowTitle(), path));
    dialog.findChild<QLineEdit*>("fileNameEdit")->setText(path);
    static_cast<QDialog&>(dialog).accept();
}

/// Files for others are written where a field says.
void Monkey::keepInside()
{
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* dialog = qobject_cast<ExportDialog*>(widget))
            for (auto* field : dialog->form().findChildren<QLineEdit*>())
                if (!QFileInfo(field->text()).absoluteFilePath().startsWith(m_ground + '/') ||
                    field->text().contains(".."))
                    field->setText(m_ground + "/out/again");
}

void Monkey::openWindow()
{
    static const QStringList names{"one.unroll", "two.unroll", "three.unroll"};
    auto* window = new MainWindow(m_workshop);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
    window->activateWindow();
    if (chance(4))
        window->startMode().show();
    else
        window->files().open(m_ground + '/' + names[static_cast<qsizetype>(below(3))]);
    window->canvas().setFocus();
    note("begins with " + window->windowTitle());
}

/// Copies of copies grow without bound.
void Monkey::sweep(MainWindow& window)
{
    note("sweeps " + window.windowTitle());
    std::set<NodeId> most;
    for (const auto& [id, node] : window.document().graph().nodes)
        if (!chance(4))
            most.insert(id);
    window.document().apply(edits::removeNodes(most));
}

/// While no hand holds anything the picture is the document's.
void Monkey::compare(MainWindow& window)
{
    const Graph* graph = &window.document().graph();
    for (const NodeId id : window.scene().path()) {
        const Node* group = graph->find(id);
        if (group == nullptr || !group->group)
            return blame("the canvas shows a group that is gone");
        graph = group->group->graph.get();
    }
    if (!(window.scene().shown() == *graph))
        blame("the canvas shows another graph");
    for (const auto& [id, node] : graph->nodes) {
        const NodeItem* item = window.scene().node(id);
        if (item == nullptr || item->pos() != QPointF(node->place.x, node->place.y))
            return blame(QStringLiteral("%1 stands elsewhere").arg(QString::fromStdString(node->name)));
    }
}

} // namespace unroll::test
