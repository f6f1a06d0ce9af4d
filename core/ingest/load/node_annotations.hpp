#pragma once
// Annotations of graph nodes next to traces: pickles of {node key: [{"name": region, …}]} that PyTorch writes,
// kernel_annotations_rank0_….pkl. Only plain data is read; files of another shape are left to others.

#include "core/index/graph_sources.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace core {

struct NodeAnnotations {
    std::filesystem::path path;
    std::optional<int> rank;  // in the file's name
    std::shared_ptr<const NodeRegions> regions;
};
std::vector<NodeAnnotations> read_annotations(std::span<const std::filesystem::path> files, const JobContext&);
// Gives each rank those of its number whose graphs include all of its own: ids of another run join by accident.
void attach_annotations(std::span<const NodeAnnotations>, const Run&);

}  // namespace core
