/** Shells that must be installed for it; bash is in completion.test.ts. */
import { completionSuite } from "./completion-suite.ts";

completionSuite("zsh");
completionSuite("fish");
