import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type {
  Reporter,
  SerializedError,
  TestCase,
  TestModule,
  TestSpecification,
  TestSuite,
  Vitest,
} from 'vitest/node';

const SLOWEST = 10;
/** Lines of progress of a run without a terminal. */
const PROGRESS_LINES = 10;

/**
 * Prints progress in one line of a terminal, each failure with its reason when it happens, so that a run that is cut shows
 * what failed until then, and at the end the slowest files.
 */
export default class ProgressReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #started = Date.now();
  #files = 0;
  #ended = 0;
  readonly #count = { passed: 0, failed: 0, skipped: 0 };
  readonly #failures: string[] = [];
  readonly #seconds: { file: string; seconds: number }[] = [];
  /** What tests that run have printed: shown where one fails. */
  readonly #printed = new Map<string, string>();
  readonly #isTerminal = process.stdout.isTTY === true;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'pending') return;
    this.#count[state] += 1;
    const printed = this.#printed.get(test.id);
    this.#printed.delete(test.id);
    if (state === 'failed') this.#printFailure(this.#nameOf(test.module, test.fullName), errors, printed);
    else if (this.#isTerminal) this.#showProgress();
  }

  onTestSuiteResult(suite: TestSuite): void {
    if (suite.errors().length > 0) {
      this.#printFailure(this.#nameOf(suite.module, suite.fullName), suite.errors());
    }
  }

  onTestModuleEnd(module: TestModule): void {
    const file = this.#nameOf(module);
    this.#ended += 1;
    this.#seconds.push({ file, seconds: module.diagnostic().duration / 1_000 });
    if (module.errors().length > 0) this.#printFailure(file, module.errors());
    const isTenth = this.#ended % Math.ceil(this.#files / PROGRESS_LINES) === 0;
    if (this.#isTerminal || isTenth) this.#showProgress();
  }

  onUserConsoleLog({ content, taskId = '' }: { content: string; taskId?: string }): void {
    this.#printed.set(taskId, (this.#printed.get(taskId) ?? '') + content);
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const error of unhandled) this.#printFailure('An error outside of tests', [error]);
    const slowest = this.#seconds.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    this.#print('\nThe slowest files:');
    for (const { file, seconds } of slowest) this.#print(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
    if (this.#failures.length > 0) {
      this.#print(
        `\nFailed, with their reasons above:\n${this.#failures.map((name) => `  ${name}`).join('\n')}`,
      );
    }
    this.#print(`\n${this.#progress()}`);
  }

  #nameOf({ moduleId }: TestModule, test?: string): string {
    const file = relative(this.#vitest?.config.root ?? '', moduleId);
    return test === undefined ? file : `${file} > ${test}`;
  }

  #printFailure(name: string, errors: readonly SerializedError[] | undefined, printed?: string): void {
    this.#failures.push(name);
    this.#print(`\nFAILED ${name}`);
    if (printed !== undefined) this.#print(printed.trimEnd());
    for (const error of errors ?? [])
      this.#vitest?.logger.printError(error, { project: this.#vitest.getRootProject() });
  }

  #progress(): string {
    const { passed, failed, skipped } = this.#count;
    const seconds = Math.round((Date.now() - this.#started) / 1_000);
    return `${this.#ended} of ${this.#files} files, ${passed} tests passed, ${failed} failed, ${skipped} skipped, ${seconds} s`;
  }

  #showProgress(): void {
    if (this.#isTerminal) process.stdout.write(`\r${this.#progress()}\u001b[K`);
    else this.#print(this.#progress());
  }

  /** Prints lines in place of the line of progress. */
  #print(text: string): void {
    process.stdout.write(this.#isTerminal ? `\r\u001b[K${text}\n` : `${stripVTControlCharacters(text)}\n`);
  }
}
