#include "core/query/filter_option.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

constexpr auto kFilterOptionNames =
    std::to_array<std::string_view>({"ranks", "steps", "streams", "classes", "name", "time", "filter"});

std::string text_of_option(std::string_view name, std::string_view value) {
    std::string text(value);
    if (name == "ranks") return "rank:" + text;
    if (name == "steps") return value == "all" ? "" : "step:" + text;
    if (name == "streams") return "stream:" + text;
    if (name == "classes") return "class:" + text;
    if (name == "time") return "time:" + text;
    return text;
}

Filter filter_of_name(std::string_view value) {
    const bool is_regex = value.size() > 1 && value.starts_with('/') && value.ends_with('/');
    const std::string_view text = is_regex ? value.substr(1, value.size() - 2) : value;
    return Filter{{FilterTerm{false, NameTerm{std::string(text), is_regex}}}};
}

}  // namespace

std::span<const std::string_view> filter_option_names() { return kFilterOptionNames; }

Result<Filter> filter_of_option(std::string_view name, std::string_view value) {
    if (std::ranges::find(kFilterOptionNames, name) == kFilterOptionNames.end())
        return Error{ErrorCode::NotFound, "no option of a filter"};
    // Through text, which also checks names.
    const std::string text = name == "name" ? format_filter(filter_of_name(value)) : text_of_option(name, value);
    Result<Filter> filter = parse_filter(text);
    if (filter) return filter;
    constexpr std::string_view kParser = "filter: ";
    Error error = std::move(filter).error();
    if (error.message.starts_with(kParser)) error.message.erase(0, kParser.size());
    return error;
}

Filter joined_filters(Filter first, const Filter& second) {
    first.terms.insert(first.terms.end(), second.terms.begin(), second.terms.end());
    return first;
}

}  // namespace core
