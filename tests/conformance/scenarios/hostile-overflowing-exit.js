// exit() ends the program or it throws, however little of the stack is left.
const deep = () => {
  try {
    return deep();
  } catch {
    return exit();
  }
};
deep();
