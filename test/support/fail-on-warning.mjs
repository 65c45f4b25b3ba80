/**
 * Ends the process with code 97 at the first Node warning, whatever it is about, when the mode says so (see
 * modes.mjs). Loaded before everything else: `node --import`, or the first import.
 */
if (process.env.BOUNDARY_TEST_FAIL_ON_WARNING === '1') {
  process.on('warning', (warning) => {
    process.stderr.write(`a warning is a failure in this mode: ${warning.stack}\n`);
    process.exit(97);
  });
}
