#pragma once
// Everything about one event: place, time, duration, what launched it and what it launched, and
// every argument in the file. describe_event is fast enough for a frame; read_arguments unpacks and
// parses the arguments and belongs on a job. No ImGui.

#include "core/index/run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct DetailLine {
    std::string label;
    std::string value;
    std::string exact;         // for hover and copy; empty: same as the value
    bool is_number = false;
};

struct DetailLink {
    std::string label;         // "Launched by", "Launches", "Within"
    std::string name;          // full
    std::string note;          // its delay or duration
    core::EventRef event;
};

struct EventDetails {
    std::string name;          // full
    core::KernelClass kernel_class = core::KernelClass::None;
    std::vector<DetailLine> lines;
    std::vector<DetailLink> links;
    std::size_t more_links = 0;  // launched events that are not listed
    std::vector<DetailLink> stack;  // enclosing events (GPU: of its launch), innermost first; notes are durations
    std::size_t deeper = 0;      // outer frames that are not listed
};
EventDetails describe_event(const core::Run&, core::EventRef);

struct Argument {
    std::string key;
    std::string value;         // texts without quotes and escapes, others as written
    bool is_text = false;
    bool operator==(const Argument&) const = default;
};
struct EventArguments {
    std::vector<Argument> arguments;
    std::uint64_t source_offset = 0;
    std::string all;           // for the clipboard: one "key: value" per line
    std::string error;         // why there are none; else empty
    std::vector<Argument> nccl;  // details from NCCL's log or plugin about its collective
};
EventArguments read_arguments(const core::Run&, core::EventRef);

// Splits the text of a JSON object into members, in order, values exactly as written. Text that doesn't parse comes
// back as one argument without a key.
std::vector<Argument> split_object(std::string_view json);

// Formats a JSON value for reading: members of objects, and elements of lists that hold lists or objects, one per line
// and indented by two spaces; otherwise a space after each comma. Strings stay as they are. Long values are cut.
std::string indent_json(std::string_view value);

}  // namespace ui
