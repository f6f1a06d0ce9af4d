#pragma once
// A gap of the GPU's work and what the host did in it, as one thing to show: the gap is the area, the host's call is
// selected and its thread unfolded, and a sentence says both. No ImGui.

#include "ui/model/row_place.hpp"

#include <optional>
#include <string>

namespace ui {

struct GapEvidence {
    RowPlace place;       // its event is the GPU event that ends the gap
    core::EventRef host;  // the host's call for most of it; invalid: nothing was recorded
};

// Absent if the place isn't a gap before its event. O(lanes * log events).
std::optional<GapEvidence> find_gap_evidence(const core::Run&, RowPlace place);
// "Rank 5: GPU idle for 9.91 ms while the host is in DataLoader.next".
std::string describe_gap(const core::Run&, const GapEvidence&);
void show_gap(const core::Run&, const GapEvidence&, std::vector<Intent>&);
// Shows the place as a gap if it is one.
void show_evidence(const core::Run&, RowPlace place, std::vector<Intent>&);

}  // namespace ui
