// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_lens_view.h"

#include "app/studio/inspector/param_editor.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/look_rate.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/flow_layout.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kWidestField = 280; ///< pixels, of what an empty one says

QJsonValue jsonOf(const ParamValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<qint64>(*whole);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return QString::fromStdString(std::get<std::string>(value));
}

/// Nothing: the value is of another type.
std::optional<ParamValue> paramOf(ParamType type, const QJsonValue& value)
{
    if (type == ParamType::Bool)
        return value.isBool() ? std::optional<ParamValue>(value.toBool()) : std::nullopt;
    if (type == ParamType::Int)
        return value.isDouble() ? std::optional<ParamValue>(std::int64_t{value.toInteger()}) : std::nullopt;
    if (type == ParamType::Real)
        return value.isDouble() ? std::optional<ParamValue>(value.toDouble()) : std::nullopt;
    return value.isString() ? std::optional<ParamValue>(value.toString().toStdString()) : std::nullopt;
}

} // namespace

bool isSharedSetting(const std::string& name)
{
    return isCursorSetting(name);
}

SignalLensView::SignalLensView(const std::string& lens, const LensDesk& desk, QWidget* picture, const QString& icon,
                               QWidget* parent)
    : LensView(lens, desk.controller, parent),
      m_desk(desk),
      m_picker(this->lens().takesSignal ? new SignalPicker(desk.document) : nullptr),
      m_pages(new QStackedWidget),
      m_empty(new EmptyState(desk.appearance, icon, QString::fromStdString(this->lens().title), {})),
      m_sight(new InSight(*this))
{
    m_between.setSingleShot(true);
    m_between.setInterval(kBetweenQueries);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar());
    m_pages->addWidget(m_empty);
    m_pages->addWidget(picture);
    if (desk.time != nullptr)
        m_pages->addWidget(m_kept = new KeptPage(*desk.time, desk.appearance, desk.cursor));
    column->addWidget(m_pages, 1);
    usePages(m_pages);
    listen();
    begin();
    choose();
}

/// A window hides as it goes.
SignalLensView::~SignalLensView()
{
    delete m_sight;
}

QWidget* SignalLensView::bar()
{
    m_bar = new QWidget;
    auto* row = new FlowLayout(m_bar);
    row->setContentsMargins(space::m, 0, space::m, space::xs);
    row->setSpacing(space::s);
    if (m_picker != nullptr)
        row->addWidget(m_picker);
    for (const ParamSpec& setting : lens().settings)
        if (!isSharedSetting(setting.name))
            row->addWidget(editor(setting));
    if (row->count() == 0)
        m_bar->hide();
    row->addWidget(new LookRate(m_desk.controller, lens().heavy));
    return m_bar;
}

void SignalLensView::addToBar(QWidget* part)
{
    m_bar->layout()->addWidget(part);
    m_bar->show();
}

/// With its name before it.
QWidget* SignalLensView::editor(const ParamSpec& setting)
{
    auto* part = new QWidget;
    auto* line = new QHBoxLayout(part);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::xs);
    auto* editor = new ParamEditor(setting, m_desk.appearance);
    m_settings[setting.name] = setting.defaultValue;
    m_editors[setting.name] = editor;
    editor->setObjectName(QString::fromStdString(setting.name));
    editor->setToolTip(paramHelp(setting));
    editor->setValue(setting.defaultValue);
    connect(editor, &ParamEditor::edited, this,
            [this, name = setting.name](const ParamValue& value) { set(name, value); });
    auto* name = new QLabel(QString::fromStdString(setting.name).replace('_', ' '));
    name->setProperty("tone", "dim");
    name->setToolTip(paramHelp(setting));
    line->addWidget(name);
    line->addWidget(editor, 1);
    const bool isText = setting.type == ParamType::Text || setting.type == ParamType::Path;
    if (auto* field = editor->findChild<QLineEdit*>(); isText && field != nullptr && !setting.whenEmpty.empty()) {
        const int words = field->fontMetrics().horizontalAdvance(QString::fromStdString(setting.whenEmpty));
        field->setMinimumWidth(std::min(words + 2 * space::l, kWidestField));
    }
    return part;
}

