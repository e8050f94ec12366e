// A first try: it does the job on a good day and is polite to a busy vendor. What it gets wrong shows on a bad day.

const ATTEMPTS = 40;
const PAUSE_MS = 250;
const ENDED = ['done', 'failed', 'cancelled'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// 503 means "busy, come back": try again. Anything else is for the caller.
async function withRetry(call) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.status !== 503 || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

module.exports = {
  async inventory() {
    const { robots } = await withRetry(() => fleet.listRobots());
    const found = [];
    for (const { id } of robots) {
      const robot = await withRetry(() => fleet.getRobot(id));
      found.push({ id: robot.id, status: robot.status, battery: robot.battery });
    }
    return found;
  },

  async dispatch(robotId, target, commandId) {
    try {
      const order = await withRetry(() => fleet.createMission(robotId, { target }));
      return order.mission_id;
    } catch (error) {
      const refusal = new Error(`Command ${commandId} was refused: ${error.message}`);
      throw Object.assign(refusal, { code: 'refused' });
    }
  },

  async wait(missionId, opts) {
    const maxPolls = opts?.maxPolls ?? 50;
    for (let polls = 1; polls <= maxPolls; polls += 1) {
      try {
        const mission = await fleet.getMission(missionId);
        if (ENDED.includes(mission.status)) return { state: mission.status, polls };
      } catch (error) {
        if (error.status !== 503) throw error;
      }
      await sleep(PAUSE_MS);
    }
    return { state: 'timeout', polls: maxPolls };
  },

  async cancel(missionId) {
    await withRetry(() => fleet.cancelMission(missionId));
  },
};
