"""Changes that users make: a version is adopted or reverted, a folder is imported."""

from uuid import uuid5

from artifacts.port import ArtifactStore
from chassis.bus import Bus
from contracts.envelope import answering, opening
from contracts.events.skill import (
    SkillChanged,
    SkillChangeRefusalReason,
    SkillChangeRefused,
    SkillChangeRequested,
    TrialRequested,
)
from contracts.settings import COMMAND
from contracts.skills import SkillStatus
from documents.shipped_skills import ALL_SKILLS
from documents.skill_folders.frontmatter import SkillFormatError
from documents.skill_folders.skill_folder import SkillFolder, folder_digest, pack_files, unpack_folder
from documents.workspaces.archive import MAX_TOTAL_BYTES
from store.skills.versions import LearnedSkill, NewSkill, Skills

from skill_learner.library import SKILL_TYPE
from skill_learner.notices import notices
from skill_learner.settings import READERS

ZIP_TYPE = "application/zip"
Changed = SkillChanged | SkillChangeRefused


class UserChanges:
    """Answers the requests of users. The same request twice has no further effect."""

    def __init__(self, bus: Bus, artifacts: ArtifactStore, skills: Skills) -> None:
        self._bus = bus
        self._artifacts = artifacts
        self._skills = skills

    async def answer(self, request: SkillChangeRequested) -> Changed:
        """Make the change, or refuse it with the reason."""
        if request.for_role not in READERS:
            return _refused(request, "conflict", f"the {request.for_role} reads no skills: name {', '.join(READERS)}")
        match request.action:
            case "adopt":
                return await self._adopt(request)
            case "revert":
                return await self._revert(request)
            case "import":
                return await self._import(request)

    async def _adopt(self, request: SkillChangeRequested) -> Changed:
        version = await self._version(request)
        if version is None:
            return _unknown(request)
        before = await self._offered(request, besides=version.version)
        await self._skills.set_status(version.name, version.version, "adopted")
        changed = _changed(request, version, "adopted")
        for notice in await notices(self._skills, version, request):
            await self._bus.publish(notice)
        if request.guard is not None:
            await self._bus.publish(_guard(request, version, before))
        return changed

    async def _revert(self, request: SkillChangeRequested) -> Changed:
        version = await self._version(request)
        if version is None or version.status not in {"adopted", "reverted"}:
            return _unknown(request, "adopted ")
        await self._skills.set_status(version.name, version.version, "reverted")
        now = await self._offered(request)
        for notice in [] if now is None else await notices(self._skills, now, request):
            await self._bus.publish(notice)
        return _changed(request, version, "reverted")

    async def _import(self, request: SkillChangeRequested) -> Changed:
        if request.folder is None or request.folder.size_bytes > MAX_TOTAL_BYTES:
            size = 0 if request.folder is None else request.folder.size_bytes
            return _refused(
                request, "malformed", f"the folder's zip has {size} bytes; 1 to {MAX_TOTAL_BYTES} are allowed"
            )
        try:
            folder = unpack_folder(await self._artifacts.get(request.folder))
        except SkillFormatError as error:
            return _refused(request, "malformed", str(error))
        if folder.name in ALL_SKILLS:
            return _refused(request, "conflict", f"the skill {folder.name} is shipped; choose another name")
        owners = {each.for_role for each in await self._skills.versions(folder.name)}
        if owners - {request.for_role}:
            return _refused(request, "conflict", f"the skill {folder.name} is of the {min(owners)}")
        stored = await self._store(folder, request)
        return _changed(request, stored, stored.status, folder.warnings)

    async def _store(self, folder: SkillFolder, request: SkillChangeRequested) -> LearnedSkill:
        skill_md = await self._artifacts.put(folder.skill_md.encode(), SKILL_TYPE)
        files = await self._artifacts.put(pack_files(folder.files), ZIP_TYPE) if folder.files else None
        base = [each for each in await self._skills.newest(request.for_role) if each.name == folder.name]
        return await self._skills.learn(
            NewSkill(
                name=folder.name,
                for_role=request.for_role,
                description=folder.description,
                digest=folder_digest(folder),
                artifact=skill_md,
                learned_from=request.run_id,
                status="proposed",
                base_version=base[0].version if base else None,
                files=files,
            )
        )

    async def _version(self, request: SkillChangeRequested) -> LearnedSkill | None:
        found = await self._skills.versions(request.name, request.for_role) if request.name else []
        return next((each for each in found if each.version == request.version), None)

    async def _offered(self, request: SkillChangeRequested, besides: int | None = None) -> LearnedSkill | None:
        """Return the version that is offered, or would be without one version: the last adopted one."""
        found = await self._skills.versions(request.name, request.for_role)
        adopted = [each for each in found if each.status == "adopted" and each.version != besides]
        return max(adopted, key=lambda each: (each.adopted_at or each.learned_at, each.version), default=None)


def _guard(request: SkillChangeRequested, version: LearnedSkill, before: LearnedSkill | None) -> TrialRequested:
    """Return the trial of a version that is adopted already, against the one before."""
    assert request.guard is not None
    trial_id = uuid5(request.id, "guard")
    return TrialRequested(
        **opening(trial_id, "trial", "skill-learner", "skill-learner"),
        name=version.name,
        for_role=version.for_role,
        version=version.version,
        base_version=before.version if before else version.base_version,
        **dict(request.guard),
    )


def _changed(
    request: SkillChangeRequested, version: LearnedSkill, status: SkillStatus, warnings: tuple[str, ...] = ()
) -> SkillChanged:
    return SkillChanged(
        **answering(request, "skill-learner"),
        name=version.name,
        for_role=version.for_role,
        version=version.version,
        status=status,
        warnings=warnings,
    )


def _unknown(request: SkillChangeRequested, which: str = "") -> SkillChangeRefused:
    if request.version is None:
        return _refused(request, "unknown", f"name the version of {request.name} to {request.action}")
    named = f"{which}version {request.version} of {request.name} for the {request.for_role}"
    return _refused(request, "unknown", f"there is no {named}: `{COMMAND} skills list`")


def _refused(request: SkillChangeRequested, reason: SkillChangeRefusalReason, detail: str) -> SkillChangeRefused:
    return SkillChangeRefused(**answering(request, "skill-learner"), reason=reason, detail=detail)
