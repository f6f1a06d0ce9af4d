#pragma once
// Links of an event: its launch or the work it launched, its backward or forward pass, arrows of the trace, enclosing
// calls, the same collective on other ranks. No ImGui.

#include "core/query/collective_peers.hpp"
#include "ui/model/details_model.hpp"

#include <string>
#include <vector>

namespace ui {

enum class LinkKind : std::uint8_t { Launch, Pass, Arrow, Call, Collective };

struct EventLink {
    LinkKind kind = LinkKind::Launch;
    bool forward = true;      // towards what comes of the event, else towards where it comes from
    core::EventRef event;     // the other end
    std::string word;         // "launches", "backward pass", "same collective", …
};

// From a caller to what it calls, or from a call to a kernel that is launched in it.
struct CallArrow {
    core::EventRef from;
    core::EventRef to;
};

struct EventLinks {
    std::vector<EventLink> links;  // in the order in which they are walked
    core::PeerMatch match = core::PeerMatch::None;  // how other ranks' collectives were matched
    std::size_t more = 0;     // launched events and arrows that are left out
    // GPU event: the callers of its launch, innermost first. CPU event: kernels launched by calls inside it, earliest
    // first; those of a launch call itself are links.
    std::vector<CallArrow> calls;
    std::size_t all_calls = 0;  // with those that are left out
};

// Without other ranks. Forward: what it launched, its backward pass, arrows from it, the first call in it that leads
// to a launch (else the first). Back: its launch, its forward pass, arrows to it, what it lies in. O(flows) and, of
// what is in it, O(events of the rank) at worst. What is cancelled lacks some.
EventLinks collect_own_links(const core::Run&, core::EventRef, const core::JobContext& = {});
// With the collectives of other ranks, the next rank first; for the pool.
core::Result<EventLinks> collect_links(const core::Run&, core::EventRef, const core::JobContext&);

// For the details of the event: its passes, arrows and the collectives of other ranks, whose note is how much later
// they begin. Launches and calls are in its EventDetails.
struct OtherLinks {
    std::vector<DetailLink> links;
    std::size_t more = 0;  // that are not listed
};
OtherLinks describe_other_links(const core::Run&, core::EventRef, const EventLinks&);

}  // namespace ui
