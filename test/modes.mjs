/**
 * `npm run test:modes`: the HTTP and command line tests against the built code, four times: as it is, in
 * production, with every Node warning and deprecation turned into a failure, and with both. The flags go to the
 * processes of the product; jest's own warnings are not its.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['test/http', 'test/cli'];
const MODE_TIMEOUT_MS = 20 * 60 * 1000;

const PRODUCTION = { NODE_ENV: 'production' };
const STRICT = {
  BOUNDARY_TEST_NODE_FLAGS: '--throw-deprecation --pending-deprecation --trace-warnings',
  BOUNDARY_TEST_FAIL_ON_WARNING: '1',
};
const MODES = [
  ['built code', {}],
  ['built code, NODE_ENV=production', PRODUCTION],
  ['built code, every warning is a failure', STRICT],
  ['built code, NODE_ENV=production, every warning is a failure', { ...PRODUCTION, ...STRICT }],
];

/** Runs jest on the folders; gives what went wrong, or undefined. */
function problemOf(mode, report) {
  const { NODE_ENV: _ours, NODE_OPTIONS: _theirs, ...environment } = process.env;
  const jest = [
    '--experimental-vm-modules',
    '--no-warnings=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
  ];
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    [...jest, ...FOLDERS, '--json', `--outputFile=${report}`],
    {
      cwd: PROJECT,
      env: { ...environment, BOUNDARY_TEST_SERVER: 'built', ...mode },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: MODE_TIMEOUT_MS,
    },
  );
  return status === 0 ? undefined : `${stderr}\njest ended with ${signal ?? status}`;
}

function run([name, mode], directory) {
  const report = join(directory, 'report.json');
  rmSync(report, { force: true });
  const begun = Date.now();
  const problem = problemOf(mode, report);
  const seconds = Math.round((Date.now() - begun) / 1000);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.stdout.write(`FAIL  ${name} (${seconds} s)\n`);
    return false;
  }
  const { numPassedTests, numTotalTests, numPassedTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  // A pattern that finds nothing must not pass for a mode in which all is well.
  const isWhole = numTotalTests > 0 && numPassedTests === numTotalTests;
  const counts = `${numPassedTests} of ${numTotalTests} tests in ${numPassedTestSuites} files`;
  process.stdout.write(`${isWhole ? 'ok  ' : 'FAIL'}  ${name}: ${counts} (${seconds} s)\n`);
  return isWhole;
}

const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: PROJECT, stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
const directory = mkdtempSync(join(tmpdir(), 'boundary-modes-'));
try {
  const passed = MODES.map((mode) => run(mode, directory));
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
