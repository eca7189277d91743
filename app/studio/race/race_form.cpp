// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_form.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/plain_label.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <thread>

namespace unroll {

namespace {

constexpr double kUsualSeconds = 60;
constexpr std::int64_t kMostAtOnce = 64;
constexpr std::int64_t kMostBudget = 1'000'000'000'000;

} // namespace

RaceForm::RaceForm(std::int64_t steps, const QString& folder, QWidget* parent)
    : QWidget(parent),
      m_steps(steps),
      m_match(new QComboBox),
      m_seeds(new NumberField(NumberKind::Whole)),
      m_budget(new NumberField(NumberKind::Whole)),
      m_unit(new QComboBox),
      m_parallel(new NumberField(NumberKind::Whole)),
      m_folder(new QLineEdit(folder))
{
    m_match->setObjectName("raceMatch");
    m_seeds->setObjectName("raceSeeds");
    m_budget->setObjectName("raceBudget");
    m_folder->setObjectName("raceFolder");
    m_match->addItem(tr("Parameters"), "parameters");
    m_match->addItem(tr("FLOPs/token"), "flops");
    m_match->addItem(tr("State values"), "state");
    m_match->addItem(tr("Nothing"), "none");
    m_match->setToolTip(tr("Made equal to that of the experiment within 2 %, by the width of each block"));
    m_seeds->setRange(1, static_cast<double>(kMostSeeds), true);
    m_seeds->setNumber(std::int64_t{1});
    m_seeds->setToolTip(
        tr("Runs per lane; seeds count up from the experiment's. With three seeds a band is at most their range."));
    m_budget->setRange(1, static_cast<double>(kMostBudget), true);
    m_budget->setNumber(steps);
    for (const QString& unit : {tr("steps"), tr("tokens"), tr("seconds")})
        m_unit->addItem(unit);
    m_unit->setAccessibleName(tr("Unit of the budget"));
    m_parallel->setRange(1, static_cast<double>(kMostAtOnce), true);
    m_parallel->setNumber(std::int64_t{1});
    m_parallel->setToolTip(tr("Parallel runs, each with its share of the cores"));
    m_folder->setToolTip(tr("Folder of the race: lanes, one run folder each, tables. If it already holds a race, lanes "
                            "and seeds are added."));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::s);
    addRows(*grid);
    connect(m_match, &QComboBox::currentIndexChanged, this, &RaceForm::matchChanged);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &RaceForm::changeUnit);
    for (NumberField* field : {m_seeds, m_budget, m_parallel})
        connect(field, &NumberField::edited, this, &RaceForm::edited);
    connect(m_folder, &QLineEdit::textChanged, this, &RaceForm::edited);
}

void RaceForm::addRows(QGridLayout& grid)
{
    auto* choose = new QPushButton(tr("Ch&oose …"));
    connect(choose, &QPushButton::clicked, this, &RaceForm::chooseFolder);
    auto* budget = new QWidget;
    auto* both = new QHBoxLayout(budget);
    both->setContentsMargins(0, 0, 0, 0);
    both->setSpacing(space::xs);
    both->addWidget(m_budget, 1);
    m_budget->setAccessibleName(tr("Budget"));
    both->addWidget(m_unit);
    grid.addWidget(fieldCaption(tr("&Match"), m_match), 0, 0);
    grid.addWidget(m_match, 0, 1);
    grid.addWidget(fieldCaption(tr("&Budget"), m_budget), 0, 2);
    grid.addWidget(budget, 0, 3, 1, 2);
    grid.addWidget(fieldCaption(tr("S&eeds"), m_seeds), 1, 0);
    grid.addWidget(m_seeds, 1, 1);
    grid.addWidget(fieldCaption(tr("&At once"), m_parallel), 1, 2);
    grid.addWidget(m_parallel, 1, 3, 1, 2);
    grid.addWidget(fieldCaption(tr("&Folder"), m_folder), 2, 0);
    grid.addWidget(m_folder, 2, 1, 1, 3);
    grid.addWidget(choose, 2, 4);
    grid.setColumnStretch(1, 1);
    grid.setColumnStretch(3, 1);
}

std::int64_t RaceForm::whole(const NumberField& field, std::int64_t otherwise)
{
    const auto number = field.number();
    const auto* value = number ? std::get_if<std::int64_t>(&*number) : nullptr;
    return value != nullptr ? *value : otherwise;
}

QString RaceForm::sizeTitle() const
{
    if (match() == "state")
        return tr("State"); // as the table of the race has it
    return match() == "none" ? m_match->itemText(0) : m_match->currentText();
}

QString RaceForm::folder() const
{
    const QString typed = m_folder->text().trimmed();
    return typed.isEmpty() ? QString() : QDir::cleanPath(QFileInfo(typed).absoluteFilePath());
}

/// The budget stays what it is, as far as steps and tokens go.
void RaceForm::changeUnit()
{
    const auto before = std::exchange(m_shown, static_cast<Unit>(m_unit->currentIndex()));
    const std::int64_t budget = whole(*m_budget, m_steps);
    const std::int64_t tokens = std::max<std::int64_t>(1, m_tokens);
    const std::int64_t steps = before == Steps ? budget : before == Tokens ? (budget + tokens - 1) / tokens : m_steps;
    m_budget->setNumber(m_shown == Steps    ? steps
                        : m_shown == Tokens ? steps * tokens
                                            : static_cast<std::int64_t>(kUsualSeconds));
    Q_EMIT edited();
}

void RaceForm::fill(RaceWish& wish) const
{
    const std::int64_t budget = whole(*m_budget, m_steps);
    wish.match = match().toStdString();
    wish.seeds = seeds();
    wish.steps = m_shown == Steps ? budget : m_steps;
    wish.tokens = m_shown == Tokens ? budget : 0;
    wish.seconds = m_shown == Seconds ? static_cast<double>(budget) : 0;
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    wish.coresEach = std::max<std::int64_t>(1, cores / parallel());
}

QString RaceForm::budgetText() const
{
    const QString budget = countText(whole(*m_budget, m_steps));
    switch (m_shown) {
    case Steps: return tr("%1 steps").arg(budget);
    case Tokens: return tr("%1 tokens").arg(budget);
    default: return tr("%1 s, at most %2 steps").arg(budget, countText(m_steps));
    }
}

QString RaceForm::fault() const
{
    for (const NumberField* field : {m_seeds, m_budget, m_parallel})
        if (!field->number())
            return field == m_seeds    ? tr("Seeds are a whole number from 1 to %1.").arg(kMostSeeds)
                   : field == m_budget ? tr("The budget is a whole number above 0.")
                                       : tr("At once runs a whole number from 1 to %1.").arg(kMostAtOnce);
    if (folder().isEmpty())
        return tr("Name a folder for the race.");
    const QFileInfo place(folder());
    if (place.exists() && !place.isDir())
        return tr("The folder is a file.");
    if (place.isDir() && !QFileInfo::exists(place.filePath() + "/race.json") && !QDir(place.filePath()).isEmpty())
        return tr("The folder contains other files. Choose a new one, or that of a race.");
    return {};
}

void RaceForm::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Choose a folder for the race"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    const QFileInfo now(folder());
    dialog->setDirectory(now.isDir() ? now.filePath() : now.path());
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

} // namespace unroll
