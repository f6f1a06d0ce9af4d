#pragma once
// Texts of a page that is HTML and well-formed XML at once: whatever a trace holds is text there, never markup.
// Internal to core/export.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Control characters are shown as '?', what is no UTF-8 or no character of XML as U+FFFD, and so are characters that
// turn the direction of writing around. For content and for attributes in double quotes.
std::string html_text(std::string_view text);
// At most `most` code points: the beginning and the end with "…" between.
std::string cut_in_the_middle(std::string_view text, std::size_t most);
using ShortName = std::function<std::string(std::string_view)>;  // of a kernel, for labels; may be empty
// Each name in its short form and cut to `most`, but as it is and cut where another name has the same short form.
std::vector<std::string> brief_names(std::span<const std::string> names, const ShortName&, std::size_t most);
// "exposed_communication" → "exposed communication", "low-overlap" → "low overlap"
std::string spoken_name(std::string_view name);
// With one decimal at most, for coordinates; "0" for what is not finite.
std::string coordinate(double value);
std::string base64(std::string_view bytes);
// "1 row", "1,234 rows"
std::string counted_noun(std::size_t count, std::string_view one, std::string_view many);

}  // namespace core
