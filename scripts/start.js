/** `npm start [-- options]`: builds, and runs a broker in this very process: signals reach it. */
require('./build');

process.argv.splice(2, 0, 'start', '--data', './ottla-data');
require('../dist/ottla.js');
