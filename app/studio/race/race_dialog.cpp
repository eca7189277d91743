// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_dialog.h"

#include "app/studio/runs/runs_header.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/plain_label.h"
#include "app/studio/theme/style.h"

#include <QAction>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kColumnWidths[] = {14, 11, 9, 7}; ///< in heights of a line; the last column takes the rest

LaneFit fitOf(const Result<MatchedWidth>& lane, double target)
{
    if (!lane)
        return {{}, 0, 0, asSentence(QString::fromStdString(lane.error().text())), {}};
    const QString width = lane->param.empty()
                              ? RaceDialog::tr("as it is")
                              : RaceDialog::tr("%1 = %2").arg(QString::fromStdString(lane->param)).arg(lane->value);
    const double size = target > 0 ? lane->size : static_cast<double>(lane->checked.cost.parameters);
    return {width, size, target > 0 ? (size - target) / target : 0, {}, sizedLane(*lane)};
}

} // namespace

RaceDialog::RaceDialog(RaceSource source, QWidget* parent)
    : QDialog(parent),
      m_source(std::move(source)),
      m_experiment(std::make_shared<const Experiment>(m_source.experiment)),
      m_lanes(m_source.appearance),
      m_messages(new MessageBar(m_source.appearance)),
      m_filter(new QLineEdit),
      m_view(new QTreeView),
      m_fault(plainLabel({})),
      m_form(new RaceForm(m_source.experiment.training.steps, m_source.folder)),
      m_note(plainLabel({}))
{
    setWindowTitle(tr("Compare Cells"));
    setProperty(kHelpTopicProperty, "race");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    makeList();
    m_note->setObjectName("raceNote");
    m_fault->setProperty("tone", "dim");
    column->addWidget(m_messages);
    column->addWidget(makePlaceRow());
    column->addWidget(m_view, 1);
    column->addWidget(m_fault);
    column->addWidget(m_form);
    column->addWidget(m_note);
    column->addLayout(makeButtons());
    connect(&m_lanes, &LaneListModel::ticksChanged, this, &RaceDialog::refresh);
    connect(&m_lanes, &LaneListModel::dataChanged, this, &RaceDialog::refresh);
    connect(&m_lanes, &LaneListModel::wishChanged, this, &RaceDialog::solve);
    connect(m_form, &RaceForm::matchChanged, this, &RaceDialog::solveAll);
    connect(m_form, &RaceForm::edited, this, &RaceDialog::refresh);
    connect(&m_thread, &DiskThread::failed, m_messages, &MessageBar::showError);
    resize(QSize(54, 44) * fontMetrics().height());
    choosePlace(0);
    m_view->setFocus();
}

QWidget* RaceDialog::makePlaceRow()
{
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::s);
    auto* places = new QComboBox;
    places->setObjectName("racePlace");
    for (const RacePlace& place : m_source.places)
        places->addItem(
            tr("%1 (%2)").arg(QString::fromStdString(place.path), QString::fromStdString(place.spec->title)));
    auto* caption = new QLabel(tr("In place of &node"));
    caption->setBuddy(places);
    m_filter->setPlaceholderText(tr("Filter blocks"));
    m_filter->setAccessibleName(tr("Filter blocks"));
    m_filter->setClearButtonEnabled(true);
    line->addWidget(caption);
    line->addWidget(places, 1);
    line->addWidget(m_filter, 1);
    connect(places, &QComboBox::currentIndexChanged, this, &RaceDialog::choosePlace);
    connect(m_filter, &QLineEdit::textChanged, &m_shown, &QSortFilterProxyModel::setFilterFixedString);
    return row;
}

