#pragma once
// Counts whatever loading left out, repaired or guessed, so nothing is lost silently.
//
// One entry per kind: how often, and the first example in words ("byte 81920: no closing brace").
// Kinds are stable ids (they appear in the JSON output); each has a severity and a meaning that is
// shown to the user. Order: by severity, then by id. Not thread safe: one per rank, merged later.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class Severity : std::uint8_t { Note, Guess, Repair, Loss };
std::string_view name_of(Severity);  // "note", "guess", "repair", "loss"

struct DiagnosticKind {
    std::string_view id;
    Severity severity;
    std::string_view meaning;  // effect on the numbers, and what to do
    bool incomplete = false;  // part of the run was not read: commands exit with status 5
    // The thing counted and what became of it: "event", "events", "could not be read". Empty: the first example
    // says it all.
    std::string_view one = {}, many = {}, fate = {};
};
std::span<const DiagnosticKind> all_diagnostic_kinds();
const DiagnosticKind& diagnostic_kind(std::string_view id);  // asserts that it exists
const DiagnosticKind* find_diagnostic_kind(std::string_view id);

struct Diagnostic {
    const DiagnosticKind* kind = nullptr;
    std::uint64_t count = 0;
    std::string first;  // place and reason of the first occurrence
    std::string describe() const;  // "56 events without a time left out"
};

class Diagnostics {
public:
    void add(std::string_view kind_id, std::string_view example, std::uint64_t count = 1);
    // True when the next add of this kind would be the first, so callers build the example only
    // then.
    bool is_first(std::string_view kind_id) const;
    void merge(const Diagnostics& other, std::string_view where);  // prefixes the examples with `where: `
    // Counts all entries of one kind as another kind.
    void move_to(std::string_view kind_id, std::string_view from_kind_id);
    std::uint64_t count(std::string_view kind_id) const;
    std::span<const Diagnostic> entries() const& { return entries_; }
    std::span<const Diagnostic> entries() && = delete;  // would dangle
    bool empty() const { return entries_.empty(); }

private:
    std::vector<Diagnostic> entries_;
};

}  // namespace core
