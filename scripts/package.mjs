// `npm run package`: loadline-<version>.vsix from a fresh build.
import { checkNode, ensurePackage, installDependencies } from './lib/setup.mjs';

checkNode();
installDependencies();
process.stdout.write(`${await ensurePackage()}\n`);
