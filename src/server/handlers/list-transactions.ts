/**
 * ListTransactions 0–2 (KIP-664): transactional ids that this broker coordinates; from version 1 on
 * only those open for long (KIP-994), 2 only those of a pattern.
 */
import { coordinatorError } from '../../group/refusals';
import { ListTransactions } from '../../protocol/apis/list-transactions';
import { Errors } from '../../protocol/errors';
import type { ListedTransaction, ListFilter } from '../../transaction/describe';
import { STATUSES } from '../../transaction/transaction';
import { serve } from '../handler';
import { compilePattern } from '../patterns';

const KNOWN_STATES: ReadonlySet<string> = new Set(STATUSES);

export const listTransactions = serve({
  api: ListTransactions,
  async handle(request, { apiVersion }, { transactions }) {
    const { stateFilters, producerIdFilters, durationFilter, transactionalIdPattern } = request;
    const filter: ListFilter = {
      statuses: new Set(stateFilters),
      producerIds: new Set(producerIdFilters),
      durationMs: durationFilter,
      matches: transactionalIdPattern ? compilePattern(transactionalIdPattern) : undefined,
    };
    const answers = await transactions.coordinators.askAll<readonly ListedTransaction[]>(
      (ids, ticket, now) => ids.list(filter, ticket, now),
    );
    const transactionStates: ListedTransaction[] = [];
    for (const answered of answers) {
      if (answered.kind === 'answered') {
        transactionStates.push(...answered.response);
        continue;
      }
      // Ids that went elsewhere meanwhile are listed there.
      const code = coordinatorError(answered.refusal);
      if (code !== Errors.NOT_COORDINATOR)
        return ListTransactions.refuse(request, code, apiVersion);
    }
    const unknownStateFilters = stateFilters.filter((state) => !KNOWN_STATES.has(state));
    return { errorCode: Errors.NONE, unknownStateFilters, transactionStates };
  },
});
