#include "core/store/call_stack.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("the frame of a call stack is the innermost of user code") {
    CHECK(user_frame("cross_entropy (torch/nn/functional.py:3059) < forward (loss.py:27) < <module> (train.py:7)") ==
          "forward (loss.py:27)");
    CHECK(user_frame("only (model.py:2)") == "only (model.py:2)");
    CHECK(user_frame("") == "");
}

TEST_CASE("frames of torch and of Python's own start are passed over") {
    CHECK(user_frame("a (torch/x.py:1) < _bootstrap (threading.py:1002) < run (trainer.py:9)") == "run (trainer.py:9)");
    CHECK(user_frame("a (torch/x.py:1) < _run_code (<frozen runpy>:88) < main (runpy.py:3)") == "a (torch/x.py:1)");
    CHECK(user_frame("_main (multiprocessing/spawn.py:122) < _run (python3.11/threading.py:5) < step (job.py:1)") ==
          "step (job.py:1)");
    CHECK(user_frame("MulBackward0 (autograd)") == "MulBackward0 (autograd)");
}

TEST_CASE("a stack without user code is named by a package, else by torch, else by the interpreter") {
    CHECK(user_frame("linear (torch/nn/functional.py:1) < forward (transformers/llama.py:2) < run (runpy.py:3)") ==
          "forward (transformers/llama.py:2)");
    CHECK(user_frame("_run_code (<frozen runpy>:88) < step (torch/optim/adam.py:2)") == "step (torch/optim/adam.py:2)");
    CHECK(user_frame("_bootstrap (threading.py:1) < run (threading.py:2)") == "_bootstrap (threading.py:1)");
    CHECK(user_frame("no place at all") == "no place at all");
}

TEST_CASE("code typed in a notebook or at the prompt is user code, generated code is not") {
    CHECK(owner_of_file("<ipython-input-3-8f>") == FrameOwner::User);
    CHECK(owner_of_file("<stdin>") == FrameOwner::User);
    CHECK(owner_of_file("<eval_with_key>.12") == FrameOwner::Interpreter);
    CHECK(owner_of_file("<frozen importlib._bootstrap>") == FrameOwner::Interpreter);
}

TEST_CASE("files keep the path inside their package, and user code has none") {
    CHECK(short_file("/home/me/proj/torchy/model.py") == "model.py");
    CHECK(short_file("/env/lib/python3.12/site-packages/torch/nn/module.py") == "torch/nn/module.py");
    CHECK(short_file("D:\\Dev\\.venv\\Lib\\site-packages\\einops\\einops.py") == "einops/einops.py");
    CHECK(short_file("D:\\Dev\\model.py") == "model.py");
    CHECK(short_file("/usr/lib/python3.11/threading.py") == "python3.11/threading.py");
    CHECK(short_file("C:\\Python311\\Lib\\runpy.py") == "Lib/runpy.py");
    CHECK(short_file("/opt/pytorch/torch/nn/functional.py") == "torch/nn/functional.py");
    CHECK(short_file("/tmp/torchinductor_me/ab/cab.py") == "torchinductor_me/ab/cab.py");
    CHECK(short_file("transformers/models/vit.py") == "transformers/models/vit.py");
    CHECK(short_file("mine/models/vit.py") == "vit.py");
    CHECK(short_file("<stdin>") == "<stdin>");
    CHECK(short_file("") == "");
    CHECK(owner_of_file("torchinductor_me/ab/cab.py") == FrameOwner::Torch);
    CHECK(owner_of_file("Lib/runpy.py") == FrameOwner::Interpreter);
}

TEST_CASE("calls of Python in a trace become frames, other names do not") {
    CHECK(frame_of_python_call("src/loss.py(22): forward") == "forward (loss.py:22)");
    CHECK(frame_of_python_call("torch/nn/modules/module.py(1790): _call_impl") ==
          "_call_impl (torch/nn/modules/module.py:1790)");
    CHECK(frame_of_python_call("<stdin>(1): <module>") == "<module> (<stdin>:1)");
    CHECK(!frame_of_python_call("nn.Module: Linear_0"));
    CHECK(!frame_of_python_call("<built-in method get of dict object at 0x7bc9>"));
    CHECK(!frame_of_python_call("loss.py(x): forward"));
    CHECK(!frame_of_python_call("(22): forward"));
    CHECK(place_of_frame("forward (loss.py:22)") == "loss.py:22");
    CHECK(place_of_frame("no place") == "no place");
}
