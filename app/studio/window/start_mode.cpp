// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/start_mode.h"

#include "app/studio/start/own_data.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/window/file_commands.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/window_list.h"

#include <QFileInfo>
#include <utility>

namespace unroll {

namespace {

constexpr int kPanels = 0; ///< version of what QMainWindow keeps while the start page is shown

QString withKeys(const QString& sentence)
{
    return KeyNames::all().in(sentence);
}

} // namespace

StartMode::StartMode(MainWindow& window, WindowCentre& centre)
    : QObject(&window), m_window(window), m_centre(centre), m_ownData(new OwnData(window))
{
    connectPage();
    connect(&window.document(), &Document::graphChanged, this, &StartMode::leave);
    connect(&window.controller(), &RunController::runChanged, this, &StartMode::leave);
    for (Dock* dock : window.panels().docks())
        connect(dock->toggleViewAction(), &QAction::triggered, this, [this, dock](bool shown) {
            leave();
            dock->setVisible(shown);
        });
    connect(window.actions().lesson, &QAction::triggered, this, &StartMode::leave);
    connect(&window.lesson(), &LessonStrip::moreAsked, this, &StartMode::show);
}

void StartMode::connectPage()
{
    StartPage& page = m_window.startPage();
    FileCommands& files = m_window.files();
    connect(m_window.actions().start, &QAction::triggered, this, &StartMode::show);
    connect(&page, &StartPage::left, this, &StartMode::leave);
    connect(&page, &StartPage::experimentAsked, this, [this, &files](const QString& path) {
        if (files.openWhereItFits(path) != nullptr)
            leave();
    });
    connect(&page, &StartPage::openAsked, &files, &FileCommands::openDialog);
    connect(&page, &StartPage::emptyAsked, this, &StartMode::openEmpty);
    connect(&page, &StartPage::dataAsked, m_ownData, &OwnData::choose);
    connect(&page, &StartPage::pasteAsked, m_ownData, &OwnData::paste);
    connect(m_ownData, &OwnData::chosen, this, [this](const QString& path) {
        if (openData(path) != nullptr)
            leave();
    });
    connect(m_ownData, &OwnData::failed, &m_window.messages(), &MessageBar::showError);
}

bool StartMode::isShown() const
{
    return m_centre.isStartShown();
}

void StartMode::show()
{
    if (isShown())
        return;
    m_window.arrangement().setRemembering(false);
    m_panelsBefore = m_window.isVisible() ? m_window.saveState(kPanels) : QByteArray();
    for (Dock* dock : m_window.panels().docks())
        dock->hide();
    m_window.runBar().setVisible(m_window.controller().isUnderWay());
    m_window.lesson().hide();
    m_window.messages().hide(); // it spoke of the canvas
    const bool anything = !m_window.document().graph().nodes.empty() || !m_window.document().path().isEmpty();
    m_window.startPage().setBack(anything ? m_window.document().title() : QString());
    m_window.startPage().setRecent(m_window.recentFiles().entries());
    m_centre.setStartShown(true);
    m_window.startPage().setFocus();
    Q_EMIT changed();
}

/// A window that was not seen before has no panels to go back to: they are put where its layout has them.
void StartMode::leave()
{
    if (!isShown())
        return;
    const QByteArray panels = std::exchange(m_panelsBefore, {});
    leaveStartPage(); // first: what panels do as they come must not begin this again
    const bool nothing = m_window.document().graph().nodes.empty() && !m_window.controller().experiment();
    if (panels.isEmpty()) {
        m_window.showLayout(nothing ? "edit" : QString(m_window.arrangement().name())); // an empty canvas wants blocks
        return;
    }
    restorePanels(m_window, panels, kPanels);
    m_window.arrangement().setRemembering(true);
}

void StartMode::leaveStartPage()
{
    if (!isShown())
        return;
    m_panelsBefore.clear();
    m_window.messages().hide(); // it spoke of the start page
    m_centre.setStartShown(false);
    m_window.runBar().show();
    m_window.lesson().setVisible(m_window.actions().lesson->isChecked());
    m_window.canvas().setFocus();
    Q_EMIT changed();
}

void StartMode::openEmpty()
{
    MainWindow& window = fittingWindow(m_window);
    window.document().replace({}, {});
    window.show();
    leave();
    window.showLayout("edit"); // with the palette: there is nothing to train yet
}

MainWindow* StartMode::openData(const QString& path)
{
    auto experiment = experimentOnData(path, m_window.studio().registry);
    if (!experiment) {
        m_window.messages().showError(
            tr("No experiment was created. %1").arg(QString::fromStdString(experiment.error().text())));
        return nullptr;
    }
    MainWindow& window = fittingWindow(m_window);
    window.document().replace(std::move(*experiment), {});
    window.canvas().fitAll();
    window.show();
    window.messages().showNote(
        withKeys(tr("This network reads %1. Run ({run}) trains it; Save stores it.").arg(QFileInfo(path).fileName())));
    return &window;
}

} // namespace unroll
