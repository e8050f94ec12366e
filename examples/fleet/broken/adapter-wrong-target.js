// Wrong on purpose: it takes the platform's floor to count from one, so robots stop one unit short on each axis.

const ATTEMPTS = 12;
const PAUSE_MS = 1000;
const ENDED = ['done', 'failed', 'cancelled'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const failure = (code, error) => Object.assign(new Error(error.message), { code });

async function patiently(call) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.outcome === 'refused' || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS + error.retryAfterMs);
    }
  }
}

module.exports = {
  async inventory() {
    const { robots } = await patiently(() => fleet.listRobots());
    return robots.map(({ id, status, battery }) => ({ id, status, battery }));
  },

  async dispatch(robotId, target, commandId) {
    try {
      const counted = { x: Math.max(0, target.x - 1), y: Math.max(0, target.y - 1) };
      const body = { target: counted, command_id: commandId };
      const order = await patiently(() => fleet.createMission(robotId, body));
      return order.mission_id;
    } catch (error) {
      throw failure(error.outcome === 'refused' ? 'refused' : 'unresolved', error);
    }
  },

  async wait(missionId, opts) {
    const maxPolls = opts?.maxPolls ?? 50;
    for (let polls = 1; polls <= maxPolls; polls += 1) {
      let pause = PAUSE_MS;
      try {
        const mission = await fleet.getMission(missionId);
        const ended = mission.id === missionId && ENDED.includes(mission.status);
        if (ended) return { state: mission.status, polls };
      } catch (error) {
        pause += error.retryAfterMs;
      }
      await sleep(pause);
    }
    return { state: 'timeout', polls: maxPolls };
  },

  async cancel(missionId) {
    await patiently(() => fleet.cancelMission(missionId));
  },
};
