#include "core/ingest/load/text_kinds.hpp"

#include "core/base/ascii.hpp"

namespace core {
namespace {

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

bool is_watchdog_text(std::string_view head) {
    const bool is_timeout = has_part(head, "timeout") || has_part(head, "timed out") || has_part(head, "timing out") ||
                            has_part(head, "stuck");
    const bool is_group = has_part(head, "ProcessGroup") || has_part(head, "WorkNCCL(") || has_part(head, "OpType=");
    return is_timeout && is_group && (contains_any_case(head, "watchdog") || contains_any_case(head, "heartbeat"));
}

bool is_ras_text(std::string_view head) {
    return has_part(head, "Job summary") && has_part(head, "Communicators") &&
           (has_part(head, "per node") || has_part(head, "Processes") || has_part(head, "NCCL version"));
}

bool is_ras_json(std::string_view head) {
    if (has_part(head, "\"ph\"") || has_part(head, "\"traceEvents\"") || has_part(head, "\"pg_config\"")) return false;
    const bool has_communicators =
        has_part(head, "\"communicators\"") || has_part(head, "\"communicators_count\"") || has_part(head, "\"comms\"");
    const bool is_of_nccl = contains_any_case(head, "\"nccl_version\"") ||
                            contains_any_case(head, "\"nccl version\"") || contains_any_case(head, "\"ras\"");
    return has_communicators && is_of_nccl;
}

bool is_neuron_json(std::string_view head) {
    if (has_part(head, "\"ph\"") || has_part(head, "\"traceEvents\"")) return false;
    const bool is_of_neuron = contains_any_case(head, "neuron") || contains_any_case(head, "\"neff") ||
                              contains_any_case(head, "\"ntff") || has_part(head, "\"nc_idx\"");
    const bool has_rows = has_part(head, "\"instruction\"") || has_part(head, "\"instructions\"") ||
                          has_part(head, "\"dma\"") || has_part(head, "\"dma_packet\"") ||
                          has_part(head, "\"active_time\"") || has_part(head, "\"semaphore_update\"");
    return is_of_neuron && has_rows;
}

bool is_deepspeed_text(std::string_view head) {
    return has_part(head, "log_dist]") || has_part(head, "[deepspeed") || has_part(head, "DeepSpeed") ||
           (has_part(head, "Comm. Op") && has_part(head, "Message Size"));
}

bool is_profiler_table(std::string_view head) {
    return has_part(head, "Self CPU") && has_part(head, "# of Calls") && has_part(head, "----");
}

bool begins_number_list(std::string_view head) {
    const std::size_t open = head.find('[');
    if (open == std::string_view::npos) return false;
    const std::string_view inside = head.substr(open + 1);
    const std::size_t end = inside.find_first_not_of("0123456789+-.eE, \t\r\n");
    if (end == std::string_view::npos) return !inside.empty();
    return inside[end] == ']' && inside.find_first_not_of(" \t\r\n", end + 1) == std::string_view::npos;
}

}  // namespace core
