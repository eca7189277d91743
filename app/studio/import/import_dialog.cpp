// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/import/import_dialog.h"

#include "app/studio/inspector/path_field.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"
#include "app/studio/theme/style.h"
#include "core/base/home_path.h"
#include "core/experiment/data_paths.h"
#include "core/runs/run_names.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr int kQuietMilliseconds = 500; ///< without a change before the mapping is asked for
constexpr const char* kSuffix = ".safetensors";

/// As typed, with the home folder written out.
QString wholePath(const QString& typed)
{
    const QString words = typed.trimmed();
    return words.isEmpty() ? QString()
                           : QFileInfo(QString::fromStdString(withHome(words.toStdString()))).absoluteFilePath();
}

/// A heading over names that are listed below it; closed at first.
void addList(QTreeWidget& table, const QString& heading, const QStringList& names)
{
    if (names.isEmpty())
        return;
    auto* item = new QTreeWidgetItem(&table, QStringList{heading});
    item->setFirstColumnSpanned(true);
    for (const QString& name : names)
        (new QTreeWidgetItem(item, QStringList{name}))->setFirstColumnSpanned(true);
}

} // namespace

ImportDialog::ImportDialog(ImportSource source, QWidget* parent)
    : QDialog(parent),
      m_source(std::move(source)),
      m_messages(new MessageBar(m_source.appearance)),
      m_weights(new PathField({"safetensors", "pt", "pth", "keras", "h5"})),
      m_all(new QCheckBox(tr("&Every node whose name the file has"))),
      m_nodes(new QLineEdit),
      m_target(new QLineEdit(m_source.proposed)),
      m_table(new QTreeWidget),
      m_note(plainLabel({}))
{
    setWindowTitle(tr("Import Weights"));
    setProperty(kHelpTopicProperty, "import");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(m_messages);
    if (!m_source.inUse.isEmpty())
        column->addWidget(makeInUse());
    column->addWidget(m_form = makeForm());
    column->addWidget(m_table, 1);
    column->addWidget(m_note);
    column->addLayout(makeButtons());
    m_note->setObjectName("importNote");
    m_table->setAccessibleName(tr("Mapping"));
    m_table->setHeaderLabels({tr("Weight"), tr("Size"), tr("From"), tr("Rearranged")});
    m_table->setUniformRowHeights(true);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kQuietMilliseconds);
    connect(&m_soon, &QTimer::timeout, this, &ImportDialog::ask);
    connect(&m_process, &ImportProcess::done, this, &ImportDialog::showMapping);
    connect(&m_process, &ImportProcess::failed, this, &ImportDialog::refuse);
    resize(QSize(54, 40) * fontMetrics().height());
    ask();
    m_weights->setFocus();
}

QWidget* ImportDialog::makeInUse()
{
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::s);
    auto* clear = new QPushButton(tr("Initialise &Randomly"));
    clear->setObjectName("importClear");
    clear->setAutoDefault(false);
    line->addWidget(plainLabel(tr("New runs of this window start from %1.").arg(m_source.inUse)), 1);
    line->addWidget(clear);
    connect(clear, &QPushButton::clicked, this, [this, row] {
        row->hide();
        Q_EMIT cleared();
    });
    return row;
}

QWidget* ImportDialog::makeForm()
{
    auto* form = new QWidget;
    auto* grid = new QGridLayout(form);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(1, 1);
    addFileRow(*grid);
    addNodeRows(*grid);
    addTargetRow(*grid);
    return form;
}

void ImportDialog::addFileRow(QGridLayout& grid)
{
    auto* choose = new QPushButton(tr("Ch&oose …"));
    choose->setAutoDefault(false);
    m_weights->setObjectName("importFile");
    m_weights->setToolTip(tr("PyTorch: .safetensors, or .pt with a state_dict (nothing in it is executed); Keras 3: "
                             ".keras or .weights.h5"));
    grid.addWidget(fieldCaption(tr("&File"), m_weights), 0, 0);
    grid.addWidget(m_weights, 0, 1);
    grid.addWidget(choose, 0, 2);
    connect(choose, &QPushButton::clicked, m_weights, &PathField::choose);
    connect(m_weights, &QLineEdit::textChanged, this, &ImportDialog::askSoon);
}

