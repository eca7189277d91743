// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/source.h"

#include <map>
#include <memory>
#include <string>

namespace unroll {

class Block;
struct BlockSetup;

using MakeBlock = std::unique_ptr<Block> (*)(const BlockSetup&);

/// How blocks are built and data blocks opened, by id. No torch in this header.
class Builders : public Sources {
public:
    void addBlock(const std::string& id, MakeBlock make) { m_blocks[id] = make; }
    MakeBlock block(const std::string& id) const
    {
        auto found = m_blocks.find(id);
        return found == m_blocks.end() ? nullptr : found->second;
    }

private:
    std::map<std::string, MakeBlock> m_blocks;
};

/// Every block in nodes/ (generated; link unroll_blocks).
Builders allBuilders();

} // namespace unroll