void RaceDialog::makeList()
{
    m_shown.setSourceModel(&m_lanes);
    m_shown.setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_shown.setFilterKeyColumn(LaneListModel::Block);
    m_view->setHeader(new RunsHeader(m_view));
    m_view->setModel(&m_shown);
    m_view->setAccessibleName(tr("Blocks to compare"));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setEditTriggers(QAbstractItemView::DoubleClicked);
    auto* edit = new QAction(m_view); // whatever column is current
    edit->setShortcut(Qt::Key_F2);
    edit->setShortcutContext(Qt::WidgetShortcut);
    m_view->addAction(edit);
    connect(edit, &QAction::triggered, this, [this] { editSettings(m_view->currentIndex().row()); });
    m_view->header()->setStretchLastSection(true);
    m_source.appearance.follow(*m_view, [this] {
        for (int column = 0; column < LaneListModel::ColumnCount - 1; ++column)
            m_view->setColumnWidth(column, static_cast<int>(kColumnWidths[column] * fontMetrics().height()));
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &RaceDialog::showFault);
}

QLayout* RaceDialog::makeButtons()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    row->addWidget(m_variant = new QPushButton(tr("Add &Variant")));
    row->addStretch();
    row->addWidget(m_start = new QPushButton(tr("&Start Race")));
    auto* cancel = new QPushButton(tr("Cancel"));
    row->addWidget(cancel);
    m_variant->setToolTip(tr("Another lane of the selected block, with settings of its own"));
    m_variant->setAutoDefault(false);
    cancel->setAutoDefault(false);
    m_start->setObjectName("raceStart");
    m_start->setDefault(true);
    connect(m_variant, &QPushButton::clicked, this, &RaceDialog::addVariant);
    connect(m_start, &QPushButton::clicked, this, &RaceDialog::start);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    return row;
}

QString RaceDialog::note() const
{
    return m_note->text();
}

void RaceDialog::choosePlace(int index)
{
    m_place = static_cast<std::size_t>(index);
    m_lanes.setPlace(m_source.places[m_place]);
    m_view->setCurrentIndex(m_shown.index(0, 0));
    solveAll();
}

CheckLane RaceDialog::check() const
{
    return [&registry = m_source.registry, &data = m_source.data](const Experiment& experiment) {
        return checkExperiment(experiment, registry, data);
    };
}

/// The target first, then every block.
void RaceDialog::solveAll()
{
    ++m_asked;
    m_target.reset();
    m_trouble.clear();
    m_lanes.setSizeTitle(m_form->sizeTitle());
    m_lanes.forgetFits();
    m_thread.ask([this, asked = m_asked, experiment = m_experiment, match = m_form->match().toStdString(),
                  check = check()](const std::stop_token&) -> DiskThread::Answer {
        const CheckedGraph checked = check(*experiment);
        const std::int64_t tokens = checked.steps * experiment->training.batch * experiment->training.accumulation;
        auto target = raceTarget(match, *experiment, checked);
        return [this, asked, target = std::move(target), tokens] { takeTarget(asked, target, tokens); };
    });
    refresh();
}

void RaceDialog::takeTarget(quint64 asked, const Result<double>& target, std::int64_t tokens)
{
    if (asked != m_asked)
        return;
    m_form->setTokensAStep(tokens);
    if (target)
        m_target = *target;
    else
        m_trouble = asSentence(QString::fromStdString(target.error().text()));
    for (int row = 0; target && row < m_lanes.rowCount(); ++row)
        solve(row);
    refresh();
}

void RaceDialog::solve(int row)
{
    if (!m_target)
        return; // it comes with the target
    const QString wish = m_lanes.wishAt(row);
    m_thread.ask([this, row, wish, asked = m_asked, experiment = m_experiment, check = check(),
                  node = m_source.places[m_place].path, match = m_form->match().toStdString(),
                  target = *m_target](const std::stop_token&) -> DiskThread::Answer {
        LaneFit fit =
            fitOf(wishedLane(*experiment, m_source.registry, check, node, wish.toStdString(), match, target), target);
        return [this, row, wish, asked, fit = std::move(fit)] {
            if (asked != m_asked)
                return;
            m_lanes.setFit(row, wish, fit);
            refresh();
        };
    });
}

/// Rows below move on by one: what was asked of them is asked again.
void RaceDialog::addVariant()
{
    const QModelIndex current = m_shown.mapToSource(m_view->currentIndex());
    if (!current.isValid())
        return;
    const int row = m_lanes.addVariant(current.row());
    for (int below = row + 1; below < m_lanes.rowCount(); ++below)
        if (!m_lanes.fitAt(below))
            solve(below);
    editSettings(m_shown.mapFromSource(m_lanes.index(row, LaneListModel::Block)).row());
}

/// Of a row as it is shown.
void RaceDialog::editSettings(int row)
{
    const QModelIndex settings = m_shown.index(row, LaneListModel::Settings);
    if (!settings.isValid())
        return;
    m_view->setFocus();
    m_view->setCurrentIndex(settings);
    m_view->edit(settings);
}

void RaceDialog::showFault()
{
    const QModelIndex current = m_shown.mapToSource(m_view->currentIndex());
    const auto& fit = current.isValid() ? m_lanes.fitAt(current.row()) : std::optional<LaneFit>();
    const bool isSaidBelow = current.isValid() && m_lanes.isTicked(current.row());
    const QString words = fit && !isSaidBelow ? fit->fault : QString();
    m_fault->setText(words);
    m_fault->setVisible(!words.isEmpty());
}

