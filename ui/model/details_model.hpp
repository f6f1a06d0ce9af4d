#pragma once
// Everything about one event: where it is, when, how long, what launched it and what it launched, and
// every argument the file gave it. describe_event is quick enough for a frame; the arguments are unpacked
// and parsed by read_arguments, which belongs on a job. No ImGui.

#include "core/index/run.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct DetailLine {
    std::string label;
    std::string value;
    std::string exact;         // on hover and copy; empty: the value
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
    std::vector<DetailLink>
        stack;  // what it lies in (of a GPU event: its launch), innermost first, notes are durations
    std::size_t deeper = 0;      // outer frames that are not listed
};
EventDetails describe_event(const core::Run&, core::EventRef);

struct Argument {
    std::string key;
    std::string value;         // texts without quotes and escapes, all else as written
    bool is_text = false;
    bool operator==(const Argument&) const = default;
};
struct EventArguments {
    std::vector<Argument> arguments;
    std::uint64_t source_offset = 0;
    std::string all;           // for the clipboard: one "key: value" a line
    std::string error;         // why there are none
    std::vector<Argument> nccl;  // what NCCL's log or plugin says of the collective it is part of
};
EventArguments read_arguments(const core::Run&, core::EventRef);

// The members of a JSON object's text, in order, values cut out exactly as written. What does not parse
// comes back as one argument without a key.
std::vector<Argument> split_object(std::string_view json);

// A JSON value for reading: members of objects, and elements of lists that hold lists or objects, one per line and
// indented by two blanks; a blank after each comma otherwise. Texts stay as they are. Long values are cut.
std::string indent_json(std::string_view value);

}  // namespace ui
