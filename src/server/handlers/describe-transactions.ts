/** DescribeTransactions 0 (KIP-664): transactional ids that this broker coordinates. */
import { coordinatorError } from '../../group/refusals';
import { DescribeTransactions } from '../../protocol/apis/describe-transactions';
import { type DescribedTransaction, undescribed } from '../../transaction/describe';
import { distinct } from '../distinct';
import { serve } from '../handler';

export const describeTransactions = serve({
  api: DescribeTransactions,
  async handle({ transactionalIds }, _context, { transactions }) {
    const describe = async (transactionalId: string): Promise<DescribedTransaction> => {
      const answered = await transactions.coordinators.ask<DescribedTransaction>(
        transactionalId,
        (ids, ticket) => ids.describe(transactionalId, ticket),
      );
      return answered.kind === 'answered'
        ? answered.response
        : undescribed(transactionalId, coordinatorError(answered.refusal));
    };
    return { transactionStates: await Promise.all(distinct(transactionalIds).map(describe)) };
  },
});
