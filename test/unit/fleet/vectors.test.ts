import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import { randomStream } from '../../../shared/src/contracts/fleet/random.ts';
import { SCENARIOS } from '../../../shared/src/contracts/fleet/scenarios.ts';

const IDS = SCENARIOS.map((scenario) => scenario.id);

/** Frozen: a change here is another version of the contract. */
describe('vectors of fleet/1.0', () => {
  it('the stream', () => {
    const stream = randomStream(7, 'vector');
    expect(Array.from({ length: 12 }, () => stream.below(1_000))).toMatchInlineSnapshot(`
      [
        621,
        32,
        99,
        52,
        123,
        780,
        922,
        815,
        380,
        537,
        163,
        218,
      ]
    `);
    const large = randomStream(Number.MAX_SAFE_INTEGER, '');
    expect(Array.from({ length: 6 }, () => large.below(2 ** 32))).toMatchInlineSnapshot(`
      [
        2414971244,
        3999582891,
        2884114420,
        182679233,
        2413691413,
        1837236341,
      ]
    `);
  });

  it('one plan in full', () => {
    expect(planOf('strangers_order', 7)).toMatchInlineSnapshot(`
      {
        "commands": [
          {
            "cancel": false,
            "id": "cmd-j3dgbkq39jf2",
            "robot": "r3",
            "target": {
              "x": 3,
              "y": 6,
            },
          },
          {
            "cancel": false,
            "id": "cmd-4zmq2rmxzvnq",
            "robot": "r1",
            "target": {
              "x": 5,
              "y": 3,
            },
          },
          {
            "cancel": false,
            "id": "cmd-w6u4nqh779hu",
            "robot": "r2",
            "target": {
              "x": 6,
              "y": 0,
            },
          },
          {
            "cancel": true,
            "id": "cmd-5q2j63nsccfq",
            "robot": "r3",
            "target": {
              "x": 0,
              "y": 1,
            },
          },
        ],
        "ends": [
          {
            "command": "cmd-j3dgbkq39jf2",
            "mayBeUnresolved": false,
            "state": "done",
          },
          {
            "command": "cmd-4zmq2rmxzvnq",
            "mayBeUnresolved": false,
            "state": "done",
          },
          {
            "command": "cmd-w6u4nqh779hu",
            "mayBeUnresolved": false,
            "state": "done",
          },
          {
            "command": "cmd-5q2j63nsccfq",
            "mayBeUnresolved": false,
            "state": "cancelled",
          },
        ],
        "faults": [
          {
            "before": {
              "nth": 1,
              "operation": "createMission",
              "step": 5,
            },
            "kind": "strangersOrder",
            "resource": "r2",
            "target": {
              "x": 0,
              "y": 7,
            },
          },
          {
            "answer": "status",
            "handled": "yes",
            "kind": "call",
            "nth": 1,
            "operation": "createMission",
            "status": 503,
            "step": 5,
          },
        ],
        "scenario": "strangers_order",
        "seed": 7,
        "steps": [
          {
            "index": 0,
            "kind": "inventory",
          },
          {
            "command": "cmd-j3dgbkq39jf2",
            "index": 1,
            "kind": "dispatch",
            "times": 1,
          },
          {
            "command": "cmd-j3dgbkq39jf2",
            "index": 2,
            "kind": "wait",
            "maxPolls": null,
            "mission": 0,
          },
          {
            "command": "cmd-4zmq2rmxzvnq",
            "index": 3,
            "kind": "dispatch",
            "times": 1,
          },
          {
            "command": "cmd-4zmq2rmxzvnq",
            "index": 4,
            "kind": "wait",
            "maxPolls": null,
            "mission": 0,
          },
          {
            "command": "cmd-w6u4nqh779hu",
            "index": 5,
            "kind": "dispatch",
            "times": 1,
          },
          {
            "command": "cmd-w6u4nqh779hu",
            "index": 6,
            "kind": "wait",
            "maxPolls": 1,
            "mission": 0,
          },
          {
            "command": "cmd-w6u4nqh779hu",
            "index": 7,
            "kind": "wait",
            "maxPolls": null,
            "mission": 0,
          },
          {
            "command": "cmd-5q2j63nsccfq",
            "index": 8,
            "kind": "dispatch",
            "times": 1,
          },
          {
            "command": "cmd-5q2j63nsccfq",
            "index": 9,
            "kind": "cancel",
            "mission": 0,
          },
          {
            "command": "cmd-5q2j63nsccfq",
            "index": 10,
            "kind": "wait",
            "maxPolls": null,
            "mission": 0,
          },
          {
            "index": 11,
            "kind": "inventory",
          },
        ],
        "world": {
          "resources": [
            {
              "fields": {
                "battery": 95,
                "pose": {
                  "x": 7,
                  "y": 1,
                },
              },
              "id": "r1",
              "running": null,
              "status": "idle",
            },
            {
              "fields": {
                "battery": 85,
                "pose": {
                  "x": 2,
                  "y": 1,
                },
              },
              "id": "r2",
              "running": null,
              "status": "idle",
            },
            {
              "fields": {
                "battery": 74,
                "pose": {
                  "x": 7,
                  "y": 5,
                },
              },
              "id": "r3",
              "running": null,
              "status": "idle",
            },
          ],
        },
      }
    `);
  });

  it('all scenarios under a hundred seeds', () => {
    const hash = createHash('sha256');
    for (let seed = 0; seed < 100; seed += 1)
      for (const id of IDS) hash.update(JSON.stringify(planOf(id, seed)));
    expect(hash.digest('hex')).toMatchInlineSnapshot(
      `"ac9f7266e3df1ba7dec35de6bf7df4361ed99ae4628a669cf946019de7deaf45"`,
    );
  });
});
