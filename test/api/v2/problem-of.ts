/** Reads a reply that must be a problem document. */
import assert from "node:assert/strict";

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
  }[];
}

export async function problemOf(response: Response): Promise<ProblemDocument> {
  assert.equal(response.headers.get("content-type"), "application/problem+json; charset=utf-8");
  const problem = (await response.json()) as ProblemDocument;
  assert.equal(problem.status, response.status);
  assert.match(problem.type, /^\/api\/v2\/reference#problem-[a-z-]+$/);
  assert.match(problem.detail, /\.$/);
  return problem;
}
