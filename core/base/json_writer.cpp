// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include "core/base/quoted_json.h"

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

std::string scalar(const Json& value)
{
    if (const bool* truth = value.asBool())
        return *truth ? "true" : "false";
    if (const std::string* text = value.asString())
        return quotedJson(*text);
    if (const auto* number = std::get_if<Json::Number>(&value.value()))
        return number->text;
    return "null";
}

bool isContainer(const Json& value)
{
    return value.asArray() != nullptr || value.asObject() != nullptr;
}

class Writer {
public:
    explicit Writer(int width) : m_width(static_cast<std::size_t>(std::max(width, 0))) {}

    /// `used`: columns before the value on its line; `behind`: what follows it there (a comma).
    void write(const Json& value, std::size_t indent, std::size_t used, std::size_t behind)
    {
        std::string line;
        if (m_width == 0 || canStayOnOneLine(value)) {
            appendLine(line, value);
            if (m_width == 0 || used + line.size() + behind <= m_width || isSmall(value)) {
                m_text += line;
                return;
            }
        }
        if (value.asArray() != nullptr)
            writeArray(*value.asArray(), indent);
        else
            writeObject(*value.asObject(), indent);
    }

    std::string take() { return std::move(m_text); }

private:
    static bool isSmall(const Json& value)
    {
        const JsonArray* array = value.asArray();
        const JsonObject* object = value.asObject();
        return array != nullptr ? array->empty() : object == nullptr || object->empty();
    }

    static bool isFlat(const Json& value)
    {
        if (const JsonArray* array = value.asArray())
            return std::none_of(array->begin(), array->end(),
                                [](const Json& element) { return isContainer(element) || element.asString(); });
        if (const JsonObject* object = value.asObject())
            return std::none_of(object->begin(), object->end(),
                                [](const JsonMember& member) { return isContainer(member.value); });
        return true;
    }

    /// Scalars, flat containers, and objects of those (a node with its parameters).
    static bool canStayOnOneLine(const Json& value)
    {
        const JsonObject* object = value.asObject();
        if (object == nullptr || isFlat(value))
            return isFlat(value) || isSmall(value);
        return std::all_of(object->begin(), object->end(),
                           [](const JsonMember& member) { return isFlat(member.value); });
    }

    static void appendLine(std::string& line, const Json& value)
    {
        const char* comma = "";
        if (const JsonArray* array = value.asArray()) {
            line += '[';
            for (const Json& element : *array) {
                line += std::exchange(comma, ", ");
                appendLine(line, element);
            }
            line += ']';
        } else if (const JsonObject* object = value.asObject()) {
            line += '{';
            for (const JsonMember& member : *object) {
                line += std::exchange(comma, ", ") + quotedJson(member.key) + ": ";
                appendLine(line, member.value);
            }
            line += '}';
        } else {
            line += scalar(value);
        }
    }

    void newLine(std::size_t indent) { m_text += '\n' + std::string(indent, ' '); }

    void writeArray(const JsonArray& array, std::size_t indent)
    {
        m_text += '[';
        for (std::size_t i = 0; i < array.size(); ++i) {
            newLine(indent + 2);
            write(array[i], indent + 2, indent + 2, 1);
            if (i + 1 < array.size())
                m_text += ',';
        }
        newLine(indent);
        m_text += ']';
    }

    void writeObject(const JsonObject& object, std::size_t indent)
    {
        m_text += '{';
        for (std::size_t i = 0; i < object.size(); ++i) {
            newLine(indent + 2);
            const std::string key = quotedJson(object[i].key) + ": ";
            m_text += key;
            write(object[i].value, indent + 2, indent + 2 + key.size(), 1);
            if (i + 1 < object.size())
                m_text += ',';
        }
        newLine(indent);
        m_text += '}';
    }

    std::size_t m_width;
    std::string m_text;
};

} // namespace

std::string writeJson(const Json& value, int width)
{
    Writer writer(width);
    writer.write(value, 0, 0, 0);
    return writer.take();
}

} // namespace unroll
