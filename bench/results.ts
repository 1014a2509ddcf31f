/** What a run measured: for each figure and subject one sample per round. */
import type { FigureId } from "./figures.ts";
import type { Sample } from "./measure/sample.ts";
import type { SubjectId } from "./subjects.ts";

export class Results {
  readonly #samples = new Map<FigureId, Map<SubjectId, Sample[]>>();

  add(figure: FigureId, subject: SubjectId, sample: Sample): void {
    const bySubject = this.#samples.get(figure) ?? new Map<SubjectId, Sample[]>();
    this.#samples.set(figure, bySubject);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), sample]);
  }

  get figures(): readonly FigureId[] {
    return [...this.#samples.keys()];
  }
  subjectsOf(figure: FigureId): readonly SubjectId[] {
    return [...(this.#samples.get(figure)?.keys() ?? [])];
  }
  /** One per round; none where it was not measured. */
  samples(figure: FigureId, subject: SubjectId): readonly Sample[] {
    return this.#samples.get(figure)?.get(subject) ?? [];
  }
}
