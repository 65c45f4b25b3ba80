/** What the application did before it had an MCP endpoint, and goes on doing. */
import { Body, Controller, Get, Post } from '@nestjs/common';

@Controller('cats')
export class CatsController {
  readonly #names: unknown[] = [];

  @Get()
  list(): { cats: unknown[] } {
    return { cats: this.#names };
  }

  @Post()
  add(@Body() { name }: { name?: unknown }): { cats: unknown[] } {
    this.#names.push(name);
    return this.list();
  }
}
