/** Blocks of producer ids (KIP-730): given out once, never again. */
import { metadataRecord } from '../metadata/metadata-record';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { AllocateProducerIds } from '../protocol/apis/allocate-producer-ids';
import { Errors } from '../protocol/errors';
import { checkBrokerEpoch } from './brokers';
import type { Outcome, View } from './view';

const PRODUCER_ID_BLOCK = 1000;

export function allocateProducerIds(
  view: View,
  { brokerId, brokerEpoch }: RequestOf<typeof AllocateProducerIds>,
): Outcome<ResponseDraft<typeof AllocateProducerIds>> {
  checkBrokerEpoch(view, brokerId, brokerEpoch);
  const producerIdStart = view.image.nextProducerId;
  const nextProducerId = producerIdStart + PRODUCER_ID_BLOCK;
  return {
    records: [metadataRecord('ProducerIdsRecord', 0, { brokerId, brokerEpoch, nextProducerId })],
    response: { errorCode: Errors.NONE, producerIdStart, producerIdLen: PRODUCER_ID_BLOCK },
  };
}
