// Tests of whole processes run what is built: dist/ is made anew when a source changed.
import { ensureBuild } from '../scripts/lib/setup.mjs';

export default () => ensureBuild();
