/** What a request names more than once is answered once: repeating is cheap, answers are not. */

/** The first of each, in order. */
export const distinct = <T>(all: readonly T[]): readonly T[] => [...new Set(all)];
