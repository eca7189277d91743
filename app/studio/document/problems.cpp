// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/problems.h"

#include <algorithm>

namespace unroll {

namespace {

bool saysTheSame(const Diagnostic& a, const Diagnostic& b)
{
    return a.node == b.node && a.group == b.group && a.sentence == b.sentence;
}

/// Its place is this node, or the way to it leads through it.
bool isIn(const Diagnostic& diagnostic, const GroupPath& group, NodeId node)
{
    GroupPath way = diagnostic.group;
    way.push_back(diagnostic.node);
    return way.size() > group.size() && std::equal(group.begin(), group.end(), way.begin()) &&
           way[group.size()] == node;
}

} // namespace

Problems::Problems(const Document& document, QObject* parent) : QObject(parent), m_document(document)
{
    connect(&document, &Document::checkedChanged, this, &Problems::collect);
    connect(&document, &Document::replaced, this, [this] {
        m_ofRun.clear();
        collect();
    });
}

void Problems::setOfRun(const std::vector<Diagnostic>& problems, const std::string& failure)
{
    std::vector<Diagnostic> now = problems;
    const bool isListed =
        std::any_of(now.begin(), now.end(), [&](const Diagnostic& d) { return d.sentence == failure; });
    if (!failure.empty() && !isListed)
        now.push_back({.severity = Severity::Error, .code = "run-failed", .sentence = failure});
    if (std::equal(now.begin(), now.end(), m_ofRun.begin(), m_ofRun.end(), saysTheSame))
        return;
    m_ofRun = std::move(now);
    collect();
}

void Problems::collect()
{
    m_all = m_document.checked()->diagnostics;
    for (const Diagnostic& problem : m_ofRun)
        if (std::none_of(m_all.begin(), m_all.end(), [&](const Diagnostic& d) { return saysTheSame(d, problem); }))
            m_all.push_back(problem);
    std::stable_sort(m_all.begin(), m_all.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
    Q_EMIT changed();
}

std::vector<const Diagnostic*> Problems::at(const GroupPath& group, NodeId node) const
{
    std::vector<const Diagnostic*> found;
    for (const Diagnostic& diagnostic : m_all)
        if (isIn(diagnostic, group, node))
            found.push_back(&diagnostic);
    return found;
}

int Problems::count(Severity severity) const
{
    return static_cast<int>(
        std::count_if(m_all.begin(), m_all.end(), [severity](const Diagnostic& d) { return d.severity == severity; }));
}

} // namespace unroll
