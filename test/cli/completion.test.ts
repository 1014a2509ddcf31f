/** The other shells are in completion.slow.ts: bash is everywhere. */
import { completionSuite } from "./completion-suite.ts";

completionSuite("bash");
