/** A jest reporter that closes with one plain line: `N passed, N failed, N skipped`. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const broken = results.testResults.filter((file) => file.testExecError).length;
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + broken;
    const skipped = results.numPendingTests + results.numTodoTests;
    // Other reporters have their say first.
    process.once('exit', () => {
      process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
};
