/** The settings in force of a topic's partitions on this node, under a picture. */
import type { Overrides } from '../metadata/config-resources';
import { type ConfigLayers, effectiveTopicConfig } from '../metadata/effective-configs';
import { Image } from '../metadata/image';
import { type PartitionSettings, partitionSettings } from '../replication/partition-settings';
import type { Settings } from './settings';

/** The layers that give a topic its settings here, its own first. */
function layersOf(topic: string, image: Image, settings: Settings): ConfigLayers {
  return {
    topic: image.configOf({ type: 'topic', name: topic }),
    broker: image.configOf({ type: 'broker', name: String(settings.nodeId) }),
    cluster: image.configOf({ type: 'broker', name: '' }),
    static: settings.given,
  };
}

export class TopicSettings {
  /** Most topics have no settings of their own, and share these. */
  #shared:
    | { readonly broker: Overrides; readonly cluster: Overrides; readonly of: PartitionSettings }
    | undefined;

  constructor(private readonly settings: Settings) {}

  /** Before the first picture, what the node's properties say. */
  of(topic: string, image: Image = Image.empty): PartitionSettings {
    const layers = layersOf(topic, image, this.settings);
    if (layers.topic.size > 0) return read(layers);
    const shared = this.#shared;
    if (shared?.broker === layers.broker && shared.cluster === layers.cluster) return shared.of;
    const of = read(layers);
    this.#shared = { broker: layers.broker, cluster: layers.cluster, of };
    return of;
  }
}

const read = (layers: ConfigLayers): PartitionSettings =>
  partitionSettings((name) => effectiveTopicConfig(name, layers).value ?? undefined);
