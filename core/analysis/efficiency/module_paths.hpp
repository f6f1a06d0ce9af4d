#pragma once
// Which nn.Module, or annotation of the model, every event of a rank belongs to: its path of names. In the backward
// pass it is that of the forward operator with the same sequence number. Of the whole trace, whatever the filter.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <memory>
#include <string>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoModule = 0xFFFFFFFFu;

// A name below another; parents come before their children.
struct ModuleNode {
    std::uint32_t parent;
    std::string name;
    std::uint32_t depth = 0;  // from 1
    std::size_t letters = 0;  // of the whole path
};

struct ModuleCall {
    EventId event;
    std::uint32_t node;
};

class ModulePaths {
public:
    std::vector<ModuleNode> nodes;
    std::vector<std::uint32_t> of_event;  // by event of GraphAttribution::trace(); kNoModule: none
    std::vector<ModuleCall> calls;
    // "Transformer_0/Attention_3".
    std::string text_of(std::uint32_t node) const;
};

enum class ModuleSource : std::uint8_t { Auto, Modules, Annotations };  // Auto: modules where the trace has any
// Made once per rank and kept with its index. Null if cancelled.
std::shared_ptr<const ModulePaths> module_paths_of(const RankIndex&, ModuleSource, const JobContext&);

// "Linear" of "Linear_12", which is the 13th Linear.
std::string class_of_module(const std::string& name);
// By node: the layer that it is or lies in, kNoModule elsewhere. Layers are modules of one class that occur at least
// four times below one parent; what lies in one is no layer.
std::vector<std::uint32_t> find_layers(const ModulePaths&);

}  // namespace core
