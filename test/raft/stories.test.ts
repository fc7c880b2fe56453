import { join } from 'node:path';
import { QuorumStory } from '../support/quorum-story';
import { tellStories } from '../support/stories';

tellStories(join(__dirname, '../stories/quorum'), () => new QuorumStory().teller);