QString RaceDialog::fault() const
{
    if (!m_trouble.isEmpty())
        return m_trouble;
    const std::vector<int> rows = matchedRows();
    if (const QString wrong = m_form->fault(); !wrong.isEmpty())
        return wrong;
    const bool isThere = QFileInfo::exists(m_form->folder() + "/race.json");
    if (rows.size() < (isThere ? 1 : 2)) {
        const QString out = leftOut();
        return tr("Tick the blocks to compare: two or more.") + (out.isEmpty() ? QString() : ' ' + out);
    }
    return {};
}

std::vector<int> RaceDialog::matchedRows() const
{
    std::vector<int> rows = m_lanes.tickedRows();
    std::erase_if(rows, [this](int row) {
        const auto& fit = m_lanes.fitAt(row);
        return fit && !fit->fault.isEmpty();
    });
    return rows;
}

QString RaceDialog::leftOut() const
{
    QStringList sentences;
    for (const int row : m_lanes.tickedRows())
        if (const auto& fit = m_lanes.fitAt(row); fit && !fit->fault.isEmpty())
            sentences << tr("%1 takes no part: %2").arg(m_lanes.titleAt(row), fit->fault);
    return sentences.join(' ');
}

QString RaceDialog::warnings() const
{
    Race race;
    for (const int row : matchedRows())
        if (const auto& fit = m_lanes.fitAt(row)) {
            race.lanes.push_back(fit->lane);
            race.lanes.back().name = m_lanes.titleAt(row).toStdString();
        }
    QStringList sentences;
    for (const std::string& sentence : raceWarnings(race))
        sentences << asSentence(QString::fromStdString(sentence));
    return sentences.join(' ');
}

QString RaceDialog::plan() const
{
    const auto lanes = static_cast<int>(matchedRows().size());
    const std::int64_t seeds = m_form->seeds();
    const QString lanesText = lanes == 1 ? tr("1 lane") : tr("%1 lanes").arg(lanes);
    const QString seedsText = seeds == 1 ? tr("1 seed") : tr("%1 seeds").arg(seeds);
    QString words = tr("%1 %2 %3: %4 runs of %5.")
                        .arg(lanesText, QString(QChar(0x00d7)), seedsText)
                        .arg(lanes * seeds)
                        .arg(m_form->budgetText());
    if (QFileInfo::exists(m_form->folder() + "/race.json"))
        words += ' ' + tr("Blocks that are not yet in this folder's race are added to it.");
    for (const QString& more : {leftOut(), warnings()})
        if (!more.isEmpty())
            words += ' ' + more;
    return words;
}

void RaceDialog::refresh()
{
    const QString wrong = fault();
    const bool isKnown = !m_isStarting && m_target && wrong.isEmpty() && [this, rows = m_lanes.tickedRows()] {
        return std::all_of(rows.begin(), rows.end(), [this](int row) { return m_lanes.fitAt(row).has_value(); });
    }();
    m_note->setText(wrong.isEmpty() ? plan() : wrong);
    restyle(*m_note, "tone", wrong.isEmpty() ? "dim" : m_trouble.isEmpty() ? "" : "error");
    if (m_start != nullptr)
        m_start->setEnabled(isKnown);
    showFault();
}

void RaceDialog::start()
{
    RaceWish wish;
    wish.experiment = m_source.name.toStdString();
    wish.node = m_source.places[m_place].path;
    for (const int row : m_lanes.tickedRows())
        wish.blocks.push_back(m_lanes.wishAt(row).toStdString());
    m_form->fill(wish);
    m_isStarting = true;
    m_messages->hide();
    refresh();
    const QString folder = m_form->folder();
    m_thread.ask([this, wish, folder, parallel = static_cast<int>(m_form->parallel()),
                  experiment = m_experiment](const std::stop_token&) -> DiskThread::Answer {
        const std::filesystem::path place = folder.toStdString();
        auto plan = planRace(wish, *experiment, m_source.registry, m_source.data, place);
        const Result<void> saved = plan ? saveRace(*plan, place) : tl::unexpected(plan.error());
        return [this, folder, parallel, saved] {
            m_isStarting = false;
            refresh();
            if (!saved)
                return m_messages->showError(asSentence(QString::fromStdString(saved.error().text())));
            accept();
            Q_EMIT started(folder, parallel);
        };
    });
}

} // namespace unroll
