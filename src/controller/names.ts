/** What a topic may be called. */

/** Files are named after topics, and file systems stop at 255 characters. */
const LONGEST_NAME = 249;

/** Why the name is none for a topic, in Kafka's words; `undefined` if it is one. */
export function topicNameProblem(name: string): string | undefined {
  const why = problemOf(name);
  return why === undefined ? undefined : `Topic name is invalid: ${why}`;
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'the empty string is not allowed';
  if (name === '.' || name === '..') return `'${name}' is not allowed`;
  if (name.length > LONGEST_NAME) {
    return `the length of '${name}' is longer than the max allowed length ${LONGEST_NAME}`;
  }
  if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
    return (
      `'${name}' contains one or more characters other than ` +
      "ASCII alphanumerics, '.', '_' and '-'"
    );
  }
  return undefined;
}
