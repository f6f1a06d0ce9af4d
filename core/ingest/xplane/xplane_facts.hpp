#pragma once
// Facts of an XPlane file other than events: its planes and lines, the names of events and arguments, clock and hosts.
// They stand behind the events that they describe, so a first pass reads them.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"
#include "core/ingest/xplane/wire_stream.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

enum class XPlaneKind { Gpu, Tpu, Host, Other };

struct XLineFacts {
    std::uint64_t id = 0;
    std::string name{}, display_name{};
    std::int64_t start_ns = 0;
    std::uint64_t events = 0;
};

// Lines of a plane; no valid file has more.
inline constexpr std::size_t kMostXLines = 100'000;

struct XEventName {
    std::string name;   // short
    std::string stats;  // messages of arguments that all events of this name have, each behind its length
};

struct XPlaneFacts {
    std::string name;
    XPlaneKind kind = XPlaneKind::Other;
    std::int64_t device = 0;
    std::vector<XLineFacts> lines;
    std::unordered_map<std::int64_t, XEventName> events;
    std::unordered_map<std::int64_t, std::string> stats;
    std::int64_t memory_bytes = 0, multiprocessors = 0;
    std::uint64_t work = 0;  // events on lines of device work
};

struct XSpaceFacts {
    std::vector<XPlaneFacts> planes;  // all of the file, in its order
    std::string host;
    std::int64_t start_utc_ns = 0;  // of the recording; 0: not stated
    std::string fault;              // a damaged place, behind which nothing is known
};

// Cancelled: what was read so far.
XSpaceFacts read_xspace_facts(WireStream& stream, const JobContext& context);

// Lines of device work: streams of a GPU, operations of a TPU. Other lines repeat the work at other levels.
enum class XLineKind { Work, AsynchronousWork, Annotation };
XLineKind kind_of_line(const XPlaneFacts& plane, const XLineFacts& line);

// One argument.
struct XStat {
    enum class Type { None, Integer, Unsigned, Real, Text };
    std::int64_t key = 0;
    Type type = Type::None;
    std::uint64_t bits = 0;  // of a number
    std::string_view text{};
    double real() const;
};
XStat parse_xstat(std::string_view message, const XPlaneFacts& plane);

bool begins_xplane(std::string_view head);

}  // namespace core
