import { answerDoors } from './answers';
import { eventDoors } from './events';
import { recordDoors } from './records';
import { routingDoors } from './routing';
import { textDoors } from './texts';

/** Every place that reads what others send. */
export const doors = [...eventDoors, ...routingDoors, ...answerDoors, ...recordDoors, ...textDoors];
