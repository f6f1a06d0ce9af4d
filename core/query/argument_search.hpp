#pragma once
// Which events have arguments that a search asks for. The texts of arguments lie in packed blocks in file order, so
// they are gone through in that order, each block once; where a search gives the value of an argument that has a column,
// only the events that have it there are looked at. About a microsecond an event: for the pool, with progress.

#include "core/base/jobs.hpp"
#include "core/query/find_text.hpp"
#include "core/query/name_matcher.hpp"

namespace core {

class ArgumentMatcher {
public:
    // Fails when a regular expression cannot be used.
    static Result<ArgumentMatcher> make(const FindText&);

    // arguments and extra of an event, JSON objects. name_holds: whether its name is what is searched for.
    bool matches(const EventText&, bool name_holds) const;
    // Whether the text is worth reading of an event whose name is, or is not, what is searched for.
    bool can_match(bool name_holds) const { return name_holds ? !terms_.empty() : anywhere_.has_value(); }
    // The events that alone can match because only they have the arguments asked for; nullopt: any can.
    std::optional<std::vector<EventId>> collect_having(const RankTrace&) const;

private:
    struct Term {
        std::string key;  // in lower case; empty: any
        std::string exact_key;  // as it was given
        std::string whole;  // the whole value in lower case, unless there is a pattern
        std::optional<NameMatcher> pattern;  // of a part of the value, and of the key where any will do
    };
    bool holds(const Term&, std::string_view key, std::string_view value) const;

    std::vector<Term> terms_;
    std::optional<NameMatcher> anywhere_;  // what may stand in an argument instead of the name
};

// Of the candidates (by event; name_holds likewise) those whose arguments match. Reports each event of the rank as
// done. False when cancelled.
bool search_arguments(const RankTrace&, const ArgumentMatcher&, const std::vector<bool>& candidates,
                      const std::vector<bool>& name_holds, const JobContext&, std::vector<bool>& found);

}  // namespace core
