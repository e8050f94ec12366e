// The probe's adapter: runs in the guest's realm, like any adapter, and tries what hostile adapter code would try.

const tried = [];

/** `work` returns what it achieved, or nothing. A throw is a refusal. */
async function attempt(id, work) {
  try {
    const achieved = await work();
    const happened = achieved !== undefined && achieved !== null && achieved !== false;
    tried.push({ id, happened, detail: happened ? String(achieved).slice(0, 200) : 'nothing' });
  } catch (error) {
    tried.push({ id, happened: false, detail: String(error?.message ?? error).slice(0, 200) });
  }
}

/** Calls a method with arguments that no gate lets through, under a change of the realm's own intrinsics. */
async function polluted(id, client, granted, pollute) {
  if (granted === null) return;
  await attempt(`polluted-${id}`, async () => {
    const undo = pollute();
    try {
      await client[granted]('a/../b');
      return 'the call was answered';
    } finally {
      undo();
    }
  });
}

function replaced(object, name, value) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
  return () => {
    if (before) Object.defineProperty(object, name, before);
    else delete object[name];
  };
}

async function againstTheClient({ client: clientName, ungranted, granted, forbiddenTarget }) {
  const client = globalThis[clientName];
  for (const name of ungranted) {
    await attempt(`ungranted-${name}`, async () => {
      try {
        return `answered ${await client[name]('1', {}, {})}`;
      } catch (error) {
        return error.origin === 'client' ? null : `refused by ${error.origin ?? error.name}`;
      }
    });
  }
  const own = Object.keys(client)[0];
  const evil = () => 'evil';
  await attempt('unknown-method', () => client.constructorOfEverything());
  await attempt('untyped-verb', () => client.request('GET', '/') ?? client.fetch('/'));
  await attempt('replace-method', () => {
    client[own] = evil;
    return client[own] === evil;
  });
  await attempt('add-method', () => {
    client.added = evil;
    return client.added === evil;
  });
  await attempt('delete-method', () => {
    delete client[own];
    return !(own in client);
  });
  await attempt('define-method', () => {
    Object.defineProperty(client, own, { value: evil });
    return client[own] === evil;
  });
  await attempt('set-prototype', () => {
    Object.setPrototypeOf(client, { evil });
    return client.evil === evil;
  });
  await attempt('replace-client', () => {
    globalThis[clientName] = { evil };
    return globalThis[clientName].evil === evil;
  });
  await attempt('delete-client', () => {
    delete globalThis[clientName];
    return globalThis[clientName] === undefined;
  });
  await attempt('borrow-caller', () => client[own].caller ?? client[own].arguments);
  await attempt('borrow-through-stack', async () => {
    let stolen = null;
    const undo = replaced(Error, 'prepareStackTrace', (_error, sites) => {
      for (const site of sites) stolen ??= site.getFunction?.() ?? site.getThis?.() ?? null;
      return '';
    });
    try {
      await client[ungranted[0] ?? own]({
        toString() {
          return new Error().stack;
        },
      });
    } catch (error) {
      void error.stack;
    } finally {
      undo();
    }
    return typeof stolen === 'function' ? stolen.name : null;
  });
  const proto = Object.prototype;
  await polluted('nothing', client, granted, () => () => undefined);
  await polluted('method', client, granted, () => replaced(proto, 'method', 'DELETE'));
  await polluted('target', client, granted, () => replaced(proto, 'target', forbiddenTarget));
  await polluted('headers', client, granted, () => replaced(proto, 'headers', { authorization: 'Bearer x' }));
  await polluted('body', client, granted, () => replaced(proto, 'body', { all: true }));
  await polluted('signal', client, granted, () => replaced(proto, 'signal', { aborted: false }));
  await polluted('descriptor', client, granted, () => replaced(proto, 'get', () => forbiddenTarget));
  await polluted('encoder', client, granted, () =>
    replaced(globalThis, 'encodeURIComponent', (text) => text),
  );
  await polluted('join', client, granted, () => replaced(Array.prototype, 'join', () => forbiddenTarget));
  await polluted('map', client, granted, () => replaced(Array.prototype, 'map', () => [forbiddenTarget]));
  await polluted('iterator', client, granted, () =>
    replaced(Array.prototype, Symbol.iterator, function* () {
      yield forbiddenTarget;
    }),
  );
  await polluted('text', client, granted, () => replaced(String.prototype, 'replace', () => forbiddenTarget));
  await polluted('concat', client, granted, () =>
    replaced(String.prototype, 'concat', () => forbiddenTarget),
  );
  await polluted('json', client, granted, () => replaced(JSON, 'stringify', () => '{"method":"DELETE"}'));
  await polluted('index', client, granted, () => replaced(proto, '0', forbiddenTarget));
}

