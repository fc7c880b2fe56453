/** Which versions followers speak to their leaders: fixed by `metadata.version`, as in Kafka. */

/** Of Fetch (topic ids throughout). */
export function fetchVersion(metadataVersion: number): number {
  if (metadataVersion >= 27) return 18;
  if (metadataVersion >= 21) return 17;
  if (metadataVersion >= 19) return 16;
  if (metadataVersion >= 10) return 15;
  return metadataVersion >= 9 ? 14 : 13;
}

export function listOffsetsVersion(metadataVersion: number): number {
  if (metadataVersion >= 29) return 11;
  if (metadataVersion >= 25) return 10;
  if (metadataVersion >= 21) return 9;
  return metadataVersion >= 9 ? 8 : 7;
}
