/** A voter that forgets whom it has voted for, at once and on its disk. */
import { MetadataFolder } from '../../../src/raft/metadata-folder';
import { Raft } from '../../../src/raft/raft';
import { plainShape } from '../world/shape';
import { type Plant, patch } from './plant';
import { quiet } from './quiet';

export const votesTwice: Plant = {
  name: 'votes-twice',
  nodes: 5,
  // Five voters that elect all the time, and little else.
  tailor: (scenario) => ({
    ...quiet(scenario),
    safetyMs: 60_000,
    meanFaultGapMs: 500,
    shape: { ...plainShape(5), replicationFactor: 1 },
  }),
  plant: () => {
    const undo = [
      patch(
        Raft.prototype,
        'request',
        (request) =>
          function (this: Raft, ticket, asked, nowMs) {
            if (asked.kind === 'vote' && 'voted' in this.role) {
              Object.assign(this.role, { voted: undefined });
            }
            request.call(this, ticket, asked, nowMs);
          },
      ),
      patch(
        MetadataFolder.prototype,
        'writeVote',
        (writeVote) =>
          function (this: MetadataFolder, state) {
            return writeVote.call(this, { ...state, voted: undefined });
          },
      ),
    ];
    return () => {
      for (const one of undo) one();
    };
  },
};
