#pragma once
// Recognises by their first bytes files that Lockstep names but doesn't read.

#include <string_view>

namespace core {

// A JSON list of numbers. False for text such as "[2026-03-01 10:00:00] …" and "[1,0]<stdout>: …".
bool begins_number_list(std::string_view head);

// Messages of ProcessGroupNCCL's watchdog, or of its like for other backends, about a time-out.
bool is_watchdog_text(std::string_view head);
bool is_ras_text(std::string_view head);
// The same report as JSON; `head` begins an object without events.
bool is_ras_json(std::string_view head);
// The whole profile of a device as AWS Neuron's profilers write it in JSON: lists of instructions and DMA, no events.
bool is_neuron_json(std::string_view head);  // of ncclras
bool is_deepspeed_text(std::string_view head);
bool is_profiler_table(std::string_view head);  // of key_averages().table()

}  // namespace core
