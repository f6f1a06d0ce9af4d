#pragma once
// Finds the events whose arguments match a search. Argument texts are packed in blocks in file
// order and read in that order, each block once; a search by the value of an argument with a column
// reads only the events in that column. About a microsecond per event: run on the pool, with
// progress.

#include "core/base/jobs.hpp"
#include "core/query/find_text.hpp"
#include "core/query/name_matcher.hpp"

namespace core {

class ArgumentMatcher {
public:
    // Fails if a regular expression is invalid.
    static Result<ArgumentMatcher> make(const FindText&);

    // Tests the arguments and extra fields (JSON objects) of an event. name_holds: the event's name
    // matches.
    bool matches(const EventText&, bool name_holds) const;
    // False if the text of an event with a matching (or other) name can't match.
    bool can_match(bool name_holds) const { return name_holds ? !terms_.empty() : anywhere_.has_value(); }
    // The only events that can match, as only they have the arguments; nullopt: any event can.
    std::optional<std::vector<EventId>> collect_having(const RankTrace&) const;

private:
    struct Term {
        std::string key;  // lower case; empty: any key
        std::string exact_key;  // as given
        std::string whole;  // the whole value, lower case, unless there is a pattern
        std::optional<NameMatcher> pattern;  // matches part of the value, or of the key if any key will do
    };
    bool holds(const Term&, std::string_view key, std::string_view value) const;

    std::vector<Term> terms_;
    std::optional<NameMatcher> anywhere_;  // matches an argument instead of the name
};

// Keeps the candidates (by event, as name_holds) whose arguments match. Reports progress per event
// of the rank. False if cancelled.
bool search_arguments(const RankTrace&, const ArgumentMatcher&, const std::vector<bool>& candidates,
                      const std::vector<bool>& name_holds, const JobContext&, std::vector<bool>& found);

}  // namespace core
