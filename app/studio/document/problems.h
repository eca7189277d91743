// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"

#include <QObject>
#include <vector>

namespace unroll {

/// Everything that is wrong with the document or its run: what the check says, then what the run met. Nodes, inspector
/// and list all read it here.
class Problems : public QObject {
    Q_OBJECT
public:
    explicit Problems(const Document& document, QObject* parent = nullptr);

    const std::vector<Diagnostic>& all() const { return m_all; }
    /// Those of one node, and of what is inside it where it is a group.
    std::vector<const Diagnostic*> at(const GroupPath& group, NodeId node) const;
    int count(Severity severity) const;

    /// What the newest run met; `failure` is why it ended, or empty.
    void setOfRun(const std::vector<Diagnostic>& problems, const std::string& failure);

Q_SIGNALS:
    void changed();

private:
    void collect();

    const Document& m_document;
    std::vector<Diagnostic> m_ofRun;
    std::vector<Diagnostic> m_all;
};

} // namespace unroll
