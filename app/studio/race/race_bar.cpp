// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/flow_layout.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/tool_buttons.h"

#include <QMenu>
#include <QStandardItemModel>

namespace unroll {

namespace {

/// Entries of the list of metrics.
enum MetricEntry { ValidationEntry, BitsEntry, AccuracyEntry, TrainingEntry };

} // namespace

RaceBar::RaceBar(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_metric(new QComboBox),
      m_axis(new QComboBox),
      m_logX(toggleButton("raceLogX", tr("log x"), tr("Logarithmic x axis"), tr("Logarithmic x axis"))),
      m_logY(toggleButton("raceLogY", tr("log y"), tr("Logarithmic y axis"), tr("Logarithmic y axis"))),
      m_stop(commandButton(appearance, "raceStop", "stop", tr("Stop"), tr("Save checkpoints and stop"))),
      m_resume(commandButton(appearance, "raceResume", "resume", tr("Resume"), tr("Train remaining runs"))),
      m_save(commandButton(appearance, "raceSave", "save", {}, tr("Save table or curves")))
{
    auto* row = new FlowLayout(this);
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->setSpacing(space::xs);
    m_metric->addItems({tr("Validation loss"), tr("Validation bits"), tr("Validation accuracy"), tr("Training loss")});
    m_metric->setObjectName("raceMetric");
    m_metric->setAccessibleName(tr("Metric"));
    m_metric->setItemData(TrainingEntry, tr("Mean over spans of steps that are equally long"), Qt::ToolTipRole);
    m_axis->addItems({tr("over steps"), tr("over tokens"), tr("over time"), tr("over FLOPs")});
    m_axis->setObjectName("raceAxis");
    m_axis->setAccessibleName(tr("x axis"));
    auto* open = commandButton(appearance, "raceOpen", "open", {}, tr("Open the folder of a race"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_save);
    fillSaveMenu(*menu);
    m_save->setMenu(menu);
    for (QWidget* part :
         std::initializer_list<QWidget*>{m_metric, m_axis, m_logX, m_logY, m_stop, m_resume, m_save, open})
        row->addWidget(part);
    for (QComboBox* box : {m_metric, m_axis})
        connect(box, &QComboBox::currentIndexChanged, this, &RaceBar::watchChanged);
    for (QToolButton* button : {m_logX, m_logY})
        connect(button, &QToolButton::toggled, this, &RaceBar::watchChanged);
    connect(m_stop, &QToolButton::clicked, this, &RaceBar::stopAsked);
    connect(m_resume, &QToolButton::clicked, this, &RaceBar::resumeAsked);
    connect(open, &QToolButton::clicked, this, &RaceBar::openAsked);
    showDoing(Doing::Nothing, false);
}

void RaceBar::fillSaveMenu(QMenu& menu)
{
    const auto addTable = [&](const QString& words, RaceTableFormat format) {
        connect(menu.addAction(words), &QAction::triggered, this, [this, format] { Q_EMIT tableAsked(format); });
    };
    addTable(tr("Table (CSV) …"), RaceTableFormat::Csv);
    addTable(tr("Table (Markdown) …"), RaceTableFormat::Markdown);
    addTable(tr("Table (LaTeX) …"), RaceTableFormat::Latex);
    connect(menu.addAction(tr("Copy Table")), &QAction::triggered, this, &RaceBar::copyAsked);
    menu.addSeparator();
    connect(menu.addAction(tr("Curves (CSV) …")), &QAction::triggered, this, &RaceBar::curvesAsked);
    connect(menu.addAction(tr("Image (PNG) …")), &QAction::triggered, this,
            [this] { Q_EMIT pictureAsked(Picture::Png); });
    connect(menu.addAction(tr("Vector image (SVG) …")), &QAction::triggered, this,
            [this] { Q_EMIT pictureAsked(Picture::Svg); });
}

RaceWatch RaceBar::watch() const
{
    RaceWatch watch;
    switch (m_metric->currentIndex()) {
    case AccuracyEntry: watch.metric = RaceMetric::Accuracy; break;
    case TrainingEntry: watch.metric = RaceMetric::Training; break;
    default: watch.inBits = m_metric->currentIndex() == BitsEntry; break;
    }
    watch.axis = static_cast<RaceAxis>(m_axis->currentIndex());
    watch.logX = m_logX->isChecked();
    watch.logY = m_logY->isChecked();
    return watch;
}

void RaceBar::offerBits(bool offered)
{
    auto* list = qobject_cast<QStandardItemModel*>(m_metric->model());
    QStandardItem* item = list == nullptr ? nullptr : list->item(BitsEntry);
    if (item == nullptr || item->isEnabled() == offered)
        return;
    item->setEnabled(offered);
    item->setToolTip(offered ? QString() : tr("The loss of this race is not in nats."));
    if (!offered && m_metric->currentIndex() == BitsEntry)
        m_metric->setCurrentIndex(ValidationEntry);
}

void RaceBar::showDoing(Doing doing, bool left)
{
    m_stop->setVisible(doing != Doing::Nothing);
    m_stop->setEnabled(doing == Doing::Running);
    m_stop->setText(doing == Doing::Stopping ? tr("Stopping …") : tr("Stop"));
    m_resume->setVisible(doing == Doing::Nothing);
    m_resume->setEnabled(left);
    m_resume->setToolTip(left ? tr("Train remaining runs") : tr("All runs of the race are done."));
}

} // namespace unroll
