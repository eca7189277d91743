// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/key_names.h"

namespace unroll {

KeyNames& KeyNames::all()
{
    static KeyNames words;
    return words;
}

void KeyNames::name(const QString& command, const QString& key, const QString& words)
{
    m_commands[command] = {key, words};
}

QString KeyNames::in(QString sentence) const
{
    for (auto command = m_commands.begin(); command != m_commands.end(); ++command) {
        const QString place = '{' + command.key() + '}';
        if (command->key.isEmpty())
            sentence.remove(" (" + place + ')');
        sentence.replace(place, command->key.isEmpty() ? command->words : command->key);
    }
    return sentence;
}

} // namespace unroll
