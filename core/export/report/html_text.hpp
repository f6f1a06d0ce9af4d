#pragma once
// Escapes texts for a page that is both HTML and well-formed XML: text from traces is never markup.
// Internal to core/export.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Like terminal_text, with U+FFFD for everything that XML does not allow. For content and for attributes in double
// quotes.
std::string html_text(std::string_view text);
// Shortens to `most` code points: beginning, "…", end.
std::string cut_in_the_middle(std::string_view text, std::size_t most);
using ShortName = std::function<std::string(std::string_view)>;  // shortens a kernel name for labels; may be empty
// Each name in short form, cut to `most`; uses the full name, cut, if another name has the same
// short form.
std::vector<std::string> brief_names(std::span<const std::string> names, const ShortName&, std::size_t most);
// "exposed_communication" → "exposed communication", "low-overlap" → "low overlap"
std::string spoken_name(std::string_view name);
// A coordinate with at most one decimal; "0" for non-finite values.
std::string coordinate(double value);
std::string base64(std::string_view bytes);
// "1 row", "1,234 rows"
std::string counted_noun(std::size_t count, std::string_view one, std::string_view many);

}  // namespace core
