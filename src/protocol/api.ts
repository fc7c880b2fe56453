/** An API: its number, versions and who serves it, and its two messages. */
import { invariant } from '../base/invariant';
import type { Shape, StructIn, StructOut } from './schema';

/** A closed range of versions. */
export type Versions = readonly [first: number, last: number];

/**
 * One message (request, response, record, header, file content) in all its versions. `Out` is
 * what decoding yields, `In` what encoding takes.
 */
export interface Message<Out, In> {
  readonly name: string;
  readonly versions: Versions;
  /** The first version with compact lengths and tagged fields; Infinity if none. */
  readonly flexibleSince: number;
  readonly shape: Shape;
  /** Whether tagged fields this build does not know survive decoding and encoding. */
  readonly keepsUnknownTags: boolean;
  /** Carries types only; never there at run time. */
  readonly types?: { readonly out: Out; readonly in: In };
}

export type AnyMessage = Message<unknown, unknown>;

/** What decoding the message yields: every field, whatever the version. */
export type MessageOf<M extends AnyMessage> = NonNullable<M['types']>['out'];
/** What encoding the message takes: fields with a default may be left out. */
export type MessageDraft<M extends AnyMessage> = NonNullable<M['types']>['in'];

/** Defines a message that is no request or response. It keeps unknown tagged fields. */
export function message<const S extends Shape>(definition: {
  readonly name: string;
  readonly versions: Versions;
  readonly flexible: number | 'never';
  readonly fields: S;
  /** Passes over unknown tagged fields instead. */
  readonly dropsUnknownTags?: true;
}): Message<StructOut<S>, StructIn<S>> {
  return {
    name: definition.name,
    versions: definition.versions,
    flexibleSince: flexibleSince(definition.flexible),
    shape: definition.fields,
    keepsUnknownTags: definition.dropsUnknownTags !== true,
  };
}

/** The kind of node that serves an API on its listeners. */
export type ApiListener = 'broker' | 'controller';

/** An API as it is defined in apis/. */
export interface ApiDefinition<Req extends Shape, Res extends Shape> {
  readonly key: number;
  readonly name: string;
  /** Every version there ever was, served or not; the same for request and response. */
  readonly versions: Versions;
  /** The first version with compact lengths and tagged fields. */
  readonly flexible: number | 'never';
  /** The stable versions that Kafka 4.4 serves. */
  readonly served: Versions;
  readonly listeners: readonly ApiListener[];
  /** A broker hands it to the active controller (as an Envelope). */
  readonly isForwardable?: true;
  /** Only for principals with ClusterAction on the cluster. */
  readonly isClusterAction?: true;
  readonly request: Req;
  readonly response: Res;
  /**
   * The whole answer that refuses a request: each thing asked about gets the error code (an
   * answer with one error code at its top gets that, as in Kafka).
   */
  readonly refuse: (
    request: StructOut<Req>,
    errorCode: number,
    version: number,
    message: string | null,
  ) => StructIn<Res>;
}

/** An API in use. Req and Res are its decoded messages, the drafts what encoding them takes. */
export interface Api<Req, ReqDraft, Res, ResDraft> {
  readonly key: number;
  readonly name: string;
  readonly versions: Versions;
  readonly flexibleSince: number;
  readonly served: Versions;
  readonly listeners: readonly ApiListener[];
  readonly isForwardable: boolean;
  readonly isClusterAction: boolean;
  readonly request: Message<Req, ReqDraft>;
  readonly response: Message<Res, ResDraft>;
  /**
   * The whole answer that refuses `request` (which came as `version`) with `errorCode`; `message`
   * stands wherever the answer has room for a text.
   */
  refuse(request: Req, errorCode: number, version: number, message?: string | null): ResDraft;
}

/** Any API, for code that serves them all alike. */
export type AnyApi = Api<unknown, unknown, unknown, unknown>;

type Types<A extends AnyApi, Side extends 'request' | 'response'> = NonNullable<A[Side]['types']>;

/** A decoded request: every field, whatever the version. */
export type RequestOf<A extends AnyApi> = Types<A, 'request'>['out'];
/** What encoding a request takes: fields with a default may be left out. */
export type RequestDraft<A extends AnyApi> = Types<A, 'request'>['in'];
/** A decoded response: every field, whatever the version. */
export type ResponseOf<A extends AnyApi> = Types<A, 'response'>['out'];
/** What a handler builds: fields with a default (throttle time, …) may be left out. */
export type ResponseDraft<A extends AnyApi> = Types<A, 'response'>['in'];

/** Defines an API. */
export function api<const Req extends Shape, const Res extends Shape>(
  definition: ApiDefinition<Req, Res>,
): Api<StructOut<Req>, StructIn<Req>, StructOut<Res>, StructIn<Res>> {
  const { key, name, versions, served, listeners, refuse } = definition;
  invariant(served[0] >= versions[0] && served[1] <= versions[1], `${name} serves what it lacks`);
  const side = { versions, flexibleSince: flexibleSince(definition.flexible) };
  return {
    key,
    name,
    ...side,
    served,
    listeners,
    isForwardable: definition.isForwardable === true,
    isClusterAction: definition.isClusterAction === true,
    request: {
      ...side,
      name: `${name}Request`,
      shape: definition.request,
      keepsUnknownTags: false,
    },
    response: {
      ...side,
      name: `${name}Response`,
      shape: definition.response,
      keepsUnknownTags: false,
    },
    refuse: (request, errorCode, version, message = null) =>
      refuse(request, errorCode, version, message),
  };
}

const flexibleSince = (flexible: number | 'never'): number =>
  flexible === 'never' ? Number.POSITIVE_INFINITY : flexible;
