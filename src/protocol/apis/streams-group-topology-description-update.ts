import { api } from '../api';
import { array, int8, int16, int32, sentence, string, struct } from '../schema';

const TopologyDescriptionNode = {
  name: string,
  nodeType: int8,
  sourceTopics: array(string),
  sinkTopic: string.nullable().default(null),
  stores: array(string),
  successors: array(string),
};
const TopologyDescriptionSubtopology = {
  subtopologyId: string,
  nodes: array(TopologyDescriptionNode),
};
const TopologyDescriptionGlobalStore = {
  source: struct(TopologyDescriptionNode),
  processor: struct(TopologyDescriptionNode),
};
const TopologyDescription = {
  subtopologies: array(TopologyDescriptionSubtopology),
  globalStores: array(TopologyDescriptionGlobalStore),
};

/** Stores a description of a streams group's topology. */
export const StreamsGroupTopologyDescriptionUpdate = api({
  key: 93,
  name: 'StreamsGroupTopologyDescriptionUpdate',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    groupId: string,
    memberId: string,
    topologyEpoch: int32,
    topologyDescription: struct(TopologyDescription),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});
