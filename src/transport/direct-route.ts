import { SetMetadata } from '@nestjs/common';

const DIRECT_ROUTE = 'nest-mcp-boundary.direct-route';

/** Marks a handler of the boundary, whose requests the BoundaryExpressAdapter takes past Express. */
export function DirectRoute(): MethodDecorator {
  return SetMetadata(DIRECT_ROUTE, true);
}

/** @param handler as Nest gives it to the HTTP adapter: it bears the metadata of the handler behind it */
export function isDirectRoute(handler: object): boolean {
  return Reflect.getMetadata(DIRECT_ROUTE, handler) === true;
}
