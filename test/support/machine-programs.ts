/**
 * Programs of the machine that some tests run. Where one is missing its tests are left out, so that `npm ci && npm
 * test` needs nothing but Node; BOUNDARY_MACHINE_PROGRAMS=required makes that a failure, as our CI does.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const mustBeThere = process.env['BOUNDARY_MACHINE_PROGRAMS'] === 'required';

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const canRunChromium = mustBeThere || existsSync(CHROMIUM);
export const canRunNginx =
  mustBeThere ||
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'nginx')));

/** Whether the bed can run behind this proxy here. */
export function canRunBehind(proxy: 'embedded' | 'nginx'): boolean {
  return proxy === 'embedded' || canRunNginx;
}
