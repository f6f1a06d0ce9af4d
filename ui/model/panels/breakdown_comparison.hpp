#pragma once
// What the Breakdown panel shows of two runs: their breakdowns joined by rank, and what they have together per part
// and per set of kernel classes. Averages where the runs differ in steps or ranks; the notes say so. No ImGui.

#include "core/diff/compare_tables.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/model/rank_pairs.hpp"

#include <array>

namespace ui {

// The parts a window is made of, as columns of temporal-breakdown.
struct BreakdownPart {
    std::string_view column;
    std::string_view title;
};
inline constexpr std::array<BreakdownPart, 4> kBreakdownParts{{{"compute", "Compute"},
                                                               {"exposed_communication", "Exposed communication"},
                                                               {"exposed_memory", "Exposed memory"},
                                                               {"idle", "Idle"}}};

struct ComparedRank {
    RankPair keys;                                     // a side without the rank has none
    core::BySide<bool> left_out{};                     // by the filter's rank terms
    Compared window;
    std::array<Compared, kBreakdownParts.size()> parts;
    std::string label() const { return label_of(keys); }
};

struct ComparedTime {
    std::string name;                                  // of the part or the set
    core::ClassSet set = 0;                            // of sets
    Compared time;                                     // over the ranks that are not left out
    Compared share;                                    // of their windows
};

// One that says what an earlier one says, and more, takes its place; one that is empty or said already is left out.
void add_note(std::vector<std::string>& notes, std::string note);

struct BreakdownComparison {
    std::vector<ComparedRank> ranks;                   // as the alignment has them, then those of one side only
    std::vector<ComparedTime> parts;                   // "window" first, then kBreakdownParts
    std::vector<ComparedTime> sets;                    // longest first
    std::vector<std::string> notes;

    struct Input {
        core::BySide<core::RunPtr> runs;
        core::BySide<core::Filter> filters;            // as each side was asked, with its rank terms
        core::RunAlignment alignment;
        core::BySide<BreakdownModel> models;
        bool same_window = false;                      // then nothing is averaged
    };
    static BreakdownComparison of(const Input&);
};

}  // namespace ui
