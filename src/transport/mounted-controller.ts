import { Controller, type Type, VERSION_NEUTRAL } from '@nestjs/common';

/**
 * A controller class at paths that are known only when the module is made: a subclass with guards, filters and
 * handlers of its parent. It belongs to no version of the application's API, whatever its default version is.
 *
 * @param decorators further class decorators
 */
export function mountedAt(
  paths: readonly string[],
  controller: Type<unknown>,
  decorators: readonly ClassDecorator[],
): Type<unknown> {
  class Mounted extends (controller as Type<object>) {}
  // The name by which logs and error messages of Nest call it.
  Object.defineProperty(Mounted, 'name', { value: controller.name });
  Controller({ path: [...paths], version: VERSION_NEUTRAL })(Mounted);
  for (const decorate of decorators) decorate(Mounted);
  return Mounted;
}
