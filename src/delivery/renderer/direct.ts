/** Makes messages in the calling thread: for a command, whose user may wait and whose process serves nobody. */
import { MessageMaker } from "./make-messages.ts";
import type { Renderer } from "./renderer.ts";

export function directRenderer(): Renderer {
  const maker = new MessageMaker();
  return {
    message: async (source, person, { isTest }) => maker.message(source, person, isTest),
    problems: async (source, people) => maker.problems(source, people),
    close: async () => {},
  };
}
