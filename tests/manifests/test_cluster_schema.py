"""The schema that is made of TypeScript declarations."""

from typing import Any

from tests.manifests.cluster_schema import schema_of

DECLARATIONS = """
export declare class Cluster extends ApiObject {
    static readonly GVK: GroupVersionKind;
}
/**
 * @schema ClusterSpec
 */
export interface ClusterSpec {
    /**
     * Client authentication.
     *
     * @schema ClusterSpec#pg_hba
     */
    readonly pgHba?: string[];
    /**
     * @schema ClusterSpec#limits
     */
    readonly limits: {
        [key: string]: ClusterSpecLimits;
    };
    /**
     * @default any
     * @schema ClusterSpec#method
     */
    readonly method?: ClusterSpecMethod;
}
export declare function toJson_ClusterSpec(obj: ClusterSpec | undefined): Record<string, any> | undefined;
export declare class ClusterSpecLimits {
    readonly value: number | string;
    static fromNumber(value: number): ClusterSpecLimits;
}
export declare enum ClusterSpecMethod {
    /** any */
    ANY = "any",
    /** first */
    FIRST = "first"
}
export interface ScheduledBackupSpec {
    /**
     * @schema ScheduledBackupSpec#schedule
     */
    readonly schedule: string;
}
"""


def closed(required: list[str], **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def test_declarations_of_a_cluster_become_definitions_with_the_names_of_manifests() -> None:
    limits = {"type": "object", "additionalProperties": {"$ref": "#/$defs/ClusterSpecLimits"}}
    assert schema_of(DECLARATIONS)["$defs"] == {
        "ClusterSpec": closed(
            ["limits"],
            pg_hba={"type": "array", "items": {"type": "string"}},
            limits=limits,
            method={"$ref": "#/$defs/ClusterSpecMethod"},
        ),
        "ClusterSpecLimits": {"type": ["number", "string"]},
        "ClusterSpecMethod": {"enum": ["any", "first"]},
    }
