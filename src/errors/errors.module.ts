import { Module } from '@nestjs/common';
import { BoundaryExceptionFilter } from './boundary-exception.filter.js';
import { RefusalWriter } from './refusal-writer.js';

@Module({
  providers: [RefusalWriter, BoundaryExceptionFilter],
  exports: [RefusalWriter, BoundaryExceptionFilter],
})
export class ErrorsModule {}
