/**
 * Makes messages in the calling thread: for a command, whose user may wait and whose process serves no
 * requests.
 */
import type { MessageMaker } from "./make-messages.ts";
import type { Renderer } from "./renderer.ts";

export function directRenderer(): Renderer {
  let made: MessageMaker | null = null;
  // Most commands render nothing, and need not load what renders.
  const maker = async (): Promise<MessageMaker> => {
    made ??= new (await import("./make-messages.ts")).MessageMaker();
    return made;
  };
  return {
    message: async (source, person, as) => (await maker()).message(source, person, as),
    problems: async (source, people) => (await maker()).problems(source, people),
    close: async () => {},
  };
}
