// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/flow_layout.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/tool_buttons.h"

#include <QButtonGroup>
#include <QMenu>
#include <algorithm>
#include <thread>

namespace unroll {

namespace {

constexpr int kMostStudyWorkers = 8;

} // namespace

StudyBar::StudyBar(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_views(new QButtonGroup(this)),
      m_log(
          toggleButton("studyLog", tr("log objective"), tr("log objective"), tr("Logarithmic axis of the objective"))),
      m_workers(new QComboBox),
      m_start(commandButton(appearance, "studyStart", "run", tr("Start"), {})),
      m_stop(commandButton(appearance, "studyStop", "stop", tr("Stop"), tr("Save checkpoints and stop"))),
      m_best(commandButton(appearance, "studyBest", "reopen", tr("Best"), {})),
      m_clear(commandButton(appearance, "studyClear", "close", tr("Clear Ranges"), tr("Show all trials again"))),
      m_save(commandButton(appearance, "studySave", "save", {}, tr("Save image or copy table")))
{
    auto* row = new FlowLayout(this);
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->setSpacing(space::xs);
    const std::pair<const char*, std::pair<QString, QString>> views[] = {
        {"studyParallel", {tr("Parallel"), tr("Each trial as a line over its settings and the objective")}},
        {"studySlices", {tr("Slices"), tr("Each setting against the objective")}},
        {"studyImportance", {tr("Importance"), tr("How much each setting decides")}}};
    for (int view = 0; view < 3; ++view) {
        const auto& [part, texts] = views[view];
        auto* button = toggleButton(part, texts.first, texts.first, texts.second);
        m_views->addButton(button, view);
        row->addWidget(button);
    }
    m_views->button(0)->setChecked(true);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    for (int workers = 1; workers <= std::clamp(cores, 1, kMostStudyWorkers); ++workers)
        m_workers->addItem(workers == 1 ? tr("1 worker") : tr("%1 workers").arg(workers));
    m_workers->setObjectName("studyWorkers");
    m_workers->setAccessibleName(tr("Workers"));
    m_workers->setToolTip(tr("Trainings at the same time; they divide the cores"));
    auto* open = commandButton(appearance, "studyOpen", "open", {}, tr("Open a study"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_save);
    connect(menu->addAction(tr("Copy Table")), &QAction::triggered, this, &StudyBar::copyAsked);
    connect(menu->addAction(tr("Image (PNG) …")), &QAction::triggered, this, &StudyBar::pictureAsked);
    m_save->setMenu(menu);
    for (QWidget* part :
         std::initializer_list<QWidget*>{m_workers, m_start, m_stop, m_best, m_clear, m_log, m_save, open})
        row->addWidget(part);
    connect(m_views, &QButtonGroup::idClicked, this, &StudyBar::viewChanged);
    connect(m_log, &QToolButton::toggled, this, &StudyBar::logChanged);
    connect(m_start, &QToolButton::clicked, this, &StudyBar::startAsked);
    connect(m_stop, &QToolButton::clicked, this, &StudyBar::stopAsked);
    connect(m_best, &QToolButton::clicked, this, &StudyBar::bestAsked);
    connect(m_clear, &QToolButton::clicked, this, &StudyBar::clearAsked);
    connect(open, &QToolButton::clicked, this, &StudyBar::openAsked);
    showResults(false, false);
    showDoing(Doing::Nothing, false, tr("No study is open."));
}

StudyBar::View StudyBar::view() const
{
    return static_cast<View>(std::max(0, m_views->checkedId()));
}

void StudyBar::showDoing(Doing doing, bool startable, const QString& why)
{
    m_stop->setVisible(doing != Doing::Nothing);
    m_stop->setEnabled(doing == Doing::Running);
    m_stop->setText(doing == Doing::Stopping ? tr("Stopping …") : tr("Stop"));
    m_start->setVisible(doing == Doing::Nothing);
    m_start->setEnabled(startable);
    m_start->setToolTip(startable ? tr("Train the remaining trials; a stopped study continues") : why);
    m_workers->setEnabled(doing == Doing::Nothing && startable);
}

void StudyBar::showResults(bool shown, bool canBeLog)
{
    for (QAbstractButton* button : m_views->buttons())
        button->setVisible(shown);
    m_log->setVisible(shown);
    m_log->setEnabled(canBeLog);
    m_save->setVisible(shown);
    if (!shown) {
        m_best->hide();
        m_clear->hide();
    }
}

void StudyBar::showBest(const QString& words, const QString& tip)
{
    m_best->setVisible(!words.isEmpty());
    m_best->setText(words);
    m_best->setAccessibleName(words);
    m_best->setToolTip(tip);
}

void StudyBar::showBrushed(bool brushed)
{
    m_clear->setVisible(brushed);
}

} // namespace unroll
