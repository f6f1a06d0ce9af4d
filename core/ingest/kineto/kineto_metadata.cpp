#include "core/ingest/kineto/kineto_metadata.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/json/timestamp.hpp"

#include <simdjson.h>

#include <charconv>

namespace core {
namespace {

namespace dom = simdjson::dom;

std::optional<std::int64_t> integer_of(const dom::element& element) {
    std::int64_t number = 0;
    if (element.get(number) == simdjson::SUCCESS) return number;
    double real = 0;
    if (element.get(real) == simdjson::SUCCESS && real > -9e15 && real < 9e15) return static_cast<std::int64_t>(real);
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return std::nullopt;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> integer_at(const dom::object& object, std::string_view key) {
    dom::element element;
    return object.at_key(key).get(element) == simdjson::SUCCESS ? integer_of(element) : std::nullopt;
}

std::string text_at(const dom::object& object, std::string_view key) {
    std::string_view text;
    return object.at_key(key).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

std::optional<int> small_at(const dom::object& object, std::string_view key) {
    const std::optional<std::int64_t> number = integer_at(object, key);
    const bool fits = number && *number >= 0 && *number <= 10'000'000;
    return fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

// A list, or its text.
RankList read_ranks(const dom::element& element) {
    std::vector<std::int32_t> ranks;
    dom::array list;
    dom::parser parser;
    std::string_view text;
    if (element.get(text) == simdjson::SUCCESS) {
        if (parser.parse(text).get(list) != simdjson::SUCCESS) return {};
    } else if (element.get(list) != simdjson::SUCCESS) {
        return {};
    }
    for (const dom::element rank : list) {
        const std::optional<std::int64_t> number = integer_of(rank);
        if (number && *number >= 0 && *number <= 10'000'000) ranks.push_back(static_cast<std::int32_t>(*number));
    }
    return ranks;
}

void read_group(std::string_view name, const dom::element& element, RankInfo& info) {
    ProcessGroup group;
    group.name = name;
    dom::object object;
    if (element.get(object) == simdjson::SUCCESS) {
        if (std::string stated = text_at(object, "pg_name"); !stated.empty()) group.name = std::move(stated);
        if (const auto number = integer_at(object, "pg_name"); number && group.name.empty())
            group.name = std::to_string(*number);
        group.description = text_at(object, "pg_desc");
        group.backend = text_at(object, "backend_config");
        if (group.backend.empty()) group.backend = text_at(object, "backend");
        dom::element ranks;
        if (object.at_key("ranks").get(ranks) == simdjson::SUCCESS) group.ranks = read_ranks(ranks);
        group.size = integer_at(object, "pg_size").value_or(0);
    } else {
        group.ranks = read_ranks(element);
    }
    if (group.size <= 0) group.size = static_cast<std::int64_t>(group.ranks.size());
    info.groups.push_back(std::move(group));
}

// Currently a list; older writers used an object by name, or the text of either.
void read_groups(const dom::element& config, RankInfo& info) {
    dom::array list;
    dom::object object;
    std::string_view text;
    if (config.get(list) == simdjson::SUCCESS) {
        for (const dom::element group : list) read_group("", group, info);
    } else if (config.get(object) == simdjson::SUCCESS) {
        for (const auto [name, group] : object) read_group(name, group, info);
    } else if (config.get(text) == simdjson::SUCCESS) {
        dom::parser parser;
        dom::element inner;
        const bool parsed = parser.parse(text).get(inner) == simdjson::SUCCESS;
        if (parsed && !inner.is_string()) read_groups(inner, info);
    }
}

void read_distributed(const dom::object& distributed, RankInfo& info, Diagnostics& diagnostics) {
    info.rank = small_at(distributed, "rank");
    if (!info.rank && distributed.at_key("rank").error() == simdjson::SUCCESS)
        diagnostics.add("argument-unreadable", "the rank in distributedInfo");
    info.world_size = small_at(distributed, "world_size");
    info.backend = text_at(distributed, "backend");
    for (const auto [key, value] : distributed) {
        if (key == "pg_config")
            read_groups(value, info);
        else if (key == "nccl_version")
            info.environment[std::string(key)] = simdjson::minify(value);
    }
}

void read_devices(const dom::array& devices, RankInfo& info) {
    for (const dom::element element : devices) {
        dom::object object;
        if (element.get(object) != simdjson::SUCCESS) continue;
        Device device;
        device.id = integer_at(object, "id").value_or(static_cast<std::int64_t>(info.devices.size()));
        device.name = text_at(object, "name");
        device.memory_bytes = integer_at(object, "totalGlobalMem").value_or(0);
        info.devices.push_back(std::move(device));
    }
}

void read_member(std::string_view key, const dom::element& value, RankInfo& info, Diagnostics& diagnostics) {
    dom::object object;
    dom::array list;
    std::string_view text;
    const bool is_text = value.get(text) == simdjson::SUCCESS;
    if (key == "distributedInfo" && value.get(object) == simdjson::SUCCESS)
        return read_distributed(object, info, diagnostics);
    const bool devices = key == "deviceProperties" || key == "computeProperties";
    if (devices && value.get(list) == simdjson::SUCCESS) return read_devices(list, info);
    if (key == "baseTimeNanoseconds") {
        const std::string token = is_text ? std::string(text) : simdjson::minify(value);
        const ParsedTime base = parse_nanoseconds(token);
        info.base_time_ns = base.valid ? base.ns : 0;
        if (!base.valid) diagnostics.add("argument-unreadable", "baseTimeNanoseconds, which was taken as zero");
        return;
    }
    if (key == "traceName" && is_text) info.trace_name = text;
    if ((key == "host_name" || key == "hostname" || key == "host") && is_text) info.host = text;
    const bool plain = !value.is_object() && !value.is_array();
    if (plain && key != "traceName" && key != "displayTimeUnit")
        info.environment[std::string(key)] = simdjson::minify(value);
}

}  // namespace

void read_kineto_metadata(std::string_view json, RankInfo& info, Diagnostics& diagnostics) {
    info.metadata_json = json;
    dom::parser parser;
    dom::object members;
    if (parser.parse(json).get(members) != simdjson::SUCCESS) {
        const std::string mended = repair_json(json, Repair::Quotes);
        if (parser.parse(mended).get(members) != simdjson::SUCCESS) {
            diagnostics.add("metadata-truncated", "the members beside the events are not valid JSON and were skipped");
            return;
        }
        diagnostics.add("text-repaired", "the members beside the events");
    }
    for (const auto [key, value] : members) read_member(key, value, info, diagnostics);
}

}  // namespace core
