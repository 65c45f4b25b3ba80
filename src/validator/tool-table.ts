/**
 * The tools a session knows, by name, with compiled schemas; bounded in number and in the text of their schemas.
 * Once something had to be left out, an unknown name proves nothing any more.
 */

import { LIMITS } from './limits.js';
import type { CompiledSchema } from './schema-dialect.js';

export interface KnownTool {
  readonly name: string;
  /** Undefined when this profile cannot judge the schema. */
  readonly input: CompiledSchema | undefined;
  /** `none`: the tool has no outputSchema; undefined: it has one that this profile cannot judge. */
  readonly output: CompiledSchema | 'none' | undefined;
  readonly taskSupport: 'forbidden' | 'optional' | 'required';
  /** Length of the schemas as JSON text. */
  readonly characters: number;
}

export class ToolTable {
  /** Whether a tool that is not here does not exist. A fixture says so; a transcript knows after the last page. */
  isComplete = false;
  private readonly tools = new Map<string, KnownTool>();
  private characters = 0;
  private hasForgotten = false;

  get(name: string): KnownTool | undefined {
    return this.tools.get(name);
  }

  /** Whether a call of this name is certainly of a tool that does not exist. */
  isUnknown(name: string): boolean {
    return this.isComplete && !this.hasForgotten && !this.tools.has(name);
  }

  set(tool: KnownTool): void {
    this.characters -= this.tools.get(tool.name)?.characters ?? 0;
    this.tools.delete(tool.name);
    if (this.tools.size >= LIMITS.tools || this.characters + tool.characters > LIMITS.toolCharacters) {
      this.hasForgotten = true;
      return;
    }
    this.tools.set(tool.name, tool);
    this.characters += tool.characters;
  }

  clear(): void {
    this.tools.clear();
    this.characters = 0;
    this.hasForgotten = false;
    this.isComplete = false;
  }
}
