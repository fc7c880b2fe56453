/** A voter that forgets whom it has voted for, at once and on its disk. */
import { MetadataFolder } from '../../../src/raft/metadata-folder';
import { Raft } from '../../../src/raft/raft';
import { type Plant, patch } from './plant';

export const votesTwice: Plant = {
  name: 'votes-twice',
  nodes: 3,
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
