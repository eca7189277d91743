// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/compare_menu.h"

#include "app/studio/lenses/watchable.h"
#include "core/base/number_text.h"
#include "core/runs/run_checkpoints.h"
#include "core/runs/run_summary.h"

#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <memory>

namespace unroll {

namespace {

constexpr std::size_t kMostCopies = 64; ///< named in the menu

QString ofPath(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

bool isSamePlace(const QString& one, const QString& other)
{
    return !one.isEmpty() && QFileInfo(one).absoluteFilePath() == QFileInfo(other).absoluteFilePath();
}

/// The first names of a path, as many as the other path has.
std::string frontOf(const std::string& path, const std::string& other)
{
    auto dots = std::count(other.begin(), other.end(), '.');
    std::size_t end = path.find('.');
    while (end != std::string::npos && dots-- > 0)
        end = path.find('.', end + 1);
    return path.substr(0, end);
}

/// Paths of what is a copy of the same node or group of the document.
std::vector<std::string> copiesBeside(const std::vector<WatchableNode>& nodes, const std::string& shown)
{
    std::vector<std::string> copies;
    const auto own = std::find_if(nodes.begin(), nodes.end(), [&](const WatchableNode& each) {
        return each.path == shown || each.path.starts_with(shown + ".");
    });
    for (const WatchableNode& node : nodes) {
        if (own == nodes.end() || node.place != own->place)
            continue;
        const std::string path = frontOf(node.path, shown);
        if (path != shown && std::find(copies.begin(), copies.end(), path) == copies.end())
            copies.push_back(path);
    }
    return copies;
}

} // namespace

CompareMenu::CompareMenu(const LensView& view, const CompareDesk& desk, QWidget* parent)
    : QMenu(parent), m_view(view), m_desk(desk)
{
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &CompareMenu::fill);
}

void CompareMenu::fill()
{
    ++m_filled;
    clear();
    for (QMenu* part : findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
        delete part; // of the time before
    if (!m_disk)
        m_disk = std::make_unique<DiskThread>();
    addSide(*this, tr("Nothing"), {});
    addSeparator();
    addRuns();
    addCheckpoints();
    addCopies();
    addTouched();
}

void CompareMenu::addSide(QMenu& menu, const QString& words, const SecondSide& side)
{
    QAction* action = menu.addAction(QString(words).replace('&', "&&"));
    action->setCheckable(true);
    action->setChecked(side == m_now);
    connect(action, &QAction::triggered, this, [this, side] { Q_EMIT chosen(side); });
}

QMenu* CompareMenu::addPart(const QString& words)
{
    auto* part = new QMenu(words, this);
    addMenu(part);
    return part;
}

/// Why there is nothing to choose.
void CompareMenu::say(QMenu& menu, const QString& words)
{
    menu.addAction(words)->setEnabled(false);
}

void CompareMenu::addRuns()
{
    QMenu* part = addPart(tr("Another run"));
    part->setObjectName("compareRuns");
    say(*part, tr("Reading the folder of runs …"));
    m_disk->ask([this, part = QPointer(part), filled = m_filled, place = m_desk.place(),
                 own = QString::fromStdString(m_desk.lens.controller.folder())](const std::stop_token& stop) {
        const auto runs = std::make_shared<const std::vector<RunSummary>>(
            listRuns(place.toStdString(), [&stop] { return stop.stop_requested(); }));
        return [this, part, filled, runs, own] {
            if (!part || filled != m_filled)
                return;
            part->clear();
            for (const RunSummary& run : *runs)
                if (run.checkpoint >= 0 && !isSamePlace(own, ofPath(run.folder)))
                    addSide(
                        *part,
                        tr("%1  (step %2)")
                            .arg(QString::fromStdString(run.name()), QString::fromStdString(grouped(run.checkpoint))),
                        {.kind = SecondSide::Kind::Run, .folder = run.folder.string()});
            if (part->isEmpty())
                say(*part, tr("There is no other run with a checkpoint"));
        };
    });
}

void CompareMenu::addCheckpoints()
{
    QMenu* part = addPart(tr("A checkpoint of this run"));
    part->setObjectName("compareCheckpoints");
    const std::string folder = m_desk.lens.controller.folder();
    if (folder.empty())
        return say(*part, tr("This run is not on disk"));
    say(*part, tr("Reading the folder of the run …"));
    m_disk->ask([this, part = QPointer(part), filled = m_filled, folder](const std::stop_token&) {
        const auto places = std::make_shared<const std::vector<CheckpointPlace>>(RunCheckpoints(folder).all());
        return [this, part, filled, places, folder] {
            if (!part || filled != m_filled)
                return;
            part->clear();
            for (const CheckpointPlace& place : *places)
                addSide(
                    *part, tr("Step %1").arg(QString::fromStdString(grouped(place.step))),
                    {.kind = SecondSide::Kind::Checkpoint, .folder = folder, .checkpoint = std::to_string(place.step)});
            if (part->isEmpty())
                say(*part, tr("There is no checkpoint yet"));
        };
    });
}

/// The other copies of the node, or of the copy of a group, that is shown.
void CompareMenu::addCopies()
{
    const LensSpec& lens = m_view.lens();
    const bool hasNode = std::any_of(lens.settings.begin(), lens.settings.end(),
                                     [](const ParamSpec& setting) { return setting.name == "node"; });
    if (!lens.takesSignal && !hasNode)
        return;
    QMenu* part = addPart(tr("Another copy"));
    part->setObjectName("compareCopies");
    const auto& trained = m_desk.lens.controller.experiment();
    const std::string shown = m_view.query() ? nodeOf(*m_view.query()) : std::string();
    if (trained && !shown.empty())
        for (const std::string& path :
             copiesBeside(watchableNodes(trained->graph, m_desk.lens.document.registry(), kMostCopies).nodes, shown))
            addSide(*part, QString::fromStdString(path), {.kind = SecondSide::Kind::Node, .node = path});
    if (!part->isEmpty())
        return;
    if (!shown.empty())
        say(*part, tr("%1 is in no repeated group").arg(QString::fromStdString(shown)));
    else
        say(*part, lens.takesSignal ? tr("No node is shown") : tr("All nodes are shown: choose one in the settings"));
}

void CompareMenu::addTouched()
{
    SecondSide side{.kind = SecondSide::Kind::Touched};
    if (m_now.kind == side.kind)
        side = m_now;
    addSide(*this, tr("This reading under edits"), side);
    QAction* action = actions().constLast();
    action->setObjectName("compareTouched");
    const std::string why = whyNoEdits(m_view.lens());
    action->setEnabled(why.empty());
    action->setToolTip(QString::fromStdString(why));
}

} // namespace unroll
