/**
 * What the application that the boundary is part of has set up globally, and what that means for the boundary's
 * routes: a global prefix does not move them; global guards, interceptors and filters are Nest's rule and stay.
 */
import { RequestMethod } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';

/** Clients and tokens name these paths whole, and RFC 9728 has the metadata at the root: no prefix before them. */
export function exemptFromGlobalPrefix(application: ApplicationConfig, paths: readonly string[]): void {
  const options = application.getGlobalPrefixOptions();
  const exempt = paths.map((path) => ({
    path,
    // Nest asks with the slash that it puts between the path of a controller and the empty one of its handler.
    pathRegex: new RegExp(`^${path.replaceAll('.', '\\.')}/?$`),
    requestMethod: RequestMethod.ALL,
  }));
  application.setGlobalPrefixOptions({ ...options, exclude: [...(options.exclude ?? []), ...exempt] });
}

/** Whether code of the application sees requests of the boundary's routes, and may expect Express in them. */
export function hasGlobalEnhancers(application: ApplicationConfig): boolean {
  return (
    hasGlobalInterceptors(application) ||
    application.getGlobalGuards().length + application.getGlobalRequestGuards().length > 0
  );
}

/** Whether code of the application gets what handlers return in its hands. */
export function hasGlobalInterceptors(application: ApplicationConfig): boolean {
  return application.getGlobalInterceptors().length + application.getGlobalRequestInterceptors().length > 0;
}
