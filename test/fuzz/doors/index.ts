import { eventDoors } from './events';
import { routingDoors } from './routing';

/** Every place that reads what others send. */
export const doors = [...eventDoors, ...routingDoors];
