// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace unroll::test {

/// A shell script in unroll-cli's place, for as long as it is there.
struct StandInCli {
    StandInCli(const QString& path, const QByteArray& lines)
    {
        QFile file(path);
        (void)file.open(QIODevice::WriteOnly);
        file.write("#!/bin/sh\n" + lines);
        file.close();
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        qputenv("UNROLL_CLI", path.toLocal8Bit());
    }
    ~StandInCli() { qunsetenv("UNROLL_CLI"); }
    StandInCli(const StandInCli&) = delete;
    StandInCli& operator=(const StandInCli&) = delete;
};

} // namespace unroll::test
