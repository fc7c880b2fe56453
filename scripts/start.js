/** `npm start [-- options]`: builds, and runs a broker that stops with npm. */
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

execFileSync(process.execPath, [join(__dirname, 'build.js')], { stdio: 'inherit' });
process.argv.splice(2, 0, 'start', '--data', './ottla-data');
require('../dist/ottla.js');

// A signal to npm reaches only the shell between npm and this process, which then has no parent.
const { ppid } = process;
const watch = setInterval(() => {
  if (process.ppid === ppid) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 250);
watch.unref();
