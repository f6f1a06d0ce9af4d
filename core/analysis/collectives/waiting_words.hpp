#pragma once
// Who is waited for, in one sentence: what the panel Communication and `analyze stragglers` say alike.

#include "core/analysis/collectives/straggler_sums.hpp"

namespace core {

// A rank that others wait for; all its windows where captures are windows of one job.
struct Awaited {
    RankKey rank;
    std::int64_t wait = 0;  // ns of the others, rooted in it or, directly, while it was last
    std::int64_t last = 0;
    std::int64_t collectives = 0;
    std::size_t windows = 0;
    bool flagged = false;
    std::string cause;      // in the window that costs most
    std::int64_t most = 0;  // there
};
// From the table of stragglers: most wait first, then by rank.
std::vector<Awaited> list_awaited(const Table& stragglers, const Run&, bool directly);
// "Rank 6: 1.22 s of 1.31 s waiting goes back to it, last in 28 of 84; cause: …", from the table of stragglers;
// directly: by who was last rather than by whose doing it was. Empty where nobody waits.
std::string describe_waiting(const Table& stragglers, const Run&, bool directly);
// Why nobody does although there are collectives: which of them cannot be compared, and the ranks whose records lack.
std::string describe_no_waiting(const ChosenMembers&, const StragglerRun&);

// Table "summary" of the answer of stragglers: describe_waiting, else describe_no_waiting.
NamedTable summary_table(const ChosenMembers&, const StragglerRun&, const Table& stragglers);
std::vector<Column> summary_columns();
// The sentence for an answer of stragglers; empty where it has none.
std::string headline_of(const Answer& stragglers, const Run&, bool directly);

}  // namespace core
