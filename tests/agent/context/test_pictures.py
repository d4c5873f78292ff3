"""Tests of pictures in prompts: sent after their captions to models that accept them, else captions only."""

from base64 import b64encode

import pytest
from agent.context.budget import fit_prompt
from agent.context.prompt_renderer import MAX_EDGE_PX, MAX_IMAGE_BYTES, PromptRenderer
from agent.model.failures import ModelRefusedError
from agent.model.messages import to_langchain, user_message
from agent.model.role_model import NoPicturesError, RoleModel, Vision
from agent.settings import ModelSettings
from agent.testing import scripted
from agent.token_estimate import tokens_of_image, tokens_of_messages
from artifacts.port import ArtifactMissingError
from artifacts.testing import FakeArtifacts
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Condensed, Message, Picture
from pydantic import SecretStr, ValidationError

from tests.contracts import example_values as values
from tests.support.clusters.anthropic_wire import anthropic_reply
from tests.support.clusters.fake_provider import FakeProvider, completion, failing_provider

SEEN = {"openai": completion("seen"), "anthropic": anthropic_reply({"type": "text", "text": "seen"})}
PROVIDERS = pytest.mark.parametrize("model", ["openai:fake", "anthropic:fake"])
HEAD = (Message(author="system", text="Be brief."), user_message("Build a ramp."))


async def _shown(artifacts: FakeArtifacts, *captions: str) -> Message:
    pictures = [
        Picture(caption=each, artifact=await artifacts.put(each.encode(), "image/png"), width_px=960, height_px=720)
        for each in captions
    ]
    return Message(author="user", text="# Observation", gist=f"showed: {captions}", images=tuple(pictures))


def _settings(base_url: str, *, model_vision: bool | None = True) -> ModelSettings:
    key = SecretStr("k")
    return ModelSettings(openai_api_key=key, openai_base_url=base_url, anthropic_api_key=key, model_vision=model_vision)


def _sized(width_px: int, height_px: int, size_bytes: int = 1000) -> Picture:
    ref = ArtifactRef(sha256=values.digest("a"), media_type="image/png", size_bytes=size_bytes)
    return Picture(caption="a", artifact=ref, width_px=width_px, height_px=height_px)