const FORMS = [/loadline-canary-[0-9a-f]{32}/g, /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g];

/** Everything that can be reached from `roots` by own properties, getters and prototypes. */
function walk(roots) {
  const seen = new Set();
  const found = [];
  const hosts = [];
  const queue = roots.map((value, index) => [`root ${index}`, value]);
  while (queue.length > 0 && seen.size < 100000) {
    const [path, value] = queue.pop();
    if (typeof value === 'string') {
      for (const form of FORMS) for (const [text] of value.matchAll(form)) found.push({ place: path, text });
      continue;
    }
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value))
      continue;
    seen.add(value);
    if (typeof value === 'function') queue.push([`${path}()`, Function.prototype.toString.call(value)]);
    try {
      if (typeof value.binding === 'function' || typeof value.mainModule === 'object') hosts.push(path);
    } catch {
      // A getter that refuses.
    }
    for (const key of Reflect.ownKeys(value)) {
      try {
        queue.push([`${path}.${String(key)}`, value[key]]);
      } catch {
        // A getter that refuses.
      }
    }
    queue.push([`${path}.prototype`, Reflect.getPrototypeOf(value)]);
  }
  return { found, hosts, seen: seen.size };
}

async function againstTheRealm({ client: clientName, ungranted }) {
  const client = globalThis[clientName];
  const own = client[Object.keys(client)[0]];
  let refusal = null;
  try {
    await client[ungranted[0]]();
  } catch (error) {
    refusal = error;
  }
  let imported = null;
  try {
    await import('node:fs');
    imported = 'imported';
  } catch (error) {
    refusal ??= error;
    imported = error;
  }
  const { found, hosts } = walk([globalThis, client, refusal, imported, module, exports, async () => {}]);
  const reachOut = 'return typeof process === "object" && process';
  await attempt('walk', () => (hosts.length > 0 ? hosts.join(' ') : null));
  await attempt('import', () => (imported === 'imported' ? imported : null));
  await attempt('function', () => new Function(reachOut)());
  // biome-ignore lint/security/noGlobalEval: whether the realm has it is what is tried
  const indirectEval = globalThis.eval;
  await attempt('eval', () => indirectEval('typeof process === "object" && process'));
  for (const [id, value] of Object.entries({
    client: own,
    refusal,
    imported,
    console: console.log,
    timer: setTimeout,
    module,
  }))
    await attempt(`constructor-of-${id}`, () => value.constructor.constructor(reachOut)());
  await attempt('constructor-of-async', () => (async () => {}).constructor(reachOut)());
  await attempt('constructor-of-stack', () => {
    let site = null;
    const undo = replaced(Error, 'prepareStackTrace', (_error, sites) => {
      site = sites[0];
      return '';
    });
    void new Error().stack;
    undo();
    return site.getThis?.()?.process ?? site.constructor.constructor(reachOut)();
  });
  for (const name of [
    'process',
    'require',
    'Buffer',
    'fetch',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
  ])
    await attempt(`global-${name}`, () => (typeof globalThis[name] === 'undefined' ? null : name));
  await attempt('deep-recursion', () => {
    let caught = null;
    const deeper = () => {
      try {
        deeper();
      } catch (error) {
        caught ??= error;
        try {
          own({});
        } catch (inner) {
          caught = inner;
        }
      }
    };
    deeper();
    return caught instanceof Error ? null : caught?.constructor.constructor(reachOut)();
  });
  return found;
}

exports.probe = async (config) => {
  await againstTheClient(config);
  const client = tried.splice(0);
  const found = await againstTheRealm(config);
  return { client, realm: tried.splice(0), found };
};
