// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_menus.h"

#include "app/studio/theme/translated.h"
#include "app/studio/window/dock.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/recent_menu.h"
#include "app/studio/window/window_actions.h"
#include "core/experiment/gallery.h"

#include <QFileInfo>
#include <QMenuBar>

namespace unroll {

namespace {

void addFileMenu(QMenuBar& bar, const WindowActions& actions, const MenuParts& parts)
{
    QMenu* file = bar.addMenu(tr("&File"));
    file->addActions({actions.newWindow, actions.start, actions.open});
    auto* recent = new RecentMenu(tr("Open &Recent"), parts.recent, file);
    QObject::connect(recent, &RecentMenu::asked, &bar, parts.open);
    file->addMenu(recent);
    QMenu* gallery = file->addMenu(tr("&Gallery"));
    for (const auto& path : galleryExperiments()) {
        const QString whole = QString::fromStdString(path.string());
        gallery->addAction(QFileInfo(whole).completeBaseName(), &bar, [open = parts.open, whole] { open(whole); });
    }
    gallery->setEnabled(!gallery->isEmpty());
    file->addAction(actions.openRace);
    file->addAction(tr("Open St&udy …"), &bar, parts.openStudy)->setObjectName("openStudy");
    file->addSeparator();
    file->addActions({actions.save, actions.saveAs});
    file->addSeparator();
    file->addActions({actions.savePicture, actions.exportRun});
    file->addAction(tr("&Import Weights …"), &bar, parts.importWeights)->setObjectName("importWeights");
    file->addSeparator();
    file->addActions({actions.close, actions.quit});
}

void addEditMenu(QMenuBar& bar, const WindowActions& actions)
{
    QMenu* edit = bar.addMenu(tr("&Edit"));
    edit->addActions({actions.undo, actions.redo});
    edit->addSeparator();
    edit->addActions({actions.cut, actions.copy, actions.paste, actions.pasteWithInputs, actions.duplicate});
    edit->addSeparator();
    edit->addActions({actions.remove, actions.removeAndReconnect});
    edit->addSeparator();
    edit->addActions({actions.addBlock, actions.connectNode, actions.rename, actions.comment});
    edit->addSeparator();
    edit->addActions({actions.group, actions.unpackGroup, actions.unrollGroup});
    edit->addSeparator();
    edit->addAction(actions.compareCells);
    edit->addSeparator();
    edit->addAction(actions.tidy);
    edit->addSeparator();
    edit->addActions({actions.selectAll, actions.selectNone, actions.nextWire, actions.nextComment});
    edit->addSeparator();
    edit->addAction(actions.preferences);
}

void addViewMenu(QMenuBar& bar, const WindowActions& actions, const MenuParts& parts)
{
    QMenu* view = bar.addMenu(tr("&View"));
    view->addActions({actions.fitAll, actions.fitSelection, actions.zoomIn, actions.zoomOut, actions.zoomReset,
                      actions.enterGroup, actions.leaveGroup});
    view->addSeparator();
    view->addActions({actions.wireNorms, actions.unrolled});
    view->addSeparator();
    QMenu* layouts = view->addMenu(tr("&Layout"));
    for (const WindowLayout& layout : unroll::layouts()) {
        QAction* action = actions.*layout.action;
        layouts->addAction(action);
        QObject::connect(action, &QAction::triggered, &bar,
                         [arrange = parts.arrange, name = layout.name] { arrange(name); });
    }
    layouts->addSeparator();
    layouts->addAction(actions.layoutReset);
    QMenu* panels = view->addMenu(tr("&Panels"));
    for (Dock* dock : parts.panels)
        if (!isLensPanel(dock->objectName()))
            panels->addAction(dock->toggleViewAction());
    parts.fillLenses(*view->addMenu(tr("Le&nses")));
    view->addMenu(tr("T&heme"))->addActions({actions.themeSystem, actions.themeLight, actions.themeDark});
}

void addRunMenu(QMenuBar& bar, const WindowActions& actions)
{
    QMenu* run = bar.addMenu(tr("&Run"));
    run->addActions({actions.run, actions.pause, actions.resume, actions.step, actions.stop});
    run->addSeparator();
    run->addActions({actions.restart, actions.keepWeights, actions.showKept});
    run->addSeparator();
    run->addActions({actions.runOn, actions.openRunFolder});
}

void addHelpMenu(QMenuBar& bar, const WindowActions& actions)
{
    QMenu* help = bar.addMenu(tr("&Help"));
    help->addActions({actions.help, actions.family, actions.keys, actions.lesson});
    help->addSeparator();
    help->addAction(actions.about);
}

} // namespace

void fillMenuBar(QMenuBar& bar, const WindowActions& actions, const MenuParts& parts)
{
    addFileMenu(bar, actions, parts);
    addEditMenu(bar, actions);
    addViewMenu(bar, actions, parts);
    addRunMenu(bar, actions);
    addHelpMenu(bar, actions);
}

void keepKeysToCanvas(const WindowActions& actions, QWidget& canvas)
{
    for (QAction* action : {actions.remove,      actions.removeAndReconnect,
                            actions.cut,         actions.copy,
                            actions.paste,       actions.pasteWithInputs,
                            actions.duplicate,   actions.contextMenu,
                            actions.comment,     actions.nextWire,
                            actions.nextComment, actions.addBlock,
                            actions.connectNode, actions.tidy,
                            actions.selectAll,   actions.selectNone,
                            actions.fitAll,      actions.fitSelection,
                            actions.wireNorms,   actions.unrolled}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        canvas.addAction(action);
    }
}

} // namespace unroll
