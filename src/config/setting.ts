/**
 * How one setting is declared: environment name, bounds and one sentence beside the default, on a property.
 * The declaration feeds three readers: class-validator (bounds), the environment reader (names and types)
 * and the README table (a test keeps the two equal).
 */
import { IsBoolean, IsIn, IsInt, Max, Min, ValidateBy, ValidateIf } from 'class-validator';

export type SettingKind = 'integer' | 'text' | 'list' | 'choice' | 'flag';

export interface SettingDescriptor {
  readonly property: string;
  readonly env: string;
  readonly kind: SettingKind;
  /** What is allowed, as a person would say it. */
  readonly bounds: string;
  readonly about: string;
  /** Default of the `service` profile, where it is another one than the property's own (`loopback`). */
  readonly service: number | string | undefined;
}

const descriptors: SettingDescriptor[] = [];

/** Every declared setting, in the order of declaration. */
export function settingDescriptors(): readonly SettingDescriptor[] {
  return descriptors;
}

function declare(
  kind: SettingKind,
  env: string,
  bounds: string,
  about: string,
  rules: readonly PropertyDecorator[],
  service?: number | string,
): PropertyDecorator {
  return (target, property) => {
    for (const rule of rules) rule(target, property);
    descriptors.push({ property: String(property), env, kind, bounds, about, service });
  };
}

/** @param profiles other defaults than the property's own */
export function IntegerSetting(
  env: string,
  min: number,
  max: number,
  about: string,
  profiles: { readonly service?: number } = {},
): PropertyDecorator {
  const bounds = `a whole number from ${min} to ${max}`;
  const message = `must be ${bounds}`;
  const rules = [IsInt({ message }), Min(min, { message }), Max(max, { message })];
  return declare('integer', env, bounds, about, rules, profiles.service);
}

/**
 * Lets in what the contract refuses, for one kind of client; off unless it is asked for.
 *
 * @param about what it opens; the start says so in the log while the flag is on
 */
export function FlagSetting(env: string, about: string): PropertyDecorator {
  const bounds = 'true or false';
  return declare('flag', env, bounds, about, [IsBoolean({ message: `must be ${bounds}` })]);
}

/** @param profiles other defaults than the property's own */
export function ChoiceSetting(
  env: string,
  choices: readonly string[],
  about: string,
  profiles: { readonly service?: string } = {},
): PropertyDecorator {
  const bounds = `one of ${choices.join(', ')}`;
  const rules = [
    ValidateIf((_object, value) => value !== undefined),
    IsIn([...choices], { message: `must be ${bounds}` }),
  ];
  return declare('choice', env, bounds, about, rules, profiles.service);
}

export function TextSetting(
  env: string,
  bounds: string,
  isValid: (value: string) => boolean,
  about: string,
): PropertyDecorator {
  return declare('text', env, bounds, about, [
    ValidateIf((_object, value) => value !== undefined),
    ValidateBy(
      { name: 'isText', validator: { validate: (value) => typeof value === 'string' && isValid(value) } },
      { message: `must be ${bounds}` },
    ),
  ]);
}

export function ListSetting(
  env: string,
  bounds: string,
  isValid: (items: readonly string[]) => boolean,
  about: string,
): PropertyDecorator {
  return declare('list', env, bounds, about, [
    ValidateBy(
      {
        name: 'isList',
        validator: {
          validate: (value) =>
            Array.isArray(value) && value.every((item) => typeof item === 'string') && isValid(value),
        },
      },
      { message: `must be ${bounds}` },
    ),
  ]);
}