void ImportDialog::addNodeRows(QGridLayout& grid)
{
    m_all->setObjectName("importAll");
    m_all->setChecked(true);
    m_nodes->setObjectName("importNodes");
    m_nodes->setPlaceholderText(tr("lstm=encoder.rnn, head=decoder"));
    m_nodes->setToolTip(tr("NODE=PREFIX: a node and what its names in the file begin with. NODE alone: the only module "
                           "of its kind."));
    grid.addWidget(m_all, 1, 1, 1, 2);
    grid.addWidget(fieldCaption(tr("Other &names"), m_nodes), 2, 0);
    grid.addWidget(m_nodes, 2, 1, 1, 2);
    connect(m_all, &QCheckBox::toggled, this, &ImportDialog::askSoon);
    connect(m_nodes, &QLineEdit::textChanged, this, &ImportDialog::askSoon);
}

void ImportDialog::addTargetRow(QGridLayout& grid)
{
    auto* choose = new QPushButton(tr("C&hoose …"));
    choose->setAutoDefault(false);
    m_target->setObjectName("importTarget");
    m_target->setToolTip(tr("The weights under the names of this experiment; new runs start from this file."));
    grid.addWidget(fieldCaption(tr("Write &to"), m_target), 3, 0);
    grid.addWidget(m_target, 3, 1);
    grid.addWidget(choose, 3, 2);
    connect(choose, &QPushButton::clicked, this, &ImportDialog::chooseTarget);
    connect(m_target, &QLineEdit::textChanged, m_messages, &QWidget::hide);
}

QLayout* ImportDialog::makeButtons()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    row->addStretch();
    row->addWidget(m_import = new QPushButton(tr("&Import")));
    auto* close = new QPushButton(tr("Close"));
    row->addWidget(close);
    m_import->setObjectName("importTake");
    m_import->setDefault(true);
    close->setAutoDefault(false);
    connect(m_import, &QPushButton::clicked, this, &ImportDialog::writeOrAsk);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    return row;
}

void ImportDialog::setWeights(const QString& file)
{
    m_weights->setText(file);
    ask();
}

QString ImportDialog::note() const
{
    return m_note->text();
}

