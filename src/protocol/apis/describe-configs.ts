import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string } from '../schema';

/** Reads the settings of topics, brokers, groups and client metrics (KIP-133, KIP-226). */
export const DescribeConfigs = api({
  key: 32,
  name: 'DescribeConfigs',
  versions: [0, 4],
  flexible: 4,
  served: [1, 4],
  listeners: ['broker', 'controller'],
  request: {
    resources: array({
      /** 2: topic; 4: broker; 8: its loggers; 16: client metrics; 32: group. */
      resourceType: int8,
      resourceName: string,
      /** Null: all of them. */
      configurationKeys: array(string).nullable(),
    }),
    includeSynonyms: bool.since(1).default(false),
    includeDocumentation: bool.since(3).default(false),
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      errorCode: int16,
      errorMessage: sentence.nullable(),
      resourceType: int8,
      resourceName: string,
      configs: array({
        name: string,
        value: string.nullable(),
        readOnly: bool,
        isDefault: bool.until(0),
        configSource: int8.since(1).default(-1).ignorable(),
        isSensitive: bool,
        synonyms: array({
          name: string,
          value: string.nullable(),
          source: int8,
        })
          .since(1)
          .ignorable(),
        configType: int8.since(3).default(0).ignorable(),
        documentation: string.nullable().since(3).ignorable(),
      }),
    }),
  },
  refuse: ({ resources }, errorCode, _version, message) => ({
    results: resources.map(({ resourceType, resourceName }) => ({
      errorCode,
      errorMessage: message,
      resourceType,
      resourceName,
      configs: [],
    })),
  }),
});
