/** Which paths exist and with which methods, byte for byte. Modules add their paths at start; gate 5 asks. */
import { Injectable } from '@nestjs/common';
import { BoundaryError } from '../errors/boundary-error.js';

@Injectable()
export class RouteTable {
  readonly #methodsByPath = new Map<string, readonly string[]>();

  /**
   * @param methods in the order in which `Allow` names them
   * @throws Error when the path is there already: its module was imported twice, and would share one endpoint
   */
  add(path: string, methods: readonly string[]): void {
    if (this.#methodsByPath.has(path)) {
      throw new Error(
        `the path ${path} is there already: import BoundaryModule once, an application has one endpoint`,
      );
    }
    this.#methodsByPath.set(path, methods);
  }

  /** Refuses what does not exist: 404 `not_found`, 405 `method_not_allowed`. */
  check(method: string, path: string): void {
    const methods = this.#methodsByPath.get(path);
    if (methods === undefined) throw new BoundaryError('not_found');
    if (!methods.includes(method)) throw new BoundaryError('method_not_allowed', { allow: methods });
  }
}
