// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/preferences/keys_page.h"

#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QTabWidget>
#include <functional>

class QFormLayout;

namespace unroll {

class NumberField;

/// What can be chosen for the whole program. Every choice is in force at once; Cancel takes back all of them, Restore
/// Defaults gives all up.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    PreferencesDialog(Preferences& preferences, QMainWindow& window, const Appearance& appearance);

    void showKeys();
    KeysPage& keys() const { return *m_keys; }

    void reject() override;

private:
    QWidget* general();
    void addRow(QFormLayout& form, const QString& name, QWidget* field, const QString& hint);
    void makeEngine();
    void makeNumbers();
    void makePlace();
    void change(const std::function<void(Choices&)>& edit);
    void takePlace();
    void refresh();

    Preferences& m_preferences;
    const Appearance& m_appearance;
    const Choices m_before;
    QTabWidget* m_tabs;
    QComboBox* m_theme;
    QComboBox* m_textSize;
    QComboBox* m_engine;
    NumberField* m_share;
    NumberField* m_memory;
    QLineEdit* m_place;
    QLabel* m_placeTrouble;
    KeysPage* m_keys;
};

} // namespace unroll
