import { checkAnswer } from '../../../../sandbox/routing/answer';

/** What the sandbox, which knows nothing of the nodes' own check, finds wrong with an answer (§2.3). */
export const faultsOf = (answer: unknown) => checkAnswer(answer).problems;
