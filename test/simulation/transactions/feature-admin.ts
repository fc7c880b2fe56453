/** A simulated administrator who raises and lowers `transaction.version` while clients work. */
import type { Platform } from '../../../src/platform/platform';
import { UpdateFeatures } from '../../../src/protocol/apis';
import { Errors } from '../../../src/protocol/errors';
import { FinishingClient } from '../clients/client';
import { type ClusterView, expectNone, TryAgain } from '../clients/cluster-view';

const FEATURE = 'transaction.version';
const LEVELS = 3;
const UPGRADE = 1;
const SAFE_DOWNGRADE = 2;

export class FeatureAdmin extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #maxPauseMs: number;
  #level = 2;

  constructor(platform: Platform, cluster: ClusterView, maxPauseMs: number) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#maxPauseMs = maxPauseMs;
  }

  async run(): Promise<void> {
    const { clock, random } = this.#platform;
    while (!this.isFinishing) {
      await clock.sleep(random.below(this.#maxPauseMs));
      await this.#setLevel(random.below(LEVELS));
    }
    this.rest();
  }

  async #setLevel(level: number): Promise<void> {
    let upgradeType = level < this.#level ? SAFE_DOWNGRADE : UPGRADE;
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(UpdateFeatures, 1, {
        timeoutMs: 5000,
        featureUpdates: [{ feature: FEATURE, maxVersionLevel: level, upgradeType }],
      });
      // While its disk fails the controller is not sure of what every node can do. Or an attempt
      // that was given up was carried out late: then it is the other way from there.
      if (answer.errorCode === Errors.INVALID_UPDATE_VERSION) {
        upgradeType = upgradeType === UPGRADE ? SAFE_DOWNGRADE : UPGRADE;
        throw new TryAgain(answer.errorMessage ?? 'not every node is known');
      }
      expectNone(answer.errorCode, 'UpdateFeatures');
    });
    this.#level = level;
  }
}
