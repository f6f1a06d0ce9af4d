#pragma once
// Lines as NCCL and its plugins write them.

#include <string>
#include <string_view>

namespace core::testing {

struct NcclProcess {
    std::string host = "node1";
    int process = 100;
    int device = 0;
    std::string prefix() const {
        const std::string pid = std::to_string(process);
        return host + ":" + pid + ":" + pid + " [" + std::to_string(device) + "] NCCL INFO ";
    }
};

struct NcclStart {
    std::string address = "0xa0";
    int rank = 0;
    int size = 2;
    std::string id = "0x54fe282d32a87d85";
    std::string_view state = "COMPLETE";
};

inline std::string start_line(const NcclProcess& process, const NcclStart& start) {
    return process.prefix() + "ncclCommInitRankConfig comm " + start.address + " rank " + std::to_string(start.rank) +
           " nranks " + std::to_string(start.size) + " cudaDev " + std::to_string(process.device) + " nvmlDev " +
           std::to_string(process.device) + " busId 17000 commId " + start.id + " - Init " + std::string(start.state) +
           "\n";
}

// datatype 7: four bytes
inline std::string call_line(const NcclProcess& process, std::string_view operation, long elements,
                             std::string_view address = "0xa0") {
    return process.prefix() + std::string(operation) + ": opCount 0 sendbuff 0x1 recvbuff 0x2 count " +
           std::to_string(elements) + " datatype 7 op 0 root 0 comm " + std::string(address) +
           " [nranks=2] stream 0x3\n";
}

inline std::string choice_line(const NcclProcess& process, std::string_view operation, long bytes,
                               std::string_view words = "Algo RING proto LL128 channel{Lo..Hi}={0..23}") {
    return process.prefix() + std::string(operation) + ": " + std::to_string(bytes) + " Bytes -> " +
           std::string(words) + "\n";
}

inline constexpr std::string_view kInspectorHead =
    R"({"header":{"id":"0x7f8c496ae9f661","comm_name":"dp","rank":1,"n_ranks":2,"nnodes":1},)"
    R"("metadata":{"inspector_output_format_version":"v4.0","dump_timestamp_us":1700000000500000,"hostname":"node1","pid":100},)";

// One all-reduce of 64 MiB; with times if `start_us` is not 0.
inline std::string inspector_line(int sequence, long start_us = 0, long length_us = 300) {
    std::string line(kInspectorHead);
    line += R"("coll_perf":{"coll":"AllReduce","coll_sn":)" + std::to_string(sequence) +
            R"(,"coll_msg_size_bytes":67108864,"coll_exec_time_us":)" + std::to_string(length_us) +
            R"(,"coll_timing_source":"kernel_gpu","coll_algobw_gbs":223.7,"coll_busbw_gbs":223.5)";
    if (start_us != 0)
        line += R"(,"event_trace_ts":{"coll_start_ts":)" + std::to_string(start_us) + R"(,"coll_stop_ts":)" +
                std::to_string(start_us + length_us) + R"(,"kernel_events":[{"channel_id":0,"kernel_start_ts":)" +
                std::to_string(start_us + 10) + R"(,"kernel_stop_ts":)" + std::to_string(start_us + length_us - 10) +
                "}]}";
    return line + "}}\n";
}

// Output of NCCL's example plugin: values without quotes, and an end that is not JSON.
inline constexpr std::string_view kPluginTrace =
    R"([
{"name": "Group API", "cat": "GROUP_API", "ph": "b", "id": 0, "pid": 200, "tid": 1, "ts": 10.500000, "args": {"groupId": 0}},
{"name": "AllReduce API", "cat": "COLL_API", "ph": "b", "id": 1, "pid": 200, "tid": 1, "ts": 11.000000, "args": {"count": 1024, "datatype": ncclFloat32}},
{"name": "AllReduce API", "cat": "COLL_API", "ph": "e", "id": 1, "pid": 200, "tid": 1, "ts": 12.000000},
{"name": "Group API", "cat": "GROUP_API", "ph": "e", "id": 0, "pid": 200, "tid": 1, "ts": 20.500000},
{"name": "AllReduce", "cat": "COLL", "ph": "b", "id": 2, "pid": 200, "tid": 1, "ts": 15.250000, "args": {"SeqNum": 4, "CommHash": 12673864846479792718, "Rank": 1, "Count": 1024, "Datatype": ncclFloat32, "Algorithm": RING, "Protocol": LL, "nChannels": 2}},
{"name": "KernelCh", "cat": "GPU", "ph": "b", "id": 3, "pid": 200, "tid": 1, "ts": 0.000000, "args": {"Channel": 0}},
{"name": "KernelCh", "cat": "GPU", "ph": "e", "id": 3, "pid": 200, "tid": 1, "ts": 0.000000},
{"name": "AllReduce", "cat": "COLL", "ph": "e", "id": 2, "pid": 200, "tid": 1, "ts": 115.250000},
{}]
)";

}  // namespace core::testing
