/**
 * What is measured on: one document, and the same small adapter twice, once for our client and once for openapi-fetch with
 * the types that openapi-typescript makes of the whole document. The latter calls by path (`client['/robots'].GET()`): inside
 * `client.GET('')` TypeScript offers nothing where the document is large.
 */
import { existsSync, readFileSync } from 'node:fs';
import { root } from '../../../scripts/lib/setup.mjs';

const FLEET = `${root}examples/fleet/`;
/** Real documents that lie beside the repository, where they do. */
const GITHUB = `${root}../shared/corpus/documents/github-rest.json`;

/** A place that a key changes, in both adapters. */
export const KEY = { search: 'const PAUSE_MS = 250', typed: 'const PAUSE_MS = 2500' };
/** A line that stands in the finished adapters, where the unfinished ones have the call that is being written. */
export const REST = '// The rest of the list is not needed.';

/**
 * @typedef {object} Side
 * @property {string} text the adapter, without an error
 * @property {string} unfinished what stands in place of REST while a call is being written
 * @property {string} caret where completion is asked for: behind these words of `unfinished`
 * @property {string[]} labels what completion has to offer, among others
 */

/** @returns {{name: string, document: string, grant: string, client: string, ours: Side, theirs: Side}[]} */
export function subjects() {
  return [fleet(), ...(existsSync(GITHUB) ? [github()] : [])];
}

function fleet() {
  return {
    name: 'fleet (8 operations)',
    document: `${FLEET}vendor.openapi.yaml`,
    grant: readFileSync(`${FLEET}fleet.grant`, 'utf8'),
    client: 'fleet',
    ours: ours('fleet', ['listRobots', 'createMission'], {
      list: '(await fleet.listRobots()).robots',
      id: 'id',
      create: 'fleet.createMission(robotId, { target, command_id: commandId })',
      made: 'mission_id',
      get: 'fleet.getMission(missionId)',
      ended: "status === 'done'",
      cancel: 'fleet.cancelMission(missionId)',
    }),
    theirs: theirs(['/robots', '/missions/{id}'], {
      list: "(await client['/robots'].GET()).data?.robots ?? []",
      id: 'id',
      create:
        "client['/robots/{id}/missions'].POST({ params: { path: { id: robotId } }, body: { target, command_id: commandId } })",
      made: 'mission_id',
      get: "client['/missions/{id}'].GET({ params: { path: { id: missionId } } })",
      ended: "status === 'done'",
      cancel: "client['/missions/{id}/cancel'].POST({ params: { path: { id: missionId } } })",
    }),
  };
}

function github() {
  const issue = "{ owner: 'octo', repo: 'demo', issue_number: Number(missionId) }";
  const repository = "path: { owner: 'octo', repo: 'demo' }";
  return {
    name: 'github-rest (1,223 operations)',
    document: GITHUB,
    grant: `GET  /repos/*/*/issues
GET  /repos/*/*/issues/*
POST /repos/*/*/issues
PUT  /repos/*/*/issues/*/lock
`,
    client: 'github',
    ours: ours('github', ['issuesListForRepo', 'issuesCreate'], {
      list: "await github.issuesListForRepo('octo', 'demo')",
      id: 'number',
      create: "github.issuesCreate('octo', 'demo', { title: robotId, body: commandId })",
      made: 'number',
      get: "github.issuesGet('octo', 'demo', Number(missionId))",
      ended: "state === 'closed'",
      cancel: "github.issuesLock('octo', 'demo', Number(missionId))",
    }),
    theirs: theirs(['/repos/{owner}/{repo}/issues', '/gists'], {
      list: `(await client['/repos/{owner}/{repo}/issues'].GET({ params: { ${repository} } })).data ?? []`,
      id: 'number',
      create: `client['/repos/{owner}/{repo}/issues'].POST({ params: { ${repository} }, body: { title: robotId, body: commandId } })`,
      made: 'number',
      get: `client['/repos/{owner}/{repo}/issues/{issue_number}'].GET({ params: { path: ${issue} } })`,
      ended: "state === 'closed'",
      cancel: `client['/repos/{owner}/{repo}/issues/{issue_number}/lock'].PUT({ params: { path: ${issue} } })`,
    }),
  };
}

function ours(client, labels, { list, id, create, made, get, ended, cancel }) {
  const text = `${KEY.search};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

module.exports = {
  async inventory() {
    const found = ${list};
    ${REST}
    return found.map((each) => ({ id: String(each.${id}), status: 'idle', battery: 100 }));
  },

  async dispatch(robotId, target, commandId) {
    const made = await ${create};
    return String(made.${made});
  },

  async wait(missionId, opts) {
    const most = opts?.maxPolls ?? 50;
    for (let polls = 1; polls <= most; polls += 1) {
      const found = await ${get};
      if (found.${ended}) return { state: 'done', polls };
      await sleep(PAUSE_MS);
    }
    return { state: 'timeout', polls: most };
  },

  async cancel(missionId) {
    await ${cancel};
  },
};
`;
  return {
    text,
    unfinished: `const more = await ${client}.`,
    caret: `const more = await ${client}.`,
    labels,
  };
}

function theirs(labels, { list, id, create, made, get, ended, cancel }) {
  const text = `import { createPathBasedClient } from 'openapi-fetch';
import type { paths } from './schema';

${KEY.search};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const client = createPathBasedClient<paths>({ baseUrl: 'http://127.0.0.1' });

export async function inventory() {
  const found = ${list};
  ${REST}
  return found.map((each) => ({ id: String(each.${id}), status: 'idle', battery: 100 }));
}

export async function dispatch(robotId: string, target: { x: number; y: number }, commandId: string) {
  const { data: made } = await ${create};
  return String(made?.${made});
}

export async function wait(missionId: string, opts?: { maxPolls?: number }) {
  const most = opts?.maxPolls ?? 50;
  for (let polls = 1; polls <= most; polls += 1) {
    const { data: found } = await ${get};
    if (found?.${ended}) return { state: 'done', polls };
    await sleep(PAUSE_MS);
  }
  return { state: 'timeout', polls: most };
}

export async function cancel(missionId: string) {
  await ${cancel};
}
`;
  return {
    text,
    unfinished: "const more = await client[''];",
    caret: "const more = await client['",
    labels,
  };
}