void SignalLensView::listen()
{
    if (m_picker != nullptr)
        connect(m_picker, &SignalPicker::picked, this, &SignalLensView::choose);
    connect(&m_desk.controller, &RunController::runChanged, this, &SignalLensView::begin);
    connect(&m_desk.controller, &RunController::snapshotChanged, this, &SignalLensView::take);
    connect(&m_desk.controller, &RunController::stateChanged, this, &SignalLensView::showEmpty);
    connect(&m_desk.document, &Document::checkedChanged, this, &SignalLensView::showEmpty);
    connect(&m_desk.cursor, &ReadingCursor::changed, this, &SignalLensView::follow);
    if (m_kept != nullptr) {
        connect(m_desk.time, &TrainingTime::changed, this, &SignalLensView::showTime);
        connect(m_kept, &KeptPage::drawn, this, [this] { timeShown(); });
    }
    connect(&m_between, &QTimer::timeout, this, [this] {
        if (std::exchange(m_moved, false))
            follow();
    });
    connect(m_sight, &InSight::changed, this, [this](bool seen) {
        if (!hasRun()) // a window that goes hides its panels last
            return;
        m_wanted = wanted();
        ask(seen ? m_wanted : std::nullopt);
        take();
        showEmpty();
    });
}

/// A value that the setting cannot have is said at its editor, and nothing changes.
void SignalLensView::set(const std::string& setting, const ParamValue& value)
{
    for (const ParamSpec& spec : lens().settings) {
        if (spec.name != setting || !m_editors.contains(setting))
            continue;
        const std::string fault = paramFault(spec, value);
        m_editors.at(setting)->setWrong(QString::fromStdString(fault));
        if (!fault.empty())
            return;
        m_settings[setting] = asParamOf(spec.type, value).value_or(value);
        m_editors.at(setting)->setValue(m_settings[setting]);
    }
    choose();
}

QJsonObject SignalLensView::choices() const
{
    QJsonObject set;
    for (const ParamSpec& spec : lens().settings)
        if (const auto own = m_settings.find(spec.name); own != m_settings.end() && own->second != spec.defaultValue)
            set.insert(QString::fromStdString(spec.name), jsonOf(own->second));
    QJsonObject all;
    if (!set.isEmpty())
        all.insert("settings", set);
    if (m_picker != nullptr && !node().empty()) {
        all.insert("node", QString::fromStdString(node()));
        all.insert("signal", QString::fromStdString(signal()));
    }
    return all;
}

void SignalLensView::takeChoices(const QJsonObject& choices)
{
    const QJsonObject set = choices.value("settings").toObject();
    for (const ParamSpec& spec : lens().settings)
        if (const QJsonValue value = set.value(QString::fromStdString(spec.name));
            !value.isUndefined() && m_editors.contains(spec.name))
            if (const auto known = paramOf(spec.type, value); known && paramFault(spec, *known).empty())
                this->set(spec.name, *known);
    if (m_picker != nullptr && choices.contains("node"))
        m_picker->prefer(choices.value("node").toString().toStdString(),
                         choices.value("signal").toString().toStdString());
}

std::string SignalLensView::node() const
{
    return m_picker != nullptr ? m_picker->node() : std::string();
}

std::string SignalLensView::signal() const
{
    return m_picker != nullptr ? m_picker->signal() : std::string();
}

bool SignalLensView::isSelectionHere() const
{
    const ReadingCursor::Selection& chosen = m_desk.cursor.selection();
    return m_picker == nullptr || (chosen.node.empty() && chosen.signal.empty()) ||
           (chosen.node == node() && chosen.signal == signal());
}

