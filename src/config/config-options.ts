import type { Clock } from './clock.js';
import type { SettingsInput } from './settings.js';

/** Injection token of the options that `BoundaryModule` got; each module reads its own part of them. */
export const BOUNDARY_OPTIONS = Symbol('BOUNDARY_OPTIONS');

export interface ConfigOptions {
  /** Limits and addresses; what is left out has the default of the `loopback` profile. */
  readonly settings?: SettingsInput;
  readonly clock?: Clock;
}
