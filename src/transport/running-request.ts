/** A request whose method runs: the context that the method gets, and the handle that can stop it. */
import type { Principal } from '../exchange/principal.js';
import type { Session } from '../exchange/session.js';
import type { MethodContext } from '../methods/mcp-method.js';
import type { Cancellable } from '../sessions/session.service.js';

export class RunningRequest implements MethodContext, Cancellable {
  #isCancelled = false;
  #controller: AbortController | undefined;

  constructor(
    readonly principal: Principal,
    readonly session: Session,
  ) {}

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Made when a method first looks at it: most methods never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }
}
