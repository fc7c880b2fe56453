/** Writes the references under docs/ that are derived from the code: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedDocs } from './generated-docs';

for (const [file, text] of generatedDocs()) writeFileSync(join(__dirname, '../docs', file), text);
