#pragma once
// Who is waited for, in one sentence: what the panel Communication and `analyze stragglers` say alike.

#include "core/analysis/collectives/straggler_sums.hpp"

namespace core {

// "Rank 6: 1.22 s of 1.31 s waiting goes back to it, last in 28 of 84; cause: …", from the table of stragglers; directly:
// by who was last rather than by whose doing it was. Empty where nobody waits.
std::string describe_waiting(const Table& stragglers, bool directly);
// Why nobody does although there are collectives: which of them cannot be compared, and the ranks whose records lack.
std::string describe_no_waiting(const ChosenMembers&, const StragglerRun&);

// Table "summary" of the answer of stragglers: describe_waiting, else describe_no_waiting.
NamedTable summary_table(const ChosenMembers&, const StragglerRun&, const Table& stragglers);
// The sentence for an answer of stragglers; empty where it has none.
std::string headline_of(const Answer& stragglers, bool directly);

}  // namespace core
