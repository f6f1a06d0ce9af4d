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
