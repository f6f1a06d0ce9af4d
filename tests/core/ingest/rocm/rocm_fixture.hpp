#pragma once
// Hand-made databases as rocprofv3 and rpdTracer write them. Tables have the columns that Lockstep reads, and few
// others.

#include "tests/core/ingest/nsys/nsys_fixture.hpp"

#include <string>

namespace core::testing {

inline RunPtr load_rpd(const TempFolder& folder, const std::string& sql, const std::string& name = "trace.rpd") {
    const std::filesystem::path path = folder.path() / name;
    DatabaseMaker(path).run("BEGIN;" + sql + "COMMIT;").close();
    const Result<RunPtr> run = load_database(path);
    REQUIRE_MESSAGE(run, (run ? "" : run.error().message));
    return *run;
}

inline std::string text_of(const RankTrace& trace, EventId e) {
    const Result<EventText> text = trace.event_text(e);
    return text ? text->arguments : std::string();
}

// Replaces each @ by the suffix of the tables of one process.
inline std::string with_suffix(std::string sql, const std::string& suffix) {
    for (std::size_t at = 0; (at = sql.find('@', at)) != std::string::npos; at += suffix.size())
        sql.replace(at, 1, suffix);
    return sql;
}

inline const std::string kSuffix = "_0192a7d1_3b5c_7f3e_9b21_5f6a0c1d2e3f";

inline RunPtr load_rocpd(const TempFolder& folder, const std::string& sql,
                         const std::string& name = "4711_results.db") {
    return load_rpd(folder, with_suffix(sql, kSuffix), name);
}

// One process with two GPU agents (numbered 4 and 5, behind 4 CPUs), an empty stream 0 and stream 2.
inline std::string rocpd_process(const std::string& environment, int pid = 4711) {
    return R"(
CREATE TABLE "rocpd_metadata@" (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE "rocpd_string@" (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE "rocpd_info_node@" (id INTEGER PRIMARY KEY, guid TEXT, hostname TEXT);
CREATE TABLE "rocpd_info_process@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, command TEXT, environment TEXT);
CREATE TABLE "rocpd_info_thread@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE "rocpd_info_agent@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER,
  logical_index INTEGER, type_index INTEGER, name TEXT, model_name TEXT, product_name TEXT);
CREATE TABLE "rocpd_info_stream@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE "rocpd_info_kernel_symbol@" (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
CREATE TABLE "rocpd_track@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER);
CREATE TABLE "rocpd_event@" (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,
  correlation_id INTEGER, extdata TEXT);
CREATE TABLE "rocpd_arg@" (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, position INTEGER, type TEXT, name TEXT, value TEXT);
CREATE TABLE "rocpd_region@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT,
  name_id INTEGER, event_id INTEGER);
CREATE TABLE "rocpd_sample@" (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, timestamp BIGINT, event_id INTEGER);
CREATE TABLE "rocpd_kernel_dispatch@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
  kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, "end" BIGINT, private_segment_size INTEGER,
  group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
  grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER);
CREATE TABLE "rocpd_memory_copy@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT,
  name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
CREATE VIEW "rocpd_string" AS SELECT * FROM "rocpd_string@";
INSERT INTO "rocpd_metadata@" (tag, value) VALUES ('schema_version', '3');
INSERT INTO "rocpd_string@" (id, string) VALUES (1, 'HIP_RUNTIME_API'), (2, 'MARKER_CORE_RANGE_API'), (3, 'RCCL_API'),
  (4, 'KERNEL_DISPATCH'), (5, 'MEMORY_COPY'), (6, 'hipLaunchKernel'), (7, 'roctxThreadRangeA'), (8, 'ncclAllReduce'),
  (9, 'MEMORY_COPY_HOST_TO_DEVICE'), (10, 'hipMemcpyAsync'), (11, 'HSA_CORE_API'), (12, 'hsa_queue_create'), (13, 'roctxMarkA');
INSERT INTO "rocpd_info_node@" (id, hostname) VALUES (1, 'node17');
INSERT INTO "rocpd_info_thread@" (id, pid, tid, name) VALUES (77, 4711, 4712, 'main');
INSERT INTO "rocpd_info_agent@" (id, type, absolute_index, logical_index, type_index, name, model_name, product_name) VALUES
  (0, 'CPU', 0, 0, 0, 'cpu', '', 'EPYC'), (4, 'GPU', 4, 4, 0, 'gfx942', '', 'AMD Instinct MI300X'),
  (5, 'GPU', 5, 5, 1, 'gfx942', '', 'AMD Instinct MI300X');
INSERT INTO "rocpd_info_stream@" (id, name) VALUES (0, 'Default Stream'), (2, 'Stream 1');
INSERT INTO "rocpd_info_kernel_symbol@" (id, kernel_name, display_name) VALUES (1, 'gemm.kd', 'gemm(float*)'),
  (2, 'nccl.kd', 'ncclDevKernel_Generic(ncclDevKernelArgs)'), (3, 'only_symbol.kd', NULL);
INSERT INTO "rocpd_info_process@" (id, nid, pid, command, environment) VALUES (4711, 1, )" +
           std::to_string(pid) + ", 'python train.py', '" + environment + "');";
}

