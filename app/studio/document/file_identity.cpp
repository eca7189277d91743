// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/file_identity.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

namespace unroll {

QString realPath(const QString& path)
{
    const QFileInfo file(path);
    return file.exists() ? file.canonicalFilePath() : file.absoluteFilePath();
}

bool isSameFile(const QString& a, const QString& b)
{
    return !a.isEmpty() && !b.isEmpty() && realPath(a) == realPath(b);
}

QByteArray fileStamp(const QString& path)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return {};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    return hash.addData(&file) ? hash.result() : QByteArray();
}

} // namespace unroll
