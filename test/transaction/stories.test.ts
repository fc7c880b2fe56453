import { join } from 'node:path';
import { tellStories } from '../support/stories';
import { TransactionStory } from '../support/transaction-story';

describe('transactions', () => {
  tellStories(join(__dirname, '../stories/transactions'), () => new TransactionStory().teller);
});
