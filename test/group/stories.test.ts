import { join } from 'node:path';
import { GroupStory } from '../support/group-story';
import { tellStories } from '../support/stories';

describe('groups', () => {
  tellStories(join(__dirname, '../stories/groups'), () => new GroupStory().teller);
});
