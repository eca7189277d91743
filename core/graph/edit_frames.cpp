// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace unroll::edits {

GraphEdit setFrame(Frame frame)
{
    const std::string key = frame.id == 0 ? "" : fmt::format("frame/{}", frame.id);
    return {frame.id == 0 ? "Add comment" : "Change comment",
            [frame](const Graph& before) -> Result<Graph> {
                if (!std::isfinite(frame.place.x + frame.place.y) || !std::isfinite(frame.width) ||
                    !std::isfinite(frame.height))
                    return fail("a comment's position and size must be finite");
                Graph graph = before;
                Frame placed = frame;
                if (frame.id == 0) {
                    auto id = takeId(graph);
                    if (!id)
                        return tl::unexpected(id.error());
                    placed.id = *id;
                } else if (!graph.frames.contains(frame.id)) {
                    return fail("the comment no longer exists");
                }
                graph.frames[placed.id] = placed;
                return graph;
            },
            key,
            {}};
}

GraphEdit removeFrame(FrameId id)
{
    return {"Delete comment",
            [id](const Graph& before) -> Result<Graph> {
                Graph graph = before;
                if (graph.frames.erase(id) == 0)
                    return fail("the comment no longer exists");
                return graph;
            },
            "",
            {}};
}

} // namespace unroll::edits
