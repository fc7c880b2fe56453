/** Controllers say which features they support and where they are reached (KIP-919, KIP-1312). */
import { SECURITY_PROTOCOLS } from '../metadata/brokers';
import { allows } from '../metadata/features';
import { metadataRecord } from '../metadata/metadata-record';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { ControllerRegistration } from '../protocol/apis/controller-registration';
import type { UnregisterController } from '../protocol/apis/unregister-controller';
import { Errors } from '../protocol/errors';
import { refuse } from './refusals';
import type { Outcome, View } from './view';

export function registerController(
  view: View,
  request: RequestOf<typeof ControllerRegistration>,
): Outcome<ResponseDraft<typeof ControllerRegistration>> {
  if (!allows.controllerRegistration(view.metadataVersion)) {
    refuse(
      'UNSUPPORTED_VERSION',
      'The current MetadataVersion is too old to support controller registrations.',
    );
  }
  for (const { name, securityProtocol } of request.listeners) {
    if (SECURITY_PROTOCOLS[securityProtocol] !== undefined) continue;
    const message = `Unknown security protocol ${securityProtocol} in listener ${name}`;
    refuse('INVALID_REGISTRATION', message);
  }
  const { controllerId, incarnationId, listeners: endPoints, features } = request;
  const record = metadataRecord('RegisterControllerRecord', 0, {
    controllerId,
    incarnationId,
    zkMigrationReady: false,
    endPoints,
    features,
  });
  return { records: [record], response: { errorCode: Errors.NONE, errorMessage: null } };
}

export function unregisterController(
  view: View,
  { controllerId }: RequestOf<typeof UnregisterController>,
): Outcome<ResponseDraft<typeof UnregisterController>> {
  if (!allows.controllerUnregistration(view.metadataVersion)) {
    refuse(
      'UNSUPPORTED_VERSION',
      'The current MetadataVersion is too old to support controller unregistration.',
    );
  }
  if (!view.image.controllers.has(controllerId)) {
    refuse(
      'CONTROLLER_ID_NOT_REGISTERED',
      `Controller ID ${controllerId} is not currently registered.`,
    );
  }
  return {
    records: [metadataRecord('UnregisterControllerRecord', 0, { controllerId })],
    response: { errorCode: Errors.NONE, errorMessage: null },
  };
}
