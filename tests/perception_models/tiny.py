"""Models of the real classes with a few random weights: shapes, types, order and errors are those of large ones."""

import string
from pathlib import Path

from perception_server.models.depth_anything_2 import DepthAnything
from perception_server.models.depth_anything_3 import DepthAnything3, DepthAnything3Meter, configuration, network
from perception_server.models.grounding_dino import GroundingDino
from perception_server.models.interface import Placement
from perception_server.models.libraries import torch, transformers
from perception_server.models.place_tracker import PlaceTracker
from perception_server.models.sam2 import Sam2
from perception_server.models.sam3 import Sam3

SIDE = 56
PATCHES = SIDE // 14
ON_CPU = Placement(Path("tiny"), "cpu", fov_deg=60.0)


def tiny_depth_anything(kind: str = "metric") -> DepthAnything:
    """Return Depth Anything with a backbone of two layers."""
    torch.manual_seed(0)
    backbone = transformers.Dinov2Config(
        hidden_size=32, num_hidden_layers=4, num_attention_heads=2, intermediate_size=64, image_size=SIDE,
        patch_size=14, out_indices=[1, 2, 3, 4], reshape_hidden_states=False, apply_layernorm=True,
    )  # fmt: skip
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone, patch_size=14, reassemble_hidden_size=32, neck_hidden_sizes=[8, 8, 8, 8],
        fusion_hidden_size=8, head_hidden_size=8, depth_estimation_type=kind, max_depth=20,
        initializer_range=0.3,
    )  # fmt: skip
    processor = transformers.DPTImageProcessor(
        size={"height": SIDE, "width": SIDE}, keep_aspect_ratio=True, ensure_multiple_of=14
    )
    return DepthAnything(transformers.DepthAnythingForDepthEstimation(config), processor, ON_CPU)


def tiny_views() -> DepthAnything3:
    """Return the smallest model of many views, which is small as it is."""
    torch.manual_seed(0)
    return DepthAnything3(network(configuration("da3-small")), "cpu")


def tiny_nested() -> DepthAnything3:
    """Return a nested model of two small ones."""
    torch.manual_seed(0)
    parts = configuration("da3nested-giant-large")
    parts.anyview, parts.metric = configuration("da3-small"), small_metric()
    return DepthAnything3(network(parts), "cpu")


def tiny_meter() -> DepthAnything3Meter:
    """Return the metric model with the smallest backbone."""
    torch.manual_seed(0)
    return DepthAnything3Meter(network(small_metric()), "cpu")


def small_metric():
    """Return the metric model's configuration with the sizes of the smallest backbone."""
    parts = configuration("da3metric-large")
    parts.net.name, parts.net.out_layers = "vits", [2, 5, 8, 11]
    parts.head.dim_in, parts.head.features, parts.head.out_channels = 384, 32, [16, 16, 16, 16]
    return parts


def tiny_sam3() -> Sam3:
    """Return SAM 3 that finds at most two objects for each text."""
    torch.manual_seed(0)
    tracker = transformers.Sam3TrackerVideoConfig(
        vision_config=_vision(), image_size=SIDE, num_maskmem=3,
        prompt_encoder_config={"hidden_size": 128, "image_size": SIDE, "patch_size": 14},
        mask_decoder_config={"hidden_size": 128, "mlp_dim": 64, "num_attention_heads": 2, "iou_head_hidden_dim": 64},
        memory_attention_hidden_size=128, memory_attention_num_layers=1, memory_attention_num_attention_heads=1,
        memory_attention_feed_forward_hidden_size=64, memory_attention_rope_feat_sizes=[PATCHES, PATCHES],
        memory_encoder_hidden_size=128, memory_encoder_output_channels=64, mask_downsampler_embed_dim=128,
        memory_fuser_num_layers=1, memory_fuser_embed_dim=128, memory_fuser_intermediate_dim=64,
        max_object_pointers_in_encoder=4,
    )  # fmt: skip
    config = transformers.Sam3VideoConfig(
        detector_config=_detector(), tracker_config=tracker, low_res_mask_size=4 * PATCHES,
        score_threshold_detection=0.0, new_det_thresh=0.0, hotstart_delay=0, max_num_objects=2,
    )  # fmt: skip
    images = transformers.Sam3ImageProcessor(
        size={"height": SIDE, "width": SIDE}, mask_size={"height": 4 * PATCHES, "width": 4 * PATCHES}
    )
    videos = transformers.Sam2VideoVideoProcessor(size={"height": SIDE, "width": SIDE})
    tokenizer = _tokenizer()
    return Sam3(
        transformers.Sam3VideoModel(config),
        transformers.Sam3TrackerVideoModel(tracker),
        transformers.Sam3Processor(image_processor=images, tokenizer=tokenizer, target_size=SIDE),
        transformers.Sam3VideoProcessor(
            image_processor=images, tokenizer=tokenizer, target_size=SIDE, video_processor=videos
        ),
        transformers.Sam3TrackerVideoProcessor(image_processor=images, target_size=SIDE, video_processor=videos),
        "cpu",
    )


