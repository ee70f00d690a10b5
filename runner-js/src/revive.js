// From the tree that JSON.parse made to the value that the program gets, in place: what is tagged
// becomes what its tag says, and all of it may be frozen. Iterative, so that no depth overflows a
// stack. Works in a hostile realm: whatever is stored goes into a property that is there already.

import { isArrayBufferView } from 'node:util/types';
import { engine, list } from './intrinsics.js';
import { pathOf } from './values.js';

const { isArray, objectKeys, freeze } = engine;

const same = (made) => made;

// What to walk into before finish makes the value of it.
export function newNode(into, keys, finish, shape = 0) {
  const length = keys === null ? into.length : keys.length;
  return { into, keys, length, next: 0, at: undefined, shape, finish };
}

const plainNode = (value) =>
  isArray(value) ? newNode(value, null, same) : newNode(value, objectKeys(value), same);

// tagged: for an object, the node that it stands for, or null where it is what it looks like; null
// in place of it: nothing is tagged. Throws what it throws, with the path as path() says it.
export function revive(root, tagged, frozen) {
  const stack = list();
  let depth = 0;
  let made = root;
  const path = () => pathOf(stack, depth);

  const descend = () => {
    const top = stack[depth - 1];
    top.at = top.keys === null ? top.next : top.keys[top.next];
    made = top.into[top.at];
  };

  const finish = (node) => {
    made = node.finish(node.into);
    const holds = typeof made === 'object' && made !== null;
    if (frozen && holds && !isArrayBufferView(made)) freeze(made);
  };

  for (;;) {
    if (typeof made === 'object' && made !== null) {
      const node = (tagged !== null && !isArray(made) && tagged(made, path)) || plainNode(made);
      if (node.length > 0) {
        stack[depth++] = node;
        descend();
        continue;
      }
      finish(node);
    }
    for (;;) {
      if (depth === 0) return made;
      const top = stack[depth - 1];
      top.into[top.at] = made;
      if (++top.next < top.length) {
        descend();
        break;
      }
      finish(top);
      stack[--depth] = undefined;
    }
  }
}