def _image_in(block: dict[str, dict[str, str]]) -> str:
    """Return the base64 in an image's block, in the format of either provider."""
    if "image_url" in block:
        return block["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert (block["source"]["type"], block["source"]["media_type"]) == ("base64", "image/png")
    return block["source"]["data"]


@PROVIDERS
async def test_providers_get_text_then_each_picture_after_its_caption(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifacts = FakeArtifacts()
    messages = (HEAD[0], await _shown(artifacts, "front", "top"))
    with FakeProvider(SEEN[model.partition(":")[0]]) as provider:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.base_url)
        answer = await RoleModel.configured(_settings(provider.base_url), artifacts).answer(model, messages, ())
    assert answer.reply.text == "seen"
    text, front, first, top, second = provider.requests[0]["messages"][-1]["content"]
    assert [each["text"] for each in (text, front, top)] == [
        "# Observation",
        "Picture 1 of 2: front",
        "Picture 2 of 2: top",
    ]
    assert [_image_in(each) for each in (first, second)] == [b64encode(each).decode() for each in (b"front", b"top")]


def test_message_without_pictures_is_plain_text() -> None:
    assert [message.content for message in to_langchain(HEAD)] == ["Be brief.", "Build a ramp."]


@pytest.mark.parametrize(
    ("model", "model_vision", "most"),
    [
        ("openai:gpt-5", None, 8),
        ("anthropic:claude-sonnet-4-5", None, 8),
        ("openai:gpt-3.5-turbo", None, 0),
        ("openai:a-model-of-your-own", None, 0),
        ("openai:a-model-of-your-own", True, 8),
        ("openai:gpt-5", False, 0),
        ("offline", None, 0),
        ("offline", True, 0),
    ],
)
def test_model_profile_or_setting_decides_on_pictures(model: str, model_vision: bool | None, most: int) -> None:
    models = RoleModel.configured(_settings("http://127.0.0.1:9/v1", model_vision=model_vision))
    assert models.max_images(model) == most


@PROVIDERS
async def test_refused_pictures_name_the_setting(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    artifacts = FakeArtifacts()
    messages = [await _shown(artifacts, "front")]
    with failing_provider(400, "this model takes no images") as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        with pytest.raises(ModelRefusedError, match=r"takes no images.*1 pictures went along; MODEL_VISION=false"):
            await RoleModel.configured(_settings(url), artifacts).answer(model, messages, ())


async def test_missing_picture_raises_before_the_call() -> None:
    message = await _shown(FakeArtifacts(), "front")
    model, chat = scripted("seen", vision=Vision(FakeArtifacts(), takes_images=True))
    with pytest.raises(ArtifactMissingError):
        await model.answer("any", [message], ())
    assert chat.calls == 0


async def test_pictures_without_a_store_raise() -> None:
    model, _ = scripted("seen")
    with pytest.raises(NoPicturesError, match=r"RoleModel.configured\(settings, artifacts\)"):
        await model.answer("any", [await _shown(FakeArtifacts(), "front")], ())


@pytest.mark.parametrize("image", [_sized(MAX_EDGE_PX + 1, 10), _sized(10, 10, MAX_IMAGE_BYTES + 1)])
def test_oversized_picture_is_captioned(image: Picture) -> None:
    shown = Message(author="user", text="look", images=(_sized(10, 10), image))
    prompt = fit_prompt(10_000, (*HEAD, shown), Condensed(), (), max_images=8)
    assert prompt.messages[-1].images == (_sized(10, 10),)
    assert prompt.messages[-1].text == "look\n\nPictures that are too large to be sent; show them smaller: `a`."
    assert PromptRenderer((*HEAD, shown)).render(prompt.condensed) == prompt.messages


def test_message_pictures_are_limited_to_the_prompt_maximum() -> None:
    shown = Message(author="user", text="look", images=tuple(_sized(10, 10 + each) for each in range(20)))
    prompt = fit_prompt(None, (*HEAD, shown), Condensed(), (), max_images=3)
    assert [image.height_px for image in prompt.messages[-1].images] == [27, 28, 29]


def test_picture_beyond_the_budget_is_captioned() -> None:
    shown = Message(author="user", text="look", images=(_sized(1024, 1024),))
    prompt = fit_prompt(1_000, (*HEAD, Message(author="assistant", text="go"), shown), Condensed(), (), max_images=8)
    assert prompt.tokens <= 1_000
    assert prompt.messages[-1].images == ()
    assert prompt.messages[-1].text.endswith("shows that again: `a`.")


def test_only_user_messages_have_pictures() -> None:
    with pytest.raises(ValidationError, match="assistant"):
        Message(author="assistant", text="look", images=(_sized(10, 10),))


@pytest.mark.parametrize(
    ("width_px", "height_px", "by_a_provider"),
    [
        (1024, 1024, 1024 * 1024 / 750),  # Anthropic, by area
        (1024, 1024, 1.62 * 32 * 32),  # OpenAI's mini models, by patches of 32 pixels
        (513, 513, 85 + 170 * 4),  # GPT-4o, by tiles of 512 pixels
        (64, 96, 85 + 170),
    ],
)
def test_picture_tokens_reach_the_providers_formulas(width_px: int, height_px: int, by_a_provider: float) -> None:
    image = _sized(width_px, height_px)
    assert by_a_provider <= tokens_of_image(image) <= 1.25 * max(by_a_provider, 1.62 * width_px * height_px / 1024)
    bare, shown = user_message("look"), Message(author="user", text="look", images=(image,))
    assert tokens_of_messages([shown]) - tokens_of_messages([bare]) >= tokens_of_image(image)
