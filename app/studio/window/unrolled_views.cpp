// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/unrolled_views.h"

#include "app/studio/canvas/graph_view.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace unroll {

namespace {

constexpr const char* kUnrolledSetting = "window/unrolled";

/// Names from the top, dots between groups. Empty: it is not there.
QString unrolledNames(const UnrolledCards::Key& key, const Graph& top)
{
    QStringList names;
    GroupPath path = key.first;
    path.push_back(key.second);
    const Graph* graph = &top;
    for (const NodeId id : path) {
        const Node* node = graph != nullptr ? graph->find(id) : nullptr;
        if (node == nullptr)
            return {};
        names << QString::fromStdString(node->name);
        graph = node->group ? node->group->graph.get() : nullptr;
    }
    return names.join('.');
}

std::optional<UnrolledCards::Key> unrolledKey(const QString& words, const Graph& top)
{
    GroupPath path;
    const Graph* graph = &top;
    for (const QString& name : words.split('.')) {
        const Node* node = graph != nullptr ? graph->findByName(name.toStdString()) : nullptr;
        if (node == nullptr)
            return {};
        path.push_back(node->id);
        graph = node->group ? node->group->graph.get() : nullptr;
    }
    const NodeId node = path.back();
    path.pop_back();
    return UnrolledCards::Key{path, node};
}

/// The newest file first; a text that is none of ours holds none.
QJsonArray keptUnrolled(const QSettings& settings)
{
    return QJsonDocument::fromJson(settings.value(kUnrolledSetting).toString().toUtf8()).array();
}

} // namespace

UnrolledViews::UnrolledViews(QAction& onOff, GraphView& view, QSettings& settings, QObject* parent)
    : QObject(parent), m_onOff(onOff), m_view(view), m_scene(view.graphScene()), m_settings(settings)
{
    onOff.setCheckable(true);
    const Document& document = m_scene.document();
    connect(&onOff, &QAction::triggered, this, &UnrolledViews::turn);
    connect(&document, &Document::replaced, this, &UnrolledViews::recall);
    connect(&document, &Document::fileChanged, this, [this] {
        if (m_path != m_scene.document().path())
            keep(); // saved under another name
    });
    connect(&document, &Document::graphChanged, this, [this] {
        if (!m_scene.unrolled().all().empty())
            keep(); // under the names that the nodes have now
        refresh();
    });
    connect(&m_scene, &GraphScene::selectionChanged, this, &UnrolledViews::refresh);
    connect(&m_scene, &GraphScene::pathChanged, this, &UnrolledViews::refresh);
    recall();
}

std::set<NodeId> UnrolledViews::meant() const
{
    std::set<NodeId> nodes = m_scene.selection();
    if (nodes.empty())
        for (const auto& [id, node] : m_scene.shown().nodes)
            nodes.insert(id);
    std::erase_if(nodes, [this](NodeId id) { return !m_scene.unrolled().canShow(id); });
    return nodes;
}

/// Where some are drawn and others are not, all are drawn.
void UnrolledViews::turn()
{
    const std::set<NodeId> nodes = meant();
    UnrolledCards& cards = m_scene.unrolled();
    const bool on = !std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return cards.isShown(id); });
    cards.show(nodes, on);
    if (on)
        m_view.revealUnrolled(nodes);
    keep();
    refresh();
}

void UnrolledViews::refresh()
{
    const std::set<NodeId> nodes = meant();
    const UnrolledCards& cards = m_scene.unrolled();
    m_onOff.setEnabled(!nodes.empty());
    m_onOff.setChecked(!nodes.empty() &&
                       std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return cards.isShown(id); }));
    m_onOff.setStatusTip(nodes.empty() ? tr("Select a node that carries state from step to step, or a group with one.")
                                       : QString());
}

void UnrolledViews::keep()
{
    m_path = m_scene.document().path();
    if (m_path.isEmpty())
        return; // it has no name by which it could be found again
    QJsonArray nodes;
    for (const UnrolledCards::Key& key : m_scene.unrolled().all())
        if (const QString words = unrolledNames(key, m_scene.document().graph()); !words.isEmpty())
            nodes.append(words);
    QJsonArray files;
    if (!nodes.isEmpty())
        files.append(QJsonObject{{"file", m_path}, {"nodes", nodes}});
    for (const QJsonValue& file : keptUnrolled(m_settings))
        if (file.toObject().value("file").toString() != m_path && files.size() < kMostFiles)
            files.append(file);
    m_settings.setValue(kUnrolledSetting, QString::fromUtf8(QJsonDocument(files).toJson(QJsonDocument::Compact)));
}

void UnrolledViews::recall()
{
    m_path = m_scene.document().path();
    std::set<UnrolledCards::Key> keys;
    for (const QJsonValue& file : keptUnrolled(m_settings))
        if (!m_path.isEmpty() && file.toObject().value("file").toString() == m_path)
            for (const QJsonValue& words : file.toObject().value("nodes").toArray())
                if (const auto key = unrolledKey(words.toString(), m_scene.document().graph()))
                    keys.insert(*key);
    m_scene.unrolled().setAll(std::move(keys));
    if (!m_scene.unrolled().all().empty())
        m_view.fitAll();
    refresh();
}

} // namespace unroll
