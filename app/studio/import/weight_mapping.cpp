// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/import/weight_mapping.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace unroll {

namespace {

QString mappingText(const char* text)
{
    return QCoreApplication::translate("WeightMapping", text);
}

QStringList wordsIn(const QJsonValue& list)
{
    QStringList words;
    for (const QJsonValue& word : list.toArray())
        words << word.toString();
    return words;
}

QString shapeWords(const QJsonValue& shape)
{
    QStringList sizes;
    for (const QJsonValue& size : shape.toArray())
        sizes << QString::number(size.toInteger());
    return sizes.join(QString::fromUtf8(" × "));
}

MappedNode mappedNode(const QJsonObject& said)
{
    MappedNode node{
        said["node"].toString(), said["block"].toString(), said["source"].toString(), said["form"].toString(), {},
        wordsIn(said["notes"])};
    for (const QJsonValue& each : said["weights"].toArray()) {
        const QJsonObject weight = each.toObject();
        node.weights.push_back({weight["name"].toString(), shapeWords(weight["shape"]), weight["from"].toString(),
                                weight["done"].toString()});
    }
    return node;
}

/// "1 node" or "3 nodes".
QString countWords(qsizetype count, const char* one, const char* many)
{
    return mappingText(count == 1 ? one : many).arg(count);
}

} // namespace

void WeightMapping::take(const QByteArray& line)
{
    const QJsonObject said = QJsonDocument::fromJson(line).object();
    if (said["kind"] == "node")
        nodes.push_back(mappedNode(said));
    if (said["kind"] != "end" || said.contains("failure"))
        return;
    left = wordsIn(said["left"]);
    unused = wordsIn(said["unused"]);
    out = said["out"].toString();
    tensors = said["tensors"].toInt();
    isWhole = true;
}

QString WeightMapping::summary() const
{
    const QString taken = countWords(tensors, QT_TRANSLATE_NOOP("WeightMapping", "%1 tensor"),
                                     QT_TRANSLATE_NOOP("WeightMapping", "%1 tensors"));
    QStringList sentences{mappingText(QT_TRANSLATE_NOOP("WeightMapping", "%1 for %2."))
                              .arg(taken, countWords(std::ssize(nodes), QT_TRANSLATE_NOOP("WeightMapping", "%1 node"),
                                                     QT_TRANSLATE_NOOP("WeightMapping", "%1 nodes")))};
    if (!left.isEmpty())
        sentences << countWords(left.size(), QT_TRANSLATE_NOOP("WeightMapping", "%1 node keeps its initial values."),
                                QT_TRANSLATE_NOOP("WeightMapping", "%1 nodes keep their initial values."));
    if (!unused.isEmpty())
        sentences << countWords(unused.size(), QT_TRANSLATE_NOOP("WeightMapping", "%1 tensor of the file is not used."),
                                QT_TRANSLATE_NOOP("WeightMapping", "%1 tensors of the file are not used."));
    return sentences.join(' ');
}

} // namespace unroll