/// With what is shared; nothing: no signal can be chosen.
std::optional<LensQuery> SignalLensView::wanted() const
{
    if (m_picker != nullptr && (node().empty() || signal().empty()))
        return {};
    LensQuery query{lens().id, node(), signal(), m_settings};
    const ReadingCursor& cursor = m_desk.cursor;
    for (const ParamSpec& setting : lens().settings) {
        if (setting.name == "step")
            query.settings["step"] = cursor.step();
        else if (setting.name == "from")
            query.settings["from"] = cursor.from();
        else if (setting.name == "to")
            query.settings["to"] = cursor.to();
        else if (setting.name == "units")
            query.settings["units"] = isSelectionHere() ? cursor.unitsText() : std::string();
    }
    return query;
}

/// Another run, or none: nothing of the last one is shown, unless it is that one that goes on.
void SignalLensView::begin()
{
    const auto& trained = m_desk.controller.experiment();
    if (m_picker != nullptr)
        m_picker->setRun(trained ? std::optional<Graph>(trained->graph) : std::nullopt);
    if (!m_desk.controller.continuesRun())
        forget();
    showEmpty();
}

/// Another query: what is shown answers the last one.
void SignalLensView::choose()
{
    std::optional<LensQuery> now = wanted();
    if (now != m_wanted) {
        m_wanted = std::move(now);
        forget();
    }
    if (m_sight->isSeen())
        ask(m_wanted);
    take();
    showEmpty();
}

/// The cursor moved: what is shown stays until the answer comes.
void SignalLensView::follow()
{
    if (!m_sight->isSeen())
        return;
    if (m_between.isActive()) {
        m_moved = true;
        return;
    }
    std::optional<LensQuery> now = wanted();
    if (now == m_wanted)
        return;
    m_wanted = std::move(now);
    ask(m_wanted);
    m_between.start();
    take();
}

/// Where nothing new came, what is shown stays.
void SignalLensView::take()
{
    auto frame = newest();
    if (!m_sight->isSeen() || !frame || frame == m_taken)
        return;
    m_taken = std::move(frame);
    if (m_taken->data)
        draw(m_taken);
    showEmpty();
}

void SignalLensView::forget()
{
    m_taken.reset();
}

void SignalLensView::showEmpty()
{
    showTime();
    m_empty->setSentence(reasonForNothing());
}

/// What was kept stands in the place of the picture and of what is said where there is none; the choices above stay.
void SignalLensView::showTime()
{
    if (showsKept()) {
        m_kept->setQuery(wanted());
        showPage(m_pages->indexOf(m_kept));
    } else {
        showPage(m_taken && m_taken->data ? 1 : 0);
    }
    timeShown();
}

bool SignalLensView::showsKept() const
{
    return m_kept != nullptr && m_desk.time && !m_desk.time->isLive();
}

ShownFigure SignalLensView::keptFigure() const
{
    return showsKept() ? m_kept->shown() : ShownFigure{};
}

QString SignalLensView::reasonForNothing() const
{
    const QString title = QString::fromStdString(lens().title);
    const QString name = m_picker != nullptr ? QString::fromStdString(node()) : title;
    const QString shows = QString::fromStdString(lens().summary);
    if (m_picker != nullptr && m_picker->isEmpty())
        return tr("The graph has no node with signals. %1").arg(shows);
    if (const std::string& reason = m_desk.controller.snapshot()->notOpened; !reason.empty())
        return tr("%1 cannot be shown: %2.").arg(name, QString::fromStdString(reason));
    if (!m_desk.controller.canBeAsked())
        return tr("Press Run ({run}). %1").arg(shows);
    if (m_picker != nullptr && !m_picker->isChosenInRun())
        return tr("%1 is not in this run; it will be in the next.").arg(name);
    if (m_taken && !m_taken->trouble.empty())
        return tr("There is nothing to show: %1.").arg(QString::fromStdString(m_taken->trouble));
    return m_picker != nullptr ? tr("Waiting for the first snapshot of %1.").arg(name)
                               : tr("Waiting for the first answer. %1").arg(shows);
}

} // namespace unroll
