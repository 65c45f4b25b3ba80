/** A profile is a set of defaults: loopback has the contract's numbers, service its own, and what is given wins. */
import { expect, test } from '@jest/globals';
import { settingsFrom, settingsFromEnvironment } from '../../../src/config/environment.js';
import { settingDescriptors } from '../../../src/config/setting.js';

test('loopback is the default, with the numbers of the contract', () => {
  expect(settingsFromEnvironment({})).toMatchObject({
    profile: 'loopback',
    maxConcurrentRequests: 64,
    maxPendingBodies: 256,
    maxConnections: 1024,
    maxBodyBytes: 16_384,
    maxResponseBytes: 65_536,
    bodyTimeoutMs: 2000,
    maxSessions: 8,
    sessionTtlSeconds: 60,
    sessionExpiry: 'fixed',
    maxEventsPerSession: 16,
  });
});

test('service has every default that its declarations name, each within its own bounds', () => {
  const named = settingDescriptors().filter(({ service }) => service !== undefined);
  expect(named.length).toBeGreaterThan(10);
  const service = settingsFromEnvironment({ MCP_PROFILE: 'service' });
  const loopback = settingsFrom();
  for (const { property, service: value } of named) {
    const key = property as keyof typeof service;
    expect([property, service[key]]).toEqual([property, value]);
    expect([property, service[key] === loopback[key]]).toEqual([property, false]);
  }
  expect(settingsFrom({ profile: 'service' })).toEqual(service);
});

test('a setting that is given wins, also when it is the default of the other profile', () => {
  const settings = settingsFromEnvironment({
    MCP_PROFILE: 'service',
    MCP_MAX_SESSIONS: '8',
    MCP_SESSION_EXPIRY: 'fixed',
  });
  expect(settings).toMatchObject({ maxSessions: 8, sessionExpiry: 'fixed', maxSessionsPerSubject: 32 });
  expect(settingsFrom(settings)).toEqual(settings);
});

test('an unknown profile is one problem beside the others', () => {
  expect(() => settingsFromEnvironment({ MCP_PROFILE: 'big', MCP_MAX_SESSIONS: '0' })).toThrow(
    /2 setting\(s\)[^]*MCP_PROFILE must be one of loopback, service[^]*MCP_MAX_SESSIONS/,
  );
});
