/**
 * What the asker may do with a resource, as the bits of Kafka's AclOperation. Without an authorizer
 * everyone may do everything the resource allows.
 */

const OPERATIONS = {
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  clusterAction: 9,
  describeConfigs: 10,
  alterConfigs: 11,
  idempotentWrite: 12,
} as const;

type Operation = keyof typeof OPERATIONS;

const bits = (...operations: readonly Operation[]): number =>
  operations.reduce((all, operation) => all | (1 << OPERATIONS[operation]), 0);

export const ALL_TOPIC_OPERATIONS = bits(
  'read',
  'write',
  'create',
  'describe',
  'delete',
  'alter',
  'describeConfigs',
  'alterConfigs',
);

export const ALL_CLUSTER_OPERATIONS = bits(
  'create',
  'clusterAction',
  'describeConfigs',
  'alterConfigs',
  'idempotentWrite',
  'alter',
  'describe',
);
