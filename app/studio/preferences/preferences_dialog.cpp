// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/preferences_dialog.h"

#include "app/studio/inspector/number_field.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace unroll {

PreferencesDialog::PreferencesDialog(Preferences& preferences, QMainWindow& window, const Appearance& appearance)
    : QDialog(&window),
      m_preferences(preferences),
      m_appearance(appearance),
      m_before(preferences.choices()),
      m_tabs(new QTabWidget),
      m_theme(new QComboBox),
      m_textSize(new QComboBox),
      m_engine(new QComboBox),
      m_share(new NumberField(NumberKind::Real, tr("%"))),
      m_memory(new NumberField(NumberKind::Whole, tr("MB"))),
      m_place(new QLineEdit),
      m_placeTrouble(new QLabel),
      m_keys(new KeysPage(preferences, window, appearance))
{
    setWindowTitle(tr("Preferences"));
    setObjectName("preferences");
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(general(), tr("General"));
    m_tabs->addTab(m_keys, tr("Keys"));
    auto* buttons =
        new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::m);
    column->addWidget(m_tabs, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] {
        m_place->clear();
        m_preferences.set({});
    });
    connect(&preferences, &Preferences::changed, this, &PreferencesDialog::refresh);
    refresh();
    m_tabs->setFocus();
    resize(QSize(34, 36) * fontMetrics().height());
}

QWidget* PreferencesDialog::general()
{
    m_theme->addItem(tr("Same as system"), static_cast<int>(ThemeChoice::System));
    m_theme->addItem(tr("Light"), static_cast<int>(ThemeChoice::Light));
    m_theme->addItem(tr("Dark"), static_cast<int>(ThemeChoice::Dark));
    connect(m_theme, &QComboBox::activated, this, [this](int i) {
        change([&](Choices& next) { next.theme = static_cast<ThemeChoice>(m_theme->itemData(i).toInt()); });
    });
    m_textSize->addItem(tr("Same as system (%1 px)").arg(m_appearance.systemTextSize()), 0);
    for (int size = Appearance::kLeastTextSize; size <= Appearance::kMostTextSize; ++size)
        m_textSize->addItem(tr("%1 px").arg(size), size);
    connect(m_textSize, &QComboBox::activated, this,
            [this](int i) { change([&](Choices& next) { next.textSize = m_textSize->itemData(i).toInt(); }); });
    makeEngine();
    makeNumbers();
    makePlace();
    auto* page = new QWidget;
    auto* form = new QFormLayout(page);
    form->setContentsMargins(0, space::m, 0, 0);
    form->setVerticalSpacing(space::s);
    form->setHorizontalSpacing(space::s);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    addRow(*form, tr("Theme"), m_theme, {});
    addRow(*form, tr("Text size"), m_textSize, {});
    addRow(*form, tr("Time for lenses"), m_share, tr("How much lenses may slow training, for new runs."));
    addRow(*form, tr("Memory for snapshots"), m_memory,
           tr("Memory for the earlier snapshots of a run; old ones are thinned out first."));
    addRow(*form, tr("Engine"), m_engine,
           tr("Trains new runs. In a process of its own, an error of the GPU or of memory ends the run and not the "
              "window."));
    auto* place = new QWidget;
    auto* row = new QHBoxLayout(place);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_place, 1);
    auto* choose = new QPushButton(tr("Choose …"));
    row->addWidget(choose);
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for runs"), m_place->text());
        if (!folder.isEmpty())
            m_place->setText(folder);
        takePlace();
    });
    addRow(*form, tr("Folder of runs"), place,
           tr("New runs are saved here. Empty: in runs/ beside the experiment's file."));
    form->addRow(m_placeTrouble);
    return page;
}

void PreferencesDialog::addRow(QFormLayout& form, const QString& name, QWidget* field, const QString& hint)
{
    field->setAccessibleName(name);
    field->setAccessibleDescription(hint);
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, space::xs);
    column->setSpacing(space::xs);
    column->addWidget(field);
    if (!hint.isEmpty()) {
        auto* words = new QLabel(hint);
        words->setWordWrap(true);
        words->setProperty("tone", "dim");
        column->addWidget(words);
    }
    auto* label = new QLabel(name);
    label->setBuddy(field);
    form.addRow(label, part);
}

void PreferencesDialog::makeEngine()
{
    m_engine->setObjectName("engine");
    m_engine->addItem(tr("In the window's process"), false);
    m_engine->addItem(tr("In a process of its own"), true);
    connect(m_engine, &QComboBox::activated, this,
            [this](int i) { change([&](Choices& next) { next.ownProcess = m_engine->itemData(i).toBool(); }); });
}

void PreferencesDialog::makeNumbers()
{
    m_share->setObjectName("lookShare");
    m_memory->setObjectName("lookMemory");
    m_share->setRange(Preferences::kLeastLookShare, Preferences::kMostLookShare, true);
    m_memory->setRange(double(Preferences::kLeastLookMegabytes), double(Preferences::kMostLookMegabytes), true);
    connect(m_share, &NumberField::finished, this, [this] {
        if (const auto number = m_share->number())
            change([&](Choices& next) { next.lookShare = std::get<double>(*number); });
    });
    connect(m_memory, &NumberField::finished, this, [this] {
        if (const auto number = m_memory->number())
            change([&](Choices& next) { next.lookMegabytes = std::get<std::int64_t>(*number); });
    });
}

void PreferencesDialog::makePlace()
{
    m_place->setObjectName("runsPlace");
    m_place->setAccessibleName(tr("Folder of runs"));
    m_place->setPlaceholderText(tr("beside the experiment's file"));
    m_place->setClearButtonEnabled(true);
    m_placeTrouble->setObjectName("placeTrouble");
    m_placeTrouble->setWordWrap(true);
    m_placeTrouble->setProperty("tone", "error");
    m_placeTrouble->hide();
    connect(m_place, &QLineEdit::editingFinished, this, &PreferencesDialog::takePlace);
    connect(m_place, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            takePlace(); // by the cross
    });
}

/// A folder that will not do is told and stays to be mended; the one before stays in force.
void PreferencesDialog::takePlace()
{
    const QString path = m_place->text().trimmed();
    const QString trouble = runsPlaceTrouble(path);
    m_placeTrouble->setText(trouble);
    m_placeTrouble->setVisible(!trouble.isEmpty());
    restyle(*m_place, "wrong", !trouble.isEmpty());
    if (trouble.isEmpty())
        change([&](Choices& next) { next.runsPlace = path; });
}

void PreferencesDialog::change(const std::function<void(Choices&)>& edit)
{
    Choices next = m_preferences.choices();
    edit(next);
    m_preferences.set(next);
}

void PreferencesDialog::refresh()
{
    const Choices& now = m_preferences.choices();
    m_theme->setCurrentIndex(m_theme->findData(static_cast<int>(now.theme)));
    m_textSize->setCurrentIndex(m_textSize->findData(now.textSize));
    m_engine->setCurrentIndex(m_engine->findData(now.ownProcess));
    m_share->setNumber(now.lookShare);
    m_memory->setNumber(now.lookMegabytes);
    if (m_placeTrouble->isHidden() && m_place->text().trimmed() != now.runsPlace)
        m_place->setText(now.runsPlace);
}

void PreferencesDialog::showKeys()
{
    m_tabs->setCurrentWidget(m_keys);
}

/// What is half typed ends first, not after.
void PreferencesDialog::reject()
{
    if (QWidget* field = focusWidget())
        field->clearFocus();
    m_preferences.set(m_before);
    QDialog::reject();
}

} // namespace unroll
