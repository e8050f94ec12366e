/** Behaviours: a right one, and wrong ones made from it. */
import type { Json } from '../../../shared/src/json.ts';
import { type Answer, type Behaviour, type Rig, Thrown } from './rig.ts';

const ENDED = ['done', 'failed', 'cancelled'];

export function pauseAfter(rig: Rig, answer: Answer): void {
  rig.sleep(Math.max(250, answer.retryAfterMs));
}

export function isRefusal({ status, origin }: Answer): boolean {
  return origin === 'vendor' && status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** Repeats until an answer is good; throws where the vendor refuses. */
export async function patiently(rig: Rig, call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await call();
    if (answer.ok) return answer;
    if (isRefusal(answer)) throw new Thrown('the vendor refused', 'refused');
    pauseAfter(rig, answer);
  }
  throw new Thrown('no answer for too long', 'unresolved');
}

/** The mission of that command which the robot is running, or null. */
async function running(rig: Rig, robot: string, command: string): Promise<string | null> {
  const seen = await rig.call('getRobot', robot);
  if (!seen.ok || seen.body.mission === null) return null;
  const mission = await rig.call('getMission', seen.body.mission);
  return mission.ok && mission.body.command_id === command ? mission.body.id : null;
}

/** Right in every scenario: names its orders, looks before it repeats, one promise for each command. */
export function right(): Behaviour {
  const placed = new Map<string, Promise<Json>>();
  const place = async (rig: Rig, robot: string, target: Json, command: string): Promise<Json> => {
    for (let tries = 0; tries < 60; tries += 1) {
      const answer = await rig.call('createMission', robot, { target, command_id: command }, 10);
      if (answer.ok) return answer.body.mission_id;
      if (isRefusal(answer)) throw new Thrown(answer.body.error.message, 'refused');
      pauseAfter(rig, answer);
      const found = await running(rig, robot, command);
      if (found !== null) return found;
    }
    throw new Thrown('cannot tell', 'unresolved');
  };
  return {
    async inventory(rig) {
      const { body } = await patiently(rig, () => rig.call('listRobots', '', undefined, 5));
      return body.robots.map(({ id, status, battery }: Record<string, Json>) => ({ id, status, battery }));
    },
    dispatch(rig, robot, target, command) {
      const known = placed.get(command) ?? place(rig, robot, target, command);
      placed.set(command, known);
      return known;
    },
    async wait(rig, mission, { maxPolls = 50 }) {
      for (let polls = 1; polls <= maxPolls; polls += 1) {
        const read = await rig.call('getMission', mission, undefined, 20);
        if (read.ok && read.body.id === mission && ENDED.includes(read.body.status))
          return { state: read.body.status, polls };
        if (!read.ok) pauseAfter(rig, read);
      }
      return { state: 'timeout', polls: maxPolls };
    },
    async cancel(rig, mission) {
      await patiently(rig, () => rig.call('cancelMission', mission, undefined, 30));
      return null;
    },
  };
}

/** Names nothing, repeats a 503 only, takes anything else for a refusal. */
export function nameless(): Behaviour {
  return {
    ...right(),
    async dispatch(rig, robot, target) {
      for (let tries = 0; tries < 40; tries += 1) {
        const line = tries === 0 ? 11 : 12;
        const answer = await rig.call('createMission', robot, { target }, line);
        if (answer.ok) return answer.body.mission_id;
        if (answer.status !== 503) throw new Thrown(`refused with ${answer.status}`, 'refused');
        pauseAfter(rig, answer);
      }
      throw new Thrown('cannot tell', 'unresolved');
    },
    async wait(rig, mission, { maxPolls = 50 }) {
      for (let polls = 1; polls <= maxPolls; polls += 1) {
        const read = await rig.call('getMission', mission, undefined, 20);
        if (read.ok && ENDED.includes(read.body.status)) return { state: read.body.status, polls };
        if (!read.ok && read.status !== 503) throw new Thrown(`status ${read.status}`);
        if (!read.ok) rig.sleep(250);
      }
      return { state: 'timeout', polls: maxPolls };
    },
  };
}

/** Names its orders and repeats whatever is no refusal, without looking. */
export function repeating(): Behaviour {
  return {
    ...right(),
    async dispatch(rig, robot, target, command) {
      for (let tries = 0; tries < 40; tries += 1) {
        const answer = await rig.call('createMission', robot, { target, command_id: command }, 11);
        if (answer.ok) return answer.body.mission_id;
        if (isRefusal(answer)) throw new Thrown('refused', 'refused');
        rig.sleep(250);
      }
      throw new Thrown('cannot tell', 'unresolved');
    },
    async wait(rig, mission, { maxPolls = 50 }) {
      for (let polls = 1; polls <= maxPolls; polls += 1) {
        const read = await rig.call('getMission', mission, undefined, 20);
        if (read.ok && read.body.id === mission && ENDED.includes(read.body.status))
          return { state: read.body.status, polls };
        rig.sleep(read.ok ? 0 : 250);
      }
      return { state: 'timeout', polls: maxPolls };
    },
  };
}
