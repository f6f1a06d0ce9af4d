#pragma once
// The FLOP of a model as users write them: an expression of numbers and + - * / ( ), such as 6*7e9*4194304, or
// transformer(layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,gated=1,vocab=128256,seq=8192,batch=512,causal=1).

#include "core/base/result.hpp"

#include <string_view>

namespace core {

// FLOP of one step, forward and backward: 3·batch·seq·(layers·(4h²·(1+kv/heads) + 2·(2+gated)·h·ffn + 4·seq·h·(causal ?
// ½ : 1)) + 2·h·vocab). kv_heads is heads and gated and causal are 0 where they are not given.
Result<double> parse_flop_expression(std::string_view text);

}  // namespace core
