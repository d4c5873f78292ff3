"""The only imports of torch and transformers, an extra of this service: names for what ships no types to us."""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import safetensors.torch as _safe_tensors
import torch as _torch
import transformers as _transformers

from perception_server.models.interface import OutOfMemoryError

safe_tensors: Any = _safe_tensors
torch: Any = _torch
transformers: Any = _transformers


@contextmanager
def inference() -> Generator[None]:
    """Compute without gradients inside the block; raise `OutOfMemoryError` if the device has too little memory."""
    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        torch.cuda.empty_cache()
        raise OutOfMemoryError(str(error).partition("\n")[0]) from error


def half_precision(device: str) -> Any:  # noqa: ANN401 - a dtype of torch, which has no types here
    """Return the type of weights: 16 bits on a GPU, 32 on a CPU, which is slower with less."""
    if not device.startswith("cuda"):
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
