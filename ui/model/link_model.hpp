#pragma once
// Links of an event: its launch or the work it launched, its backward or forward pass, arrows of
// the trace, enclosing calls, the same collective on other ranks. No ImGui.

#include "core/query/collective_peers.hpp"
#include "ui/model/details_model.hpp"

#include <string>
#include <vector>

namespace ui {

enum class LinkKind : std::uint8_t { Launch, Pass, Arrow, Call, Collective };

struct EventLink {
    LinkKind kind = LinkKind::Launch;
    bool forward = true;      // towards effects of the event, else towards its causes
    core::EventRef event;     // the other end
    std::string word;         // "launches", "backward pass", "same collective", …
};

// Arrow from a caller to its callee, or from a call to a kernel launched in it.
struct CallArrow {
    core::EventRef from;
    core::EventRef to;
};

struct EventLinks {
    std::vector<EventLink> links;  // in walking order
    core::PeerMatch match = core::PeerMatch::None;  // how other ranks' collectives were matched
    std::size_t more = 0;     // launched events and arrows beyond the limit
    // GPU event: the callers of its launch, innermost first. CPU event: kernels launched by calls inside it, earliest
    // first; kernels of a launch call itself are links.
    std::vector<CallArrow> calls;
    std::size_t all_calls = 0;  // including those beyond the limit
};

// Links within the rank. Forward: launched events, backward pass, outgoing arrows, the first call in it that leads to a
// launch (else the first call). Back: launch, forward pass, incoming arrows, enclosing call. O(flows + events inside
// it), at worst O(events of the rank). Incomplete if cancelled.
EventLinks collect_own_links(const core::Run&, core::EventRef, const core::JobContext& = {});
// Adds the collectives of other ranks, starting with the next rank; belongs on the pool.
core::Result<EventLinks> collect_links(const core::Run&, core::EventRef, const core::JobContext&);

// Links for the details of the event: passes, arrows and the collectives of other ranks, with their delay as the note.
// Launches and calls are in its EventDetails.
struct OtherLinks {
    std::vector<DetailLink> links;
    std::size_t more = 0;  // not listed
};
OtherLinks describe_other_links(const core::Run&, core::EventRef, const EventLinks&);

}  // namespace ui