// `event` is the number of both the dispatch and its event; `stack` is that of the call.
inline std::string rocpd_kernel(int event, std::int64_t start, std::int64_t end, int agent, int stream, int stack,
                                int kernel = 1) {
    const std::string id = std::to_string(event);
    return R"(INSERT INTO "rocpd_event@" (id, category_id, stack_id) VALUES ()" + id + ", 4, " + std::to_string(stack) +
           R"(); INSERT INTO "rocpd_kernel_dispatch@" VALUES ()" + id + ", 'g', 1, 4711, 77, " + std::to_string(agent) +
           ", " + std::to_string(kernel) + ", " + id + ", 1, " + std::to_string(stream) + ", " + std::to_string(start) +
           ", " + std::to_string(end) + ", 0, 1024, 256, 1, 1, 1000, 2, 1, NULL, " + id + ");";
}
// A call, or a mark with the message in `extra`.
inline std::string rocpd_region(int event, std::int64_t start, std::int64_t end, int category, int name, int stack,
                                const std::string& extra = "{}") {
    const std::string id = std::to_string(event);
    return R"(INSERT INTO "rocpd_event@" (id, category_id, stack_id, extdata) VALUES ()" + id + ", " +
           std::to_string(category) + ", " + std::to_string(stack) + ", '" + extra +
           R"('); INSERT INTO "rocpd_region@" VALUES ()" + id + ", 'g', 1, 4711, 77, " + std::to_string(start) + ", " +
           std::to_string(end) + ", " + std::to_string(name) + ", " + id + ");";
}

inline const char* const kRpdTables = R"(
CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, tag varchar(4096), value varchar(4096));
CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer, queueId integer, sequenceId integer,
  start integer, "end" integer, description_id bigint, opType_id bigint);
CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer, tid integer, start integer, "end" integer,
  apiName_id bigint, args_id bigint);
CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id bigint, op_id bigint);
CREATE TABLE rocpd_kernelapi (api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18), gridX integer, gridY integer, gridZ integer,
  workgroupX integer, workgroupY integer, workgroupZ integer, groupSegmentSize integer, privateSegmentSize integer, kernelName_id bigint);
CREATE TABLE rocpd_copyapi (api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18), size integer, kind integer);
CREATE TABLE rocpd_monitor (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, deviceType varchar(16), deviceId integer,
  monitorType varchar(16), start integer, "end" integer, value varchar(255));
INSERT INTO rocpd_string VALUES (1, ''), (2, 'KernelExecution'), (3, 'CopyHostToDevice'), (4, 'FillBuffer'), (5, 'Barrier'),
  (6, 'gemm(float*)'), (7, 'hipLaunchKernel'), (8, 'hipMemcpyAsync'), (9, 'UserMarker'), (10, 'step 0'), (11, 'step 1'),
  (12, 'aten::mm, seq = 5, op_id = 6'), (13, 'ptr=0x7f'), (14, 'hipMemsetAsync');
)";

inline std::string rpd_op(std::int64_t id, int gpu, int queue, std::int64_t start, std::int64_t end, int text,
                          int type) {
    return "INSERT INTO rocpd_op VALUES (" + std::to_string(id) + ", " + std::to_string(gpu) + ", " +
           std::to_string(queue) + ", 0, " + std::to_string(start) + ", " + std::to_string(end) + ", " +
           std::to_string(text) + ", " + std::to_string(type) + ");";
}
inline std::string rpd_call(std::int64_t id, int pid, std::int64_t start, std::int64_t end, int name, int text = 1) {
    return "INSERT INTO rocpd_api VALUES (" + std::to_string(id) + ", " + std::to_string(pid) + ", " +
           std::to_string(pid + 1) + ", " + std::to_string(start) + ", " + std::to_string(end) + ", " +
           std::to_string(name) + ", " + std::to_string(text) + ");";
}
inline std::string rpd_link(std::int64_t call, std::int64_t op) {
    return "INSERT INTO rocpd_api_ops (api_id, op_id) VALUES (" + std::to_string(call) + ", " + std::to_string(op) +
           ");";
}

}  // namespace core::testing