def tiny_sam2() -> Sam2:
    """Return SAM 2 for pictures of 64 x 64."""
    torch.manual_seed(0)
    backbone = transformers.Sam2HieraDetConfig(
        hidden_size=8, num_attention_heads=1, image_size=[64, 64], blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[8, 16, 32, 64], num_attention_heads_per_stage=[1, 1, 1, 1],
        window_size_per_stage=[4, 4, 4, 4], global_attention_blocks=[3],
        window_positional_embedding_background_size=[4, 4],
    )  # fmt: skip
    vision = transformers.Sam2VisionConfig(
        backbone_config=backbone, backbone_channel_list=[64, 32, 16, 8],
        backbone_feature_sizes=[[16, 16], [8, 8], [4, 4]], fpn_hidden_size=128,
    )  # fmt: skip
    config = transformers.Sam2VideoConfig(
        vision_config=vision, image_size=64, num_maskmem=3,
        prompt_encoder_config={"hidden_size": 128, "image_size": 64, "patch_size": 16},
        mask_decoder_config={"hidden_size": 128, "mlp_dim": 64, "num_attention_heads": 2, "iou_head_hidden_dim": 64},
        memory_attention_hidden_size=128, memory_attention_num_layers=1, memory_attention_feed_forward_hidden_size=64,
        memory_attention_rope_feat_sizes=[4, 4], memory_encoder_hidden_size=128, mask_downsampler_embed_dim=128,
        memory_fuser_num_layers=1, memory_fuser_embed_dim=128, memory_fuser_intermediate_dim=64,
        max_object_pointers_in_encoder=4,
    )  # fmt: skip
    videos = transformers.Sam2VideoVideoProcessor(size={"height": 64, "width": 64})
    images = transformers.Sam2ImageProcessor(size={"height": 64, "width": 64})
    processor = transformers.Sam2VideoProcessor(image_processor=images, video_processor=videos, target_size=64)
    return Sam2(PlaceTracker(transformers.Sam2VideoModel(config), processor, "cpu"))


def tiny_grounding_dino(folder: Path) -> GroundingDino:
    """Return Grounding DINO with eight queries; its vocabulary is written into a folder."""
    torch.manual_seed(0)
    backbone = transformers.SwinConfig(
        image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
        out_indices=[2, 3, 4],
    )  # fmt: skip
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "?", *string.ascii_lowercase]
    words += [f"##{letter}" for letter in string.ascii_lowercase]
    text = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    config = transformers.GroundingDinoConfig(
        backbone_config=backbone, text_config=text, num_queries=8, d_model=32, encoder_layers=1, decoder_layers=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, encoder_attention_heads=2, decoder_attention_heads=2,
    )  # fmt: skip
    (folder / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizer.from_pretrained(folder)
    images = transformers.GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 96})
    processor = transformers.GroundingDinoProcessor(images, tokenizer)
    return GroundingDino(transformers.GroundingDinoForObjectDetection(config), processor, "cpu")


def _vision():
    vit = transformers.Sam3ViTConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=SIDE,
        patch_size=14, window_size=2, global_attn_indexes=[1], pretrain_image_size=SIDE,
    )  # fmt: skip
    sizes = [[scale * PATCHES, scale * PATCHES] for scale in (4, 2, 1)]
    return transformers.Sam3VisionConfig(backbone_config=vit, fpn_hidden_size=128, backbone_feature_sizes=sizes)


def _detector():
    small = {"hidden_size": 128, "num_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    text = transformers.CLIPTextConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, projection_dim=32, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=32, bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    return transformers.Sam3Config(
        vision_config=_vision(), text_config=text, geometry_encoder_config=small, detr_encoder_config=small,
        detr_decoder_config={**small, "num_queries": 2},
        mask_decoder_config={"hidden_size": 128, "num_attention_heads": 2},
    )  # fmt: skip


def _tokenizer():
    letters = string.ascii_lowercase
    vocabulary = {
        "<|startoftext|>": 0,
        "<|endoftext|>": 1,
        **{letter: 2 + number for number, letter in enumerate(letters)},
        **{letter + "</w>": 28 + number for number, letter in enumerate(letters)},
    }
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=[], pad_token="<|endoftext|>", model_max_length=32)
