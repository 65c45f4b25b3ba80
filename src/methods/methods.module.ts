import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScopeCatalog } from '../auth/scope-catalog.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { InitializeMethod } from './initialize.js';
import { MethodTable } from './method-table.js';
import { NotificationMethods } from './notifications.js';
import { PingMethod } from './ping.js';
import { ResourcesListMethod } from './resources-list.js';

@Module({
  imports: [DiscoveryModule, SessionsModule],
  providers: [
    MethodTable,
    { provide: ScopeCatalog, useExisting: MethodTable },
    InitializeMethod,
    PingMethod,
    ResourcesListMethod,
    NotificationMethods,
  ],
  exports: [MethodTable, ScopeCatalog, InitializeMethod],
})
export class MethodsModule {}
