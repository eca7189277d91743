// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/touch/named_edits.h"

#include "app/studio/theme/appearance.h"

#include <QInputDialog>
#include <utility>

namespace unroll {

namespace {

QString menuText(const std::string& words)
{
    return QString::fromStdString(words).replace('&', "&&");
}

} // namespace

NamedEditsButton::NamedEditsButton(const Appearance& appearance, std::function<std::string()> folder,
                                   std::function<std::string()> edit, QWidget* parent)
    : QToolButton(parent), m_folder(std::move(folder)), m_edit(std::move(edit)), m_menu(new QMenu(this))
{
    setObjectName("namedEdits");
    setIcon(appearance.icon("note"));
    setPopupMode(QToolButton::InstantPopup);
    setAccessibleName(tr("Named edits"));
    setToolTip(tr("Named edits of this run; the command line takes them as @name"));
    m_menu->setToolTipsVisible(true);
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &NamedEditsButton::fill);
    connect(&appearance, &Appearance::changed, this, [this, &appearance] { setIcon(appearance.icon("note")); });
}

void NamedEditsButton::fill()
{
    m_menu->clear();
    const std::string folder = m_folder();
    if (folder.empty()) {
        m_menu->addAction(tr("This run is not on disk"))->setEnabled(false);
        return;
    }
    m_menu->addAction(tr("Reading the folder of the run …"))->setEnabled(false);
    if (!m_disk)
        m_disk = std::make_unique<DiskThread>();
    m_disk->ask(
        [this, folder](const std::stop_token&) { return [this, named = readNamedEdits(folder)] { list(named); }; });
}

void NamedEditsButton::list(const Result<NamedEdits>& named)
{
    m_menu->clear();
    if (!named) {
        m_menu->addAction(QString::fromStdString(named.error().text()))->setEnabled(false);
        return;
    }
    for (const auto& [name, text] : *named) {
        QAction* action = m_menu->addAction(menuText(name));
        action->setToolTip(QString::fromStdString(text));
        connect(action, &QAction::triggered, this,
                [this, text = text] { Q_EMIT chosen(QString::fromStdString(text)); });
    }
    if (named->empty())
        m_menu->addAction(tr("No named edits yet"))->setEnabled(false);
    m_menu->addSeparator();
    QAction* keep = m_menu->addAction(tr("Name this edit …"));
    keep->setEnabled(!m_edit().empty());
    connect(keep, &QAction::triggered, this, &NamedEditsButton::askForName);
    if (!named->empty()) {
        QMenu* gone = m_menu->addMenu(tr("Forget"));
        for (const auto& [name, text] : *named)
            connect(gone->addAction(menuText(name)), &QAction::triggered, this,
                    [this, name = name] { forget(QString::fromStdString(name)); });
    }
    Q_EMIT listed();
}

void NamedEditsButton::askForName()
{
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Name this edit"));
    dialog->setLabelText(tr("Letters, digits, - and _"));
    connect(dialog, &QInputDialog::textValueSelected, this, &NamedEditsButton::keep);
    dialog->open();
}

void NamedEditsButton::keep(const QString& name)
{
    write(name, m_edit(), tr("The edit is kept as @%1").arg(name));
}

void NamedEditsButton::forget(const QString& name)
{
    write(name, {}, tr("No edit is named %1 any more").arg(name));
}

void NamedEditsButton::write(const QString& name, const std::string& text, const QString& done)
{
    if (!m_disk)
        m_disk = std::make_unique<DiskThread>();
    m_disk->ask([this, folder = m_folder(), name = name.toStdString(), text, done](const std::stop_token&) {
        const auto written = nameEdit(folder, name, text);
        const QString fault = written ? QString() : QString::fromStdString(written.error().text());
        return [this, fault, done] {
            if (fault.isEmpty())
                Q_EMIT noted(done);
            else
                Q_EMIT failed(tr("The edit was not named. %1").arg(fault));
        };
    });
}

} // namespace unroll
