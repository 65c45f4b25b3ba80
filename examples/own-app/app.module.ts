import { Module } from '@nestjs/common';
import { BoundaryModule, type SettingsInput } from 'nest-mcp-boundary';
import { CatsController } from './cats.controller.js';
import { NoteMethods } from './note-methods.js';
import { UserDatabase } from './user-database.js';
import { UserTokenPolicy } from './user-token-policy.js';

export const SETTINGS: SettingsInput = { profile: 'service', resourceName: 'Notes' };

@Module({ providers: [UserDatabase, UserTokenPolicy], exports: [UserDatabase, UserTokenPolicy] })
class UsersModule {}

@Module({
  imports: [
    UsersModule,
    BoundaryModule.forRootAsync({
      path: '/api/mcp',
      imports: [UsersModule],
      inject: [UserTokenPolicy],
      useFactory: (tokenPolicy: UserTokenPolicy) => ({ tokenPolicy, settings: SETTINGS }),
    }),
  ],
  controllers: [CatsController],
  providers: [NoteMethods],
})
export class AppModule {}
