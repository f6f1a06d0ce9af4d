#pragma once
// The timeline of a report: JSON of bounded size, and the script that draws it on a canvas. Texts of traces are data,
// never markup.

#include "core/analysis/engine/analysis.hpp"
#include "core/export/report/html_text.hpp"

#include <string>
#include <string_view>

namespace core {

struct TimelineLimits {
    std::size_t ranks = 32;  // the first ones of the filter
    std::size_t buckets = 1500;  // of the time, per rank
    std::size_t events = 8000;  // of all ranks together: the longest
    std::size_t name_bytes = 200'000;  // of all names together
};

// {"span": ns, "ranks": [{"rank": "0", "shares": base64, "events": [[start, duration, name, class], …]}, …], "names":
// […], "classes": […], "steps": [[start, end, number], …], "said": "…"}. Times count from the first GPU work that
// passes the filter; shares are three bytes per bucket, out of 255: computing, exposed communication, exposed copies.
// Empty without GPU work. Fails if cancelled.
Result<std::string> timeline_to_json(const Run&, const Filter&, const ShortName&, const TimelineLimits&,
                                     const JobContext&);

// The canvas element; empty for an empty text.
std::string timeline_to_html(std::string_view json, std::string_view title);

// Draws every such element. Contains no character that is markup in XML.
extern const std::string_view kTimelineScript;
extern const std::string_view kTimelineStyle;

}  // namespace core
