/** Who may do what, kept as data: ACLs, SCRAM credentials, delegation tokens, client quotas. */
import type { Uuid } from '../base/ids';
import type { UnknownTag } from '../protocol/schema';

/** Numbers are those of Kafka's ResourceType, PatternType, AclOperation, AclPermissionType. */
export interface Acl {
  readonly id: Uuid;
  readonly resourceType: number;
  readonly resourceName: string;
  readonly patternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** RFC 5802; `mechanism` 1 = SCRAM-SHA-256, 2 = SCRAM-SHA-512. */
export interface ScramCredential {
  readonly user: string;
  readonly mechanism: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
  readonly iterations: number;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** Principals as `Type:name`; times are wall milliseconds. */
export interface DelegationToken {
  readonly tokenId: string;
  readonly owner: string;
  readonly requester: string;
  readonly renewers: readonly string[];
  readonly issueTimestampMs: bigint;
  readonly maxTimestampMs: bigint;
  readonly expirationTimestampMs: bigint;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** One part of a quota's entity; a null name is the default of its type. */
export interface QuotaEntityPart {
  /** `user`, `client-id` or `ip`. */
  readonly type: string;
  readonly name: string | null;
}

/** The limits of one entity, by quota name. */
export interface ClientQuota {
  readonly entity: readonly QuotaEntityPart[];
  readonly limits: ReadonlyMap<string, number>;
}

export const scramKey = (mechanism: number, user: string): string => `${mechanism}:${user}`;

/** The same for every order of an entity's parts. */
export function quotaKey(entity: readonly QuotaEntityPart[]): string {
  const parts = entity.map((part) => [part.type, part.name] as const);
  parts.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  return JSON.stringify(parts);
}
