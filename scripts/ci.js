/**
 * Runs every check after `npm ci` and closes with `N passed, N failed, N skipped`.
 * A step's own closing line of that shape is added up; any other step counts as one.
 */
const { spawn, spawnSync } = require('node:child_process');

const steps = [
  ['tests', 'npm', ['test', '--silent']],
  ['lint and types', 'npm', ['run', '--silent', 'lint']],
  ['layers', 'npm', ['run', '--silent', 'layers']],
  ['package', 'npm', ['run', '--silent', 'build']],
  ['simulation', 'npm', ['run', '--silent', 'simulate', '--', '--ci']],
  ['foreign clients', 'npm', ['run', '--silent', 'compat']],
];
/** Nothing above may leave anything behind, or change what is kept. */
const treeSteps = [
  ['tree', 'git', ['diff', '--exit-code', '--stat', 'HEAD']],
  ['leftovers', 'sh', ['-c', '! git ls-files --others --exclude-standard | grep .']],
];
const closingLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

void main();

async function main() {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const isCheckout = spawnSync('git', ['rev-parse', 'HEAD']).status === 0;
  if (!isCheckout) total.skipped += treeSteps.length;
  for (const [name, command, args] of isCheckout ? [...steps, ...treeSteps] : steps) {
    process.stdout.write(`\n== ${name}: ${command} ${args.join(' ')}\n`);
    const startedAt = Date.now();
    const { exitCode, counts } = await run(command, args);
    const step = counts ?? { passed: exitCode === 0 ? 1 : 0, failed: 0, skipped: 0 };
    if (exitCode !== 0 && step.failed === 0) step.failed = 1;
    for (const key of Object.keys(total)) total[key] += step[key];
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`== ${name}: exit ${exitCode} after ${seconds} s\n`);
  }
  process.stdout.write(
    `\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`,
  );
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** Runs one step with its output shown; resolves with its exit code and last closing line. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let counts;
    let rest = '';
    child.stdout.on('data', (chunk) => {
      rest += chunk;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const match = closingLine.exec(line.trim());
        if (match) counts = toCounts(match);
        else process.stdout.write(`${line}\n`);
      }
    });
    child.on('error', () => resolve({ exitCode: 127, counts }));
    child.on('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, counts }));
  });
}

function toCounts(match) {
  return { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
}