void ImportDialog::chooseTarget()
{
    auto* dialog = new QFileDialog(this, tr("Write the imported weights to"), QFileInfo(target()).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // Import asks
    dialog->setDefaultSuffix(QString(kSuffix).mid(1));
    dialog->selectFile(QFileInfo(target()).fileName());
    connect(dialog, &QFileDialog::fileSelected, m_target, &QLineEdit::setText);
    dialog->open();
}

bool ImportDialog::isAwaited() const
{
    return !m_soon.isActive() && (m_step == Step::Asking || m_step == Step::Writing);
}

QStringList ImportDialog::nodes() const
{
    return m_nodes->text().split(QRegularExpression("[,\\s]+"), Qt::SkipEmptyParts);
}

QString ImportDialog::target() const
{
    const QString path = wholePath(m_target->text());
    return path.isEmpty() || path.endsWith(kSuffix) ? path : path + kSuffix;
}

void ImportDialog::askSoon()
{
    if (m_step == Step::Writing) {
        m_isOld = true;
        return;
    }
    if (wholePath(m_weights->text()).isEmpty())
        return ask();
    setStep(Step::Asking, tr("Reading the mapping …"));
    m_soon.start();
}

void ImportDialog::ask()
{
    if (m_step == Step::Writing)
        return;
    m_soon.stop();
    m_messages->hide();
    m_table->clear();
    m_wish = {wholePath(m_weights->text()), m_folder.filePath("experiment.unroll"), m_all->isChecked(), nodes(), {}};
    if (m_wish.weights.isEmpty())
        return setStep(Step::Nothing, tr("Choose a file. The mapping is shown before anything is taken."));
    if (!m_wish.all && m_wish.nodes.isEmpty())
        return setStep(Step::Nothing,
                       tr("Name the nodes that take weights, or tick every node whose name the file has."));
    Experiment experiment = m_source.experiment();
    experiment.graph =
        moveDataPaths(experiment.graph, m_source.registry, experiment.folder, m_folder.path().toStdString());
    if (const auto saved = saveExperiment(experiment, m_wish.experiment.toStdString()); !saved)
        return setStep(Step::Refused, asSentence(QString::fromStdString(saved.error().text())));
    setStep(Step::Asking, tr("Reading the mapping …"));
    m_process.start(m_wish);
}

/// What was changed since is asked for again.
void ImportDialog::showMapping(const WeightMapping& mapping)
{
    if (!isAwaited())
        return;
    if (m_step != Step::Writing) {
        fill(mapping);
        return setStep(Step::Shown, mapping.summary());
    }
    setStep(Step::Shown, mapping.summary());
    Q_EMIT imported(mapping.out, mapping.tensors);
    accept();
}

void ImportDialog::fill(const WeightMapping& mapping)
{
    m_table->clear();
    for (const MappedNode& node : mapping.nodes) {
        const QStringList head{node.node == node.block ? node.node : tr("%1 (%2)").arg(node.node, node.block),
                               QString(), node.source, node.form};
        auto* top = new QTreeWidgetItem(m_table, head);
        for (const MappedWeight& weight : node.weights)
            new QTreeWidgetItem(top, QStringList{weight.name, weight.shape, weight.from, weight.done});
        for (const QString& note : node.notes)
            (new QTreeWidgetItem(top, QStringList{tr("Note: %1").arg(note)}))->setFirstColumnSpanned(true);
        top->setExpanded(true);
    }
    fitColumns();
    addList(*m_table, tr("Left at their initial values: %1").arg(mapping.left.size()), mapping.left);
    addList(*m_table, tr("Not used from the file: %1").arg(mapping.unused.size()), mapping.unused);
}

/// Notes, which are as wide as the table, are not counted.
void ImportDialog::fitColumns()
{
    int widest = 0;
    for (QTreeWidgetItemIterator each(m_table); *each != nullptr; ++each)
        if (!(*each)->isFirstColumnSpanned())
            widest = std::max(widest, m_table->fontMetrics().horizontalAdvance((*each)->text(0)));
    m_table->setColumnWidth(0, widest + 2 * m_table->indentation() + space::xl);
    for (int column = 1; column < m_table->columnCount() - 1; ++column)
        m_table->resizeColumnToContents(column);
}

void ImportDialog::refuse(const QString& sentence)
{
    if (!isAwaited())
        return;
    if (m_step == Step::Writing) {
        setStep(Step::Shown, note());
        m_messages->showError(tr("Not imported. %1").arg(asSentence(sentence)));
        if (std::exchange(m_isOld, false))
            askSoon();
    } else {
        setStep(Step::Refused, asSentence(sentence));
    }
}

void ImportDialog::setStep(Step step, const QString& words)
{
    m_step = step;
    m_note->setText(words);
    restyle(*m_note, "tone", step == Step::Refused ? "error" : "dim");
    m_form->setEnabled(step != Step::Writing);
    m_import->setEnabled(step == Step::Shown);
    m_table->setFocusPolicy(m_table->topLevelItemCount() > 0 ? Qt::StrongFocus : Qt::NoFocus); // else nothing shows it
}

/// The answer that loses nothing has the keyboard.
void ImportDialog::writeOrAsk()
{
    const QString out = target();
    if (out.isEmpty())
        return m_messages->showError(tr("Not imported. Name the file to write."));
    if (const auto outside = outsideRuns(out.toStdString()); !outside)
        return m_messages->showError(
            tr("Not imported. %1").arg(asSentence(QString::fromStdString(outside.error().text()))));
    if (!QFileInfo::exists(out))
        return write();
    m_messages->hide(); // so that its buttons are there at once
    m_messages->ask(tr("%1 exists already.").arg(out), {{tr("&Keep"), [] {}}, {tr("Over&write"), [this] { write(); }}});
    m_messages->focusAnswers();
}

void ImportDialog::write()
{
    if (m_step != Step::Shown)
        return;
    setStep(Step::Writing, note());
    ImportWish wish = m_wish;
    wish.out = target();
    m_process.start(wish);
}

} // namespace unroll
