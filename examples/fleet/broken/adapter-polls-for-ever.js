// Wrong on purpose: the wait goes on until the mission ends, whatever maxPolls says.

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
      const body = { target, command_id: commandId };
      const order = await patiently(() => fleet.createMission(robotId, body));
      return order.mission_id;
    } catch (error) {
      throw failure(error.outcome === 'refused' ? 'refused' : 'unresolved', error);
    }
  },

  async wait(missionId) {
    for (let polls = 1; ; polls += 1) {
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
  },

  async cancel(missionId) {
    await patiently(() => fleet.cancelMission(missionId));
  },
};
