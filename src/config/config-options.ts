import type { Clock } from './clock.js';
import type { BoundarySettings, SettingsInput } from './settings.js';

/** Injection token of the options of `BoundaryModule`, checked; each module reads its own part of them. */
export const BOUNDARY_OPTIONS = Symbol('BOUNDARY_OPTIONS');

export interface ConfigOptions {
  /** Limits and addresses; what is left out has the default of its profile (`loopback`, or `service`). */
  readonly settings?: SettingsInput;
  /** What the boundary takes time from; default: the system's. */
  readonly clock?: Clock;
}

/** The same after the check at start. */
export interface CheckedConfigOptions {
  readonly settings: BoundarySettings;
  readonly clock?: Clock;
  /** Path of the MCP endpoint, whole, as clients see it. */
  readonly path: string;
}
