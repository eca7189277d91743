// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace unroll::test {

/// A shell script as a program at this path, which is given back; empty where it cannot be written.
inline QString madeProgram(const QString& path, const QByteArray& lines)
{
    QFile file(path);
    const QByteArray script = "#!/bin/sh\n" + lines;
    const bool written = file.open(QIODevice::WriteOnly) && file.write(script) == script.size();
    return written && file.setPermissions(file.permissions() | QFile::ExeOwner) ? path : QString();
}

/// One in the place of the program that an environment variable names, for as long as it is there.
class StandIn {
public:
    StandIn(const char* variable, const QString& path, const QByteArray& lines)
        : m_variable(variable), m_isSet(qEnvironmentVariableIsSet(variable)), m_before(qgetenv(variable))
    {
        qputenv(variable, madeProgram(path, lines).toLocal8Bit());
    }
    ~StandIn() { m_isSet ? qputenv(m_variable, m_before) : qunsetenv(m_variable); }
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

private:
    const char* m_variable;
    bool m_isSet;
    QByteArray m_before;
};

/// In unroll-cli's place.
struct StandInCli : StandIn {
    StandInCli(const QString& path, const QByteArray& lines) : StandIn("UNROLL_CLI", path, lines) {}
};

/// Whether a process runs; one that has ended and is not waited for does not.
inline bool isAlive(qint64 process)
{
    QFile stat(QString("/proc/%1/stat").arg(process));
    return stat.open(QIODevice::ReadOnly) && !stat.readAll().contains(") Z ");
}

} // namespace unroll::test
