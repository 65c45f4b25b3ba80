/**
 * Tells, gate by gate, what became of each request: the guards themselves report, so there is no second opinion.
 * Wraps the guards of a running application; one that nobody traces has nothing of it.
 */
import type { CanActivate, ExecutionContext, INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { IncomingMessage } from 'node:http';
import { BoundaryError } from './errors/boundary-error.js';
import type { PublicCode } from './errors/catalog.js';
import { type Gate, GATES } from './transport/receive-order.js';

export interface GateStep {
  readonly gate: Pick<Gate, 'number' | 'asks'> & { readonly name: string };
  /** Undefined when the request passed. */
  readonly code: PublicCode | 'internal_error' | undefined;
  /** A stable word that narrows the code down. */
  readonly reason: string | undefined;
}

/** @param onStep called for every gate that a request reached, in order */
export function traceGates(
  app: INestApplication,
  onStep: (step: GateStep, request: IncomingMessage) => void,
): void {
  for (const module of app.get(ModulesContainer).values()) {
    for (const { instance } of module.injectables.values()) {
      const gate = GATES.find(({ guard }) => instance instanceof guard);
      if (gate !== undefined) report(instance as CanActivate, gate, onStep);
    }
  }
}

function report(
  guard: CanActivate,
  { number, asks, guard: type }: Gate,
  onStep: (step: GateStep, request: IncomingMessage) => void,
): void {
  const judge = guard.canActivate.bind(guard);
  const gate = { number, asks, name: type.name };
  guard.canActivate = async (context: ExecutionContext): Promise<boolean> => {
    const request = context.getArgByIndex<IncomingMessage>(0);
    try {
      const passed = (await judge(context)) as boolean;
      onStep({ gate, code: undefined, reason: undefined }, request);
      return passed;
    } catch (error) {
      const isOurs = error instanceof BoundaryError;
      onStep(
        {
          gate,
          code: isOurs ? error.code : 'internal_error',
          reason: isOurs ? error.facts.reason : undefined,
        },
        request,
      );
      throw error;
    }
  };
}

export interface GateInfo {
  readonly number: number;
  readonly name: string;
  readonly asks: string;
  readonly codes: readonly PublicCode[];
}

/** All gates of the MCP endpoint in their order, as data. */
export const GATE_LIST: readonly GateInfo[] = GATES.map(({ number, guard, asks, codes }) => ({
  number,
  name: guard.name,
  asks,
  codes,
}));
