// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/inspector/group_form.h"

#include "core/graph/shown_params.h"

#include <QLineEdit>
#include <QVBoxLayout>
#include <QWidget>

namespace unroll {

class DataPreview;

/// All about one node: name, mistakes that no field says, with their fixes, parameters, what data are read, shapes,
/// cost, how weights are trained and which path that takes, help. Made for one node and its block; values are
/// refreshed, another node gets another page.
class NodePage : public QWidget {
    Q_OBJECT
public:
    NodePage(Document& document, const Appearance& appearance, GroupPath path, const Node& node,
             QWidget* parent = nullptr);

    NodeId node() const { return m_node; }
    const GroupPath& path() const { return m_path; }
    const std::string& block() const { return m_block; }
    ParamForm& form() const { return *m_form; }
    QLineEdit& nameField() const { return *m_name; }
    /// Reads the document and the check again. The node must still exist.
    void refresh(const Node& node, const CheckedNode* checked, const std::vector<const Diagnostic*>& problems);
    ParamEditor* firstWrong() const; ///< the field that says what is wrong with its value; nullptr: none

Q_SIGNALS:
    void enterAsked(); ///< of a group: what is inside is to be shown
    void unpackAsked();
    void unrollAsked();
    /// Where another node sets this one's parameter is to be shown: that node's parameter.
    void paramAsked(const unroll::GroupPath& path, unroll::NodeId node, const std::string& param);

private:
    void addHeader(const Node& node);
    void addGroupForm();
    void connectPromoted();
    void makeForm(const Node& node);
    void promote(const std::string& param, bool shown);
    void showSetters();
    void addHelp();
    bool apply(GraphEdit edit, Document::Edit kind = Document::Edit::Whole);
    ParamEditor* fieldOf(const std::string& param) const; ///< nullptr: it has none here
    void showProblems(const std::vector<const Diagnostic*>& problems);
    void showShapes(const Node& node, const CheckedNode* checked);
    void showCost(const CheckedNode* checked);
    void showWeights(const CheckedNode* checked);
    void showTraining(const CheckedNode* checked);

    Document& m_document;
    const Appearance& m_appearance;
    GroupPath m_path;
    NodeId m_node;
    std::string m_block;
    const BlockSpec* m_spec; ///< nullptr: unknown block
    QVBoxLayout* m_column;
    QLineEdit* m_name = nullptr;
    QString m_nodeName; ///< as the document has it
    QWidget* m_problems = nullptr;
    QString m_problemsShown; ///< their sentences and fixes, to leave the cards alone when nothing changed
    std::vector<std::optional<Fix>>
        m_fixes; ///< of the cards, as of the last check: what a button does may change while its words stay
    GroupForm* m_group = nullptr;
    ParamForm* m_form = nullptr;
    std::map<std::string, ShownParam> m_setters; ///< of parameters whose value a group around sets
    DataPreview* m_data = nullptr;               ///< data nodes alone
    QLabel* m_shapes = nullptr;
    QLabel* m_cost = nullptr;
    QWidget* m_weights = nullptr; ///< heading of the words below
    QLabel* m_weightLabel = nullptr;
    QWidget* m_training = nullptr; ///< heading of the words below
    QLabel* m_trainingLabel = nullptr;
};

/// A card with one diagnostic and the button that mends it: by `mend`.
QWidget* problemCard(const Diagnostic& diagnostic, const std::function<void(const Fix&)>& mend);

} // namespace unroll
