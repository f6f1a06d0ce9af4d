#pragma once
// A rank as a run summary keeps it, and back. Exact: step marks, member events of collectives with their table, the
// first and last events, the range of GPU work, counts. Coarse: the class partition. All other events, arguments,
// counters and links are left out.

#include "core/index/summary_rank.hpp"
#include "core/ingest/index_file/pack_sections.hpp"

namespace core {

// Data kept with a rank.
struct KeptWithRank {
    SummaryFacts facts{};  // resolution, events and gpu_events are set by thin_sections
    std::vector<HiddenTimes> hidden{};  // by member
    std::string answers{};  // answers_of_rank
    Diagnostics diagnostics{};  // of the run; with one of its ranks
};
// Sections to be packed; `index` must outlive them.
SectionList thin_sections(const RankIndex& index, const KeptWithRank& kept);

// The rank of unpacked sections. Checks every column: BadInput says what no trace has. run_answers: kept with this
// rank.
Result<RankTracePtr> thick_trace(const UnpackedSections&, std::string_view run_answers,
                                 const std::filesystem::path& path);
// The index of such a trace. O(lanes).
RankIndexPtr index_of_summary(const RankTracePtr&);

}  // namespace core
