// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/picture_command.h"

#include "app/studio/canvas/canvas_picture.h"
#include "app/studio/canvas/graph_scene.h"
#include "app/studio/theme/message_bar.h"
#include "core/runs/run_names.h"

#include <QFileDialog>
#include <QFileInfo>

namespace unroll {

PictureCommand::PictureCommand(QAction& action, GraphScene& scene, const Appearance& appearance, MessageBar& messages,
                               QWidget& window)
    : QObject(&window),
      m_action(action),
      m_scene(scene),
      m_appearance(appearance),
      m_messages(messages),
      m_window(window)
{
    connect(&action, &QAction::triggered, this, &PictureCommand::ask);
    connect(&scene.document(), &Document::graphChanged, this, &PictureCommand::refresh);
    connect(&scene.document(), &Document::replaced, this, &PictureCommand::refresh);
    connect(&scene, &GraphScene::pathChanged, this, &PictureCommand::refresh);
    connect(&m_saving, &FileSaving::saved, this,
            [this](const QString& path) { m_messages.showNote(tr("The canvas is saved in %1").arg(path)); });
    connect(&m_saving, &FileSaving::failed, this, [this](const QString& sentence) {
        m_messages.showError(tr("The canvas could not be saved. %1").arg(sentence));
    });
    refresh();
}

void PictureCommand::refresh()
{
    m_action.setEnabled(!m_scene.shown().nodes.empty() || !m_scene.shown().frames.empty());
}

void PictureCommand::ask()
{
    const QString file = m_scene.document().path();
    if (m_folder.isEmpty())
        m_folder = QFileInfo(file).absolutePath();
    const QString png = tr("Image (*.png)"), svg = tr("Drawing (*.svg)");
    auto* dialog = new QFileDialog(&m_window, tr("Save Canvas as Picture"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({png, svg});
    dialog->setDefaultSuffix("png");
    dialog->selectFile((file.isEmpty() ? tr("canvas") : QFileInfo(file).completeBaseName()) + ".png");
    connect(dialog, &QFileDialog::filterSelected, dialog,
            [dialog, svg](const QString& filter) { dialog->setDefaultSuffix(filter == svg ? "svg" : "png"); });
    connect(dialog, &QFileDialog::fileSelected, this, &PictureCommand::save);
    dialog->open();
}

void PictureCommand::save(const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun)
        return m_messages.showError(
            tr("The canvas could not be saved. %1").arg(QString::fromStdString(inRun.error().text())));
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix != "png" && suffix != "svg")
        return m_messages.showError(
            tr("The canvas could not be saved. %1: a picture is a .png or an .svg file.").arg(path));
    if (m_saving.isBusy())
        return;
    m_folder = QFileInfo(path).absolutePath();
    const QByteArray picture =
        canvasPicture(m_scene, m_appearance, suffix == "svg" ? PictureFormat::Svg : PictureFormat::Png);
    m_saving.save(path, [picture] { return picture.toStdString(); });
}

} // namespace unroll
