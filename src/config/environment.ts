/**
 * Environment → frozen settings, or one error that lists every problem. The environment comes in as an
 * argument; only the entry points know the process.
 */
import { validateSync } from 'class-validator';
import { settingDescriptors } from './setting.js';
import { BoundarySettings, type SettingsInput } from './settings.js';
import { SettingsError } from './settings-error.js';

const PREFIX = 'MCP_';
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
/** Two words and no others: `1`, `yes` or `TRUE` might mean anything to whoever wrote it. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Reads the `MCP_…` variables. An unknown name is a problem: a misspelt limit must not be silently off. */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): BoundarySettings {
  const byEnv = new Map(settingDescriptors().map((descriptor) => [descriptor.env, descriptor]));
  const input: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of Object.keys(environment).toSorted()) {
    const value = environment[name];
    if (!name.startsWith(PREFIX) || value === undefined) continue;
    const descriptor = byEnv.get(name);
    if (descriptor === undefined) {
      problems.push(`${name} is not a setting`);
    } else if (descriptor.kind === 'integer') {
      input[descriptor.property] = WHOLE_NUMBER.test(value) ? Number(value) : value;
    } else if (descriptor.kind === 'flag') {
      input[descriptor.property] = FLAGS.get(value) ?? value;
    } else if (descriptor.kind === 'list') {
      input[descriptor.property] = value.split(',').map((item) => item.trim());
    } else {
      input[descriptor.property] = value;
    }
  }
  return checkedSettings(input, problems);
}

/** Settings given in code, checked alike. */
export function settingsFrom(input: SettingsInput = {}): BoundarySettings {
  return checkedSettings({ ...input }, []);
}

function serviceDefaults(): Record<string, unknown> {
  return Object.fromEntries(
    settingDescriptors()
      .filter(({ service }) => service !== undefined)
      .map(({ property, service }) => [property, service]),
  );
}

function checkedSettings(input: Record<string, unknown>, problems: string[]): BoundarySettings {
  const settings = new BoundarySettings();
  if (input['profile'] === 'service') Object.assign(settings, serviceDefaults());
  const byProperty = new Map(settingDescriptors().map((descriptor) => [descriptor.property, descriptor]));
  for (const [property, value] of Object.entries(input)) {
    if (!byProperty.has(property)) problems.push(`${property} is not a setting`);
    else if (value !== undefined) Object.assign(settings, { [property]: value });
  }
  for (const { property, constraints } of validateSync(settings, {
    validationError: { target: false, value: false },
  })) {
    const [message] = Object.values(constraints ?? {});
    problems.push(`${byProperty.get(property)?.env ?? property} ${message ?? 'is not valid'}`);
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(settings);
}
