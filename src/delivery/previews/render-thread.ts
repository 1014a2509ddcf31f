/** The thread that makes messages for a service. It knows no store; the service that started it ends it. */
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "#threads/low-priority.ts";
import { MessageMaker } from "./make-messages.ts";
import { READY, type RenderAnswer, type RenderRequest, TemplateProblem } from "./renderer.ts";

lowerPriority();
const maker = new MessageMaker();

function answerTo(request: RenderRequest): RenderAnswer {
  const before = process.threadCpuUsage();
  try {
    const { source } = request;
    const value =
      request.do === "message"
        ? maker.message(source, request.person, request.as)
        : maker.problems(source, request.people, request.forMs);
    const { user, system } = process.threadCpuUsage(before);
    return { value, cpuMs: (user + system) / 1000 };
  } catch (error) {
    const { message, stack } = error as Error;
    const faults = error instanceof TemplateProblem ? error.faults : null;
    return { error: { faults, message, stack } };
  }
}

// What loading the modules costs does not count for a request.
parentPort?.postMessage(READY);
parentPort?.on("message", (request: RenderRequest) => parentPort?.postMessage(answerTo(request)));
