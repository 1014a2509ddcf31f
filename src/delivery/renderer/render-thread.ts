/** The thread that makes messages for a service. It knows no store; the service that started it ends it. */
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../../threads/low-priority.ts";
import { MessageMaker } from "./make-messages.ts";
import { READY, type RenderAnswer, type RenderRequest, TemplateProblem } from "./renderer.ts";

lowerPriority();
const maker = new MessageMaker();

function answerTo(request: RenderRequest): RenderAnswer {
  try {
    const { source } = request;
    const value =
      request.do === "message"
        ? maker.message(source, request.person, request.isTest)
        : maker.problems(source, request.people, request.forMs);
    return { value };
  } catch (error) {
    const { message, stack } = error as Error;
    const faults = error instanceof TemplateProblem ? error.faults : null;
    return { error: { faults, message, stack } };
  }
}

// The time of a request begins when the thread can answer.
parentPort?.postMessage(READY);
parentPort?.on("message", (request: RenderRequest) => parentPort?.postMessage(answerTo(request)));
