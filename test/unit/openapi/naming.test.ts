import { describe, expect, it } from 'vitest';
import { camelCase, nameFromRoute } from '../../../server/src/openapi/naming.ts';
import { isReservedName } from '../../../shared/src/surface/reservedNames.ts';

describe('names of client methods', () => {
  it.each([
    ['createMission', 'createMission'],
    ['post-payments', 'postPayments'],
    ['repos/get', 'reposGet'],
    ['get.x/y', 'getXY'],
    ['sshKeys_list', 'sshKeysList'],
    ['APIService_GetRobotSystemInfo', 'apiServiceGetRobotSystemInfo'],
    ['GetAccount', 'getAccount'],
    ['listURLs', 'listURLs'],
    ['_lambda__socket_io_get', 'lambdaSocketIoGet'],
    ['ID', 'id'],
    ['2fa-enable', '_2faEnable'],
    ['größe ändern', 'größeÄndern'],
    ['__proto__', '__proto__'],
    ['delete', 'delete'],
    ['-- ', ''],
  ])('%s -> %s', (id, name) => {
    expect(camelCase(id)).toBe(name);
  });

  it.each([
    ['GET', '/missions/{id}', 'getMissionsById'],
    ['POST', '/robots/{id}/missions', 'postRobotsByIdMissions'],
    ['POST', '/missions/{mission-id}:cancel', 'postMissionsByMissionIdCancel'],
    ['GET', '/maps/{name}.json', 'getMapsByNameJson'],
    ['GET', '/v1/2fa', 'getV12fa'],
    ['GET', '/', 'getRoot'],
  ] as const)('%s %s -> %s', (method, path, name) => {
    expect(nameFromRoute(method, path)).toBe(name);
  });

  it('reserves what would change the client object', () => {
    expect(
      ['then', 'constructor', '__proto__', 'prototype', 'toJSON', 'hasOwnProperty'].every(isReservedName),
    ).toBe(true);
    expect(['delete', 'class', 'catch', 'get'].some(isReservedName)).toBe(false);
  });
});
